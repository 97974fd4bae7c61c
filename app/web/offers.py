"""The comparison page as a view: caption, chips, what is hidden and why, table, pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.domain.errors import BadInput, UnknownValue
from app.domain.sentence import Sentence
from app.market.board import Board
from app.market.column import Column
from app.market.columns import BY_NAME
from app.market.free_text import Word
from app.market.freshness import Freshness
from app.market.offers import OfferPage, Removal
from app.market.query import OfferQuery
from app.market.service import Market
from app.market.units import Units
from app.web.cells import AT_ONCE, RowWriter, is_number
from app.web.choices import ChoicesView, choices_view
from app.web.chooser import SetLink, column_sets
from app.web.groups import GroupsView, groups_view
from app.web.language import gettext
from app.web.question import (
    Chip,
    Question,
    chip_text,
    chips_of,
    href,
    href_with,
    href_without,
    question_of,
    run_alone,
    run_query,
    word_text,
)
from app.web.run_form import PRESETS
from app.web.view_bar import ViewBar, view_bar
from app.web.widths import place_classes

ASCENDING_FIRST = ("money", "age", "text")
VERDICTS = ("verdict", "reason")
"""Filters on these name what is to be seen, ruled out or not."""


@dataclass(frozen=True, slots=True)
class HeaderCell:
    """One column heading: the link sorts by it, `state` is its `aria-sort`, `help` says what it is and in which unit."""

    column: Column
    href: str | None
    state: str | None
    number: bool
    label: str
    unit: str | Sentence
    help: tuple[str | Sentence, ...]
    classes: str


@dataclass(frozen=True, slots=True)
class HiddenReason:
    """Offers that the run rules out for one reason, and the address that shows just these."""

    reason: str
    count: int
    href: str


@dataclass(frozen=True, slots=True)
class RemovalLink:
    """What is to be taken away so that `offers` answer, and the address without it."""

    text: str
    offers: int
    href: str


class PastTheEnd(Exception):
    """The question asks for a page after the last one, which is at `address`."""

    def __init__(self, address: str) -> None:
        super().__init__(address)
        self.address = address


@dataclass(frozen=True, slots=True)
class OffersView:
    """What `offers.html` shows."""

    question: Question
    page: OfferPage | None
    error: BadInput | None = None
    chips: tuple[Chip, ...] = ()
    hidden: tuple[HiddenReason, ...] = ()
    header: tuple[HeaderCell, ...] = ()
    rows: str = ""
    more: str = ""
    groups: GroupsView | None = None
    removals: tuple[RemovalLink, ...] = ()
    links: Mapping[str, str] | None = None
    sets: tuple[SetLink, ...] = ()
    bar: ViewBar | None = None
    freshness: Freshness | None = None
    presets: Sequence[tuple[str, str]] = ()
    without_href: str = "/"
    near: tuple[tuple[str, str], ...] = ()
    shows_hidden: bool = False
    density: str = ""
    choices: ChoicesView | None = None


def offers_view(market: Market, query: OfferQuery) -> OffersView:
    """The page for a question.

    Raises:
        BadInput: the run cannot be answered as asked.
        PastTheEnd: there are fewer pages.
    """
    page = market.list_offers(query, facets=True)
    if query.page > page.pages:
        raise PastTheEnd(href(query.with_(page=page.pages)))
    query = page.query
    columns = display_columns(query)
    writer = RowWriter(columns, market.clock(), run_query(query), page.units, chooses=True)
    return OffersView(
        question=question_of(query.to_params(), page.facets, query.run is not None, page.spans),
        page=page,
        chips=chips_of(query, market.board),
        hidden=tuple(HiddenReason(r, n, href(query.with_(reason=r))) for r, n in page.hidden.items()),
        header=tuple(
            header_of(column, query, page.units, place)
            for column, place in zip(columns, place_classes(columns), strict=True)
        ),
        rows="" if query.group else writer.bodies(page.rows[:AT_ONCE]),
        more="" if query.group else writer.bodies(page.rows[AT_ONCE:]),
        groups=groups_view(page) if query.group else None,
        removals=tuple(_removal_link(query, one, market.board) for one in page.removals),
        links=_links(query, page),
        sets=column_sets(query),
        bar=view_bar(query, market.board.rates),
        freshness=market.freshness(),
        presets=preset_links(),
        shows_hidden=asks_for_hidden(query),
        density=dict(query.view)["density"] if query.view else "",
        choices=choices_view(market, query, page.units),
    )


def _removal_link(query: OfferQuery, removal: Removal, board: Board) -> RemovalLink:
    match removal.condition:
        case None:
            return RemovalLink(gettext("the training run"), removal.offers, href(query.without_run()))
        case Word() as word:
            rest = query.words.without(word) or None
            return RemovalLink(word_text(word, board), removal.offers, href(query.with_(q=rest)))
        case item:
            text = chip_text(item, board.labels)
            return RemovalLink(text, removal.offers, href(query.with_(**{item.parameter: None})))


def refused_view(asked: Mapping[str, Sequence[str]], error: BadInput) -> OffersView:
    """The page for a question that cannot be understood: the form as it was filled in, and what is wrong."""
    near = error.near if isinstance(error, UnknownValue) else ()
    return OffersView(
        question_of(asked, {}, False),
        None,
        error,
        presets=preset_links(),
        without_href=href_without(asked, error.field),
        near=tuple((value, href_with(asked, error.field, value)) for value in near),
    )


def display_columns(query: OfferQuery) -> tuple[Column, ...]:
    """The columns of the question; rows that the run rules out bring the sentence why."""
    shown = query.shown_columns
    if query.run is not None and asks_for_hidden(query) and BY_NAME["why"] not in shown:
        place = next((i + 1 for i, column in enumerate(shown) if column.name == "verdict"), len(shown))
        shown = (*shown[:place], BY_NAME["why"], *shown[place:])
    return shown


def asks_for_hidden(query: OfferQuery) -> bool:
    """The question wants to see what the run rules out."""
    return query.show_hidden or any(item.column.name in VERDICTS for item in query.filters)


def preset_links(path: str = "/") -> tuple[tuple[str, str], ...]:
    """Runs to start from, as addresses."""
    return tuple(
        (preset.title, href(OfferQuery.parse({n: [v] for n, v in preset.fields.items()}), path))
        for preset in PRESETS
    )


def header_of(column: Column, query: OfferQuery, units: Units | None = None, classes: str = "") -> HeaderCell:
    """A heading with the link that sorts by it: first the useful way round, then the other. `classes` are those of the
    column's cells."""
    link, state = None, None
    if column.sortable:
        current = query.sort == column.name
        state = ("descending" if query.descending else "ascending") if current else None
        down = not query.descending if current else column.format not in ASCENDING_FIRST
        link = href(query.with_(sort=column.name, order="desc" if down else None))
    told = (units or Units()).heading(column)
    help: tuple[str | Sentence, ...] = (column.help, *told.notes)
    return HeaderCell(column, link, state, is_number(column), told.label, told.unit, help, classes)


def _without_hidden(query: OfferQuery) -> OfferQuery:
    asked = [item.parameter for item in query.filters if item.column.name in VERDICTS]
    return query.with_(show_hidden=None, **dict.fromkeys(asked))


def _links(query: OfferQuery, page: OfferPage) -> Mapping[str, str]:
    links = {
        "csv": href(query.with_(per_page="all"), "/api/v1/offers.csv"),
        "json": href(query, "/api/v1/offers"),
        "markdown": href(query, "/offers.md"),
        "feed": href(query, "/offers.atom"),
        "hidden": href(_without_hidden(query) if asks_for_hidden(query) else query.with_(show_hidden=1)),
        "reset": href(run_alone(query)),
        "without_run": href(query.without_run()),
        "columns": href(query, "/columns"),
        "default_columns": href(query.with_(columns=None)),
        "ungroup": href(query.with_(group=None)),
        "fit": href(run_alone(query), "/fit"),
    }
    if query.page > 1:
        links["previous"] = href(query.with_(page=query.page - 1))
    if page.next is not None:
        links["next"] = href(page.next)
    return links
