"""A saved estimate as a view: the address that keeps today's figures, and those of another day beside today's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from app.domain.sentence import N_
from app.market.offers import OfferRow
from app.market.query import OfferQuery
from app.market.saved import PARAMETERS, Figure, Saved, ThenAndNow, saved_now, then_and_now
from app.market.service import Market
from app.web import formatting
from app.web.choices import words_of
from app.web.question import href, run_alone

LABELS: Mapping[str, str] = {
    "usd_per_hour": N_("Price of the whole instance"),
    "hours": N_("Time to finish"),
    "total_usd": N_("Total cost"),
}
UNITS: Mapping[str, str] = {"usd_per_hour": N_("USD/h"), "hours": N_("h"), "total_usd": "USD"}
_WRITE = {
    "usd_per_hour": formatting.usd_per_hour,
    "hours": formatting.hours,
    "total_usd": formatting.usd,
}


@dataclass(frozen=True, slots=True)
class Line:
    """One figure as people read it; None = unknown. `rose` tells the direction of `change`."""

    label: str
    unit: str
    then: str | None
    now: str | None
    change: str | None
    rose: bool


@dataclass(frozen=True, slots=True)
class SavedView:
    """`keep_href` is the address that keeps today's estimate (None where there is none to keep), `title` its name;
    `told` and `lines` are there at an address that keeps one already, `today_href` is the page without it."""

    keep_href: str | None
    title: str
    today_href: str
    told: ThenAndNow | None = None
    lines: tuple[Line, ...] = ()


def split(asked: Mapping[str, list[str]]) -> tuple[dict[str, list[str]], dict[str, str]]:
    """The question and, apart from it, what an address keeps of another day."""
    kept = {name: values[-1].strip() for name, values in asked.items() if name in PARAMETERS}
    return {name: values for name, values in asked.items() if name not in PARAMETERS}, kept


def saved_view(
    market: Market,
    query: OfferQuery,
    row: OfferRow,
    withdrawn_at: datetime | None,
    explanation: Any,
    kept: Saved | None,
) -> SavedView | None:
    """What the page of an offer says about saving; None without a run."""
    if query.run is None:
        return None
    path = f"/offers/{row.id}"
    told = then_and_now(market, row.record, withdrawn_at, query.run, kept) if kept is not None else None
    return SavedView(
        keep_href=_keep_href(market, query, row, explanation) if withdrawn_at is None else None,
        title=_title(market, query, row),
        today_href=href(run_alone(query), path),
        told=told,
        lines=tuple(map(_line, told.figures)) if told is not None else (),
    )


def _title(market: Market, query: OfferQuery, row: OfferRow) -> str:
    """What a bookmark is called: model, offer and day."""
    model = query.run.model if query.run is not None else None
    shape = market.catalog.models.get(model or "")
    named = (shape.name if shape else model, words_of(row.record), market.clock().date().isoformat())
    return " · ".join(part for part in named if part)


def _keep_href(market: Market, query: OfferQuery, row: OfferRow, explanation: Any) -> str | None:
    if explanation.cost is None:
        return None
    kept = saved_now(explanation, row.record.price_usd_per_hour, market.clock().date())
    run = run_alone(query).to_params()
    return f"/offers/{row.id}?{urlencode({**run, **kept.to_params()}, doseq=True)}"


def _line(figure: Figure) -> Line:
    write, change = _WRITE[figure.name], figure.change
    return Line(
        label=LABELS[figure.name],
        unit=UNITS[figure.name],
        then=write(figure.then),
        now=write(figure.now),
        change=None if change is None else formatting.percent(abs(change)),
        rose=bool(change and change > 0),
    )
