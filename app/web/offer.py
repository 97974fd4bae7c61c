"""One offer as a view: facts with sources, price history and, with a run, every term of the answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from app.market.column import GROUPS, Column
from app.market.columns import COLUMNS
from app.market.offers import OfferRow
from app.market.query import OfferQuery
from app.market.saved import Saved
from app.market.service import Market
from app.market.units import Heading, Units
from app.web.bars import MemoryBar, bar_of
from app.web.cells import plain_text
from app.web.choices import Pick, neighbour_picks
from app.web.compare import address_of as compare_href
from app.web.fit import LeverLink, lever_links
from app.web.histories import OfferHistory, offer_history
from app.web.question import CURRENCY, Question, href, question_of, run_alone
from app.web.saved import SavedView, saved_view

TITLED = ("id", "accelerator_label", "source_url", "provider", "flags", "first_seen")


@dataclass(frozen=True, slots=True)
class Fact:
    """One line of the data sheet; `text` None = unknown."""

    heading: Heading
    text: str | None


@dataclass(frozen=True, slots=True)
class OfferView:
    """What `offer.html` shows. `explanation` and what follows it only with a run; `saved` only at an address that keeps
    an estimate of another day; `withdrawn_at` is None while the offer stands."""

    row: OfferRow
    money: Units
    groups: tuple[tuple[str, tuple[Fact, ...]], ...]
    history: OfferHistory
    question: Question
    terms: Any
    explanation: Any = None
    bar: MemoryBar | None = None
    levers: tuple[LeverLink, ...] = ()
    links: Mapping[str, str] | None = None
    neighbours: tuple[Pick, ...] = ()
    withdrawn_at: datetime | None = None
    saved: SavedView | None = None


def offer_view(market: Market, offer_id: str, query: OfferQuery, kept: Saved | None = None) -> OfferView:
    """The page of an offer, also of one that was withdrawn.

    Raises:
        NotFound: there is and was no such offer.
        BadInput: the run cannot be answered as asked.
    """
    record, withdrawn_at = market.remembered(offer_id)
    row, path = market.row_of(record, withdrawn_at), f"/offers/{offer_id}"
    money = Units.in_currency(dict(query.view).get(CURRENCY), market.board)
    explanation = (
        market.explain_remembered(record, withdrawn_at, query.run) if query.run is not None else None
    )
    return OfferView(
        row=row,
        money=money,
        groups=_facts(row, money, market.clock()),
        history=offer_history(market.price_points(offer_id), row.record.observed_at),
        question=question_of(query.to_params(), {}, False),
        terms=market.catalog.terms(row.record.provider),
        explanation=explanation,
        bar=bar_of(explanation.memory, explanation.usable_gib)
        if explanation is not None and explanation.memory is not None
        else None,
        levers=lever_links(query, explanation.levers, path) if explanation is not None else (),
        links=_links(query, row, explanation),
        neighbours=neighbour_picks(market, query, explanation.beside or {}, money)
        if explanation is not None
        else (),
        withdrawn_at=withdrawn_at,
        saved=saved_view(market, query, row, withdrawn_at, explanation, kept),
    )


def _facts(row: OfferRow, money: Units, now: datetime) -> tuple[tuple[str, tuple[Fact, ...]], ...]:
    groups = []
    for name, title in GROUPS.items():
        columns = [c for c in COLUMNS if c.group == name and not c.needs_run and c.name not in TITLED]
        facts = tuple(Fact(money.heading(column), _text(column, row, money, now)) for column in columns)
        if facts:
            groups.append((title, facts))
    return tuple(groups)


def _text(column: Column, row: OfferRow, money: Units, now: datetime) -> str | None:
    return plain_text(column, money.value(column, row.record, row[column.name]), now) or None


def _links(query: OfferQuery, row: OfferRow, explanation: Any) -> Mapping[str, str]:
    same = {"accelerator": row.record.accelerator, "accelerator_count": f"{row.record.accelerator_count:g}"}
    run = run_alone(query)
    links = {
        "table": href(run),
        "compare": compare_href(run, [row.id], False),
        "fit": href(run, "/fit"),
        "api": f"/api/v1/offers/{row.id}",
        "alike": href(run.with_(**{name: value for name, value in same.items() if value})),
    }
    for name, other in ((explanation.beside or {}) if explanation is not None else {}).items():
        if other is not None:
            links[name] = href(run, f"/offers/{other}")
    return links
