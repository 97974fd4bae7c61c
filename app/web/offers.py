"""The comparison page as a view: caption, chips, what is hidden and why, table, pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from app.domain.errors import BadInput
from app.market.column import GROUPS, Column
from app.market.columns import BY_NAME, COLUMNS
from app.market.offers import OfferPage
from app.market.query import VIEW_OPTIONS, OfferQuery
from app.market.service import Market
from app.web.cells import RowWriter, is_number
from app.web.choices import ChoicesView, choices_view
from app.web.question import Chip, Question, chips_of, href, href_without, question_of, run_alone, run_query
from app.web.run_form import PRESETS

ASCENDING_FIRST = ("money", "age", "text")
PER_PAGE = (100, 250, 1000)
DENSITIES = VIEW_OPTIONS["density"]
VERDICTS = ("verdict", "reason")
"""Filters on these name what is to be seen, ruled out or not."""


@dataclass(frozen=True, slots=True)
class HeaderCell:
    """One column heading: the link sorts by it, `state` is its `aria-sort`."""

    column: Column
    href: str | None
    state: str | None
    number: bool


@dataclass(frozen=True, slots=True)
class HiddenReason:
    """Offers that the run rules out for one reason, and the address that shows just these."""

    reason: str
    count: int
    href: str


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
    links: Mapping[str, str] | None = None
    presets: Sequence[tuple[str, str]] = ()
    without_href: str = "/"
    shows_hidden: bool = False
    density: str = ""
    choices: ChoicesView | None = None


def offers_view(market: Market, query: OfferQuery) -> OffersView:
    """The page for a question.

    Raises:
        BadInput: the run cannot be answered as asked.
    """
    page = market.list_offers(query, facets=True)
    columns = display_columns(query)
    writer = RowWriter(columns, market.clock(), run_query(query))
    return OffersView(
        question=question_of(query.to_params(), page.facets, query.run is not None),
        page=page,
        chips=chips_of(query, market.board.labels),
        hidden=tuple(HiddenReason(r, n, href(query.with_(reason=r))) for r, n in page.hidden.items()),
        header=tuple(header_of(column, query) for column in columns),
        rows=Markup("\n").join(map(writer.row, page.rows)),
        links=_links(query, page),
        presets=preset_links(),
        shows_hidden=asks_for_hidden(query),
        density=dict(query.view)["density"] if query.view else "",
        choices=choices_view(market, query),
    )


def refused_view(asked: Mapping[str, Sequence[str]], error: BadInput) -> OffersView:
    """The page for a question that cannot be understood: the form as it was filled in, and what is wrong."""
    without = href_without(asked, error.field)
    return OffersView(
        question_of(asked, {}, False), None, error, presets=preset_links(), without_href=without
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
        (title, href(OfferQuery.parse({n: [v] for n, v in run.items()}), path)) for title, run in PRESETS
    )


@dataclass(frozen=True, slots=True)
class ChooserView:
    """Columns by group with those ticked that the table shows, and the rest of the question as hidden inputs."""

    groups: tuple[tuple[str, tuple[tuple[Column, bool], ...]], ...]
    kept: tuple[tuple[str, str], ...]
    back: str


def chooser_view(query: OfferQuery) -> ChooserView:
    """The column chooser for a question."""
    shown = query.shown_columns
    groups = tuple(
        (title, tuple((c, c in shown) for c in COLUMNS if c.group == name and (query.run or not c.needs_run)))
        for name, title in GROUPS.items()
    )
    params = query.with_(columns=None).to_params()
    kept = tuple((name, value) for name, values in params.items() for value in values)
    return ChooserView(tuple(group for group in groups if group[1]), kept, href(query))


def header_of(column: Column, query: OfferQuery) -> HeaderCell:
    """A heading with the link that sorts by it: first the useful way round, then the other."""
    if not column.sortable:
        return HeaderCell(column, None, None, is_number(column))
    current = query.sort == column.name
    state = ("descending" if query.descending else "ascending") if current else None
    down = not query.descending if current else column.format not in ASCENDING_FIRST
    link = href(query.with_(sort=column.name, order="desc" if down else None))
    return HeaderCell(column, link, state, is_number(column))


def _without_hidden(query: OfferQuery) -> OfferQuery:
    asked = [item.parameter for item in query.filters if item.column.name in VERDICTS]
    return query.with_(show_hidden=None, **dict.fromkeys(asked))


def _links(query: OfferQuery, page: OfferPage) -> Mapping[str, str]:
    links = {
        "csv": href(query.with_(per_page="all"), "/api/v1/offers.csv"),
        "json": href(query, "/api/v1/offers"),
        "hidden": href(_without_hidden(query) if asks_for_hidden(query) else query.with_(show_hidden=1)),
        "reset": href(run_alone(query)),
        "without_run": href(query.without_run()),
        "columns": href(query, "/columns"),
        "fit": href(run_alone(query), "/fit"),
    }
    links |= {f"per_page_{size}": href(query.with_(per_page=size)) for size in PER_PAGE}
    links |= {f"density_{name}": href(query.with_(density=name or None)) for name in DENSITIES}
    if query.page > 1:
        links["previous"] = href(query.with_(page=query.page - 1))
    if page.next is not None:
        links["next"] = href(page.next)
    return links
