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
from app.market.service import Market
from app.web.bars import MemoryBar, bar_of
from app.web.cells import plain_text
from app.web.choices import Pick, neighbour_picks
from app.web.fit import LeverLink, lever_links
from app.web.question import Question, href, question_of, run_alone

TITLED = ("id", "accelerator_label", "source_url", "provider", "flags", "first_seen")


@dataclass(frozen=True, slots=True)
class Fact:
    """One line of the data sheet; `text` None = unknown."""

    column: Column
    text: str | None


@dataclass(frozen=True, slots=True)
class OfferView:
    """What `offer.html` shows. `explanation` and what follows it only with a run."""

    row: OfferRow
    groups: tuple[tuple[str, tuple[Fact, ...]], ...]
    points: tuple[Any, ...]
    prices: tuple[tuple[datetime, float], ...]
    question: Question
    terms: Any
    explanation: Any = None
    bar: MemoryBar | None = None
    levers: tuple[LeverLink, ...] = ()
    links: Mapping[str, str] | None = None
    neighbours: tuple[Pick, ...] = ()


def offer_view(market: Market, offer_id: str, query: OfferQuery) -> OfferView:
    """The page of an offer.

    Raises:
        NotFound: there is no such offer now.
        BadInput: the run cannot be answered as asked.
    """
    row, path = market.get_offer(offer_id), f"/offers/{offer_id}"
    points = tuple(market.price_points(offer_id))
    explanation = market.explain(offer_id, query.run) if query.run is not None else None
    return OfferView(
        row=row,
        groups=_facts(row, market.clock()),
        points=points,
        prices=_prices(points, market.clock()),
        question=question_of(query.to_params(), {}, False),
        terms=market.catalog.terms(row.record.provider),
        explanation=explanation,
        bar=bar_of(explanation.memory, explanation.usable_gib)
        if explanation is not None and explanation.memory is not None
        else None,
        levers=lever_links(query, explanation.levers, path) if explanation is not None else (),
        links=_links(query, row, explanation),
        neighbours=neighbour_picks(market, query, explanation.beside or {})
        if explanation is not None
        else (),
    )


def _facts(row: OfferRow, now: datetime) -> tuple[tuple[str, tuple[Fact, ...]], ...]:
    groups = []
    for name, title in GROUPS.items():
        columns = [c for c in COLUMNS if c.group == name and not c.needs_run and c.name not in TITLED]
        facts = tuple(Fact(column, plain_text(column, row[column.name], now) or None) for column in columns)
        if facts:
            groups.append((title, facts))
    return tuple(groups)


def _prices(points: tuple[Any, ...], now: datetime) -> tuple[tuple[datetime, float], ...]:
    """(moment, USD/h) of known prices, drawn on to the present; fewer than two changes make no picture."""
    known = [(point.at, point.usd_per_hour) for point in points if point.usd_per_hour is not None]
    return (*known, (now, known[-1][1])) if len(known) > 1 else ()


def _links(query: OfferQuery, row: OfferRow, explanation: Any) -> Mapping[str, str]:
    same = {"accelerator": row.record.accelerator, "accelerator_count": f"{row.record.accelerator_count:g}"}
    run = run_alone(query)
    links = {
        "table": href(run),
        "fit": href(run, "/fit"),
        "api": f"/api/v1/offers/{row.id}",
        "alike": href(run.with_(**{name: value for name, value in same.items() if value})),
    }
    for name, other in ((explanation.beside or {}) if explanation is not None else {}).items():
        if other is not None:
            links[name] = href(run, f"/offers/{other}")
    return links
