"""An estimate kept by its address: what it said on its day beside what it says today, and what moved it.

The address holds the day and the figures of that day. The price of the day is read from the price history where it
reaches back that far; the figures in the address stand in where it does not.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Literal

from app.domain.errors import BadInput
from app.domain.figures import not_a_number
from app.domain.record import OfferRecord
from app.domain.run import TrainingRun
from app.domain.sentence import N_, Sentence
from app.market.explain import Explanation
from app.market.methods import methods
from app.market.remembered import explain_at, price_on

if TYPE_CHECKING:
    from app.market.service import Market

PARAMETERS = ("as_of", "then_usd_per_hour", "then_hours", "then_total_usd", "then_method")
EARLIEST = date(2020, 1, 1)
SAME = 0.005
"""Figures that differ by less than this share count as unchanged."""


@dataclass(frozen=True, slots=True)
class Saved:
    """What an address says of its day; None where it does not say."""

    day: date
    usd_per_hour: float | None = None
    hours: float | None = None
    total_usd: float | None = None
    method: str | None = None

    @classmethod
    def parse(cls, given: Mapping[str, str], today: date) -> Saved | None:
        """The saved figures of an address; None where it keeps no day.

        Raises:
            BadInput: a day that is none, before EARLIEST or still to come, or a figure that cannot be.
        """
        text = given.get("as_of", "")
        if not text:
            return None
        try:
            day = date.fromisoformat(text)
        except ValueError:
            raise BadInput(
                "as_of", Sentence(N_("{value} is no day; write it as 2026-11-30"), {"value": repr(text[:60])})
            ) from None
        if day > today:
            raise BadInput("as_of", Sentence(N_("{day} is still to come"), {"day": day}))
        if day < EARLIEST:
            told = {"day": day, "first": EARLIEST}
            raise BadInput(
                "as_of", Sentence(N_("{day} is too long ago: no estimate is older than {first}"), told)
            )
        figures = {name: _figure(f"then_{name}", given) for name in ("usd_per_hour", "hours", "total_usd")}
        return cls(day=day, method=_method(given.get("then_method")), **figures)

    def to_params(self) -> dict[str, str]:
        """The address's parameters, in a fixed order."""
        told = (self.day.isoformat(), self.usd_per_hour, self.hours, self.total_usd, self.method)
        pairs = zip(PARAMETERS, told, strict=True)
        return {
            name: value if isinstance(value, str) else f"{value:.6g}"
            for name, value in pairs
            if value is not None
        }


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure then and now, None = unknown; `change` is the share by which it moved, None where it cannot be said."""

    name: Literal["usd_per_hour", "hours", "total_usd"]
    then: float | None
    now: float | None

    @property
    def change(self) -> float | None:
        """(now − then) ÷ then."""
        return None if not self.then or self.now is None else self.now / self.then - 1.0


@dataclass(frozen=True, slots=True)
class ThenAndNow:
    """A saved estimate beside today's. `price_from` says where the price of the day is from; `recomputed` = hours and
    total of the day are today's method at that day's price, because the address does not keep them. `causes` say what
    moved."""

    saved: Saved
    figures: tuple[Figure, ...]
    price_from: Literal["history", "link", "unknown"]
    recomputed: bool
    withdrawn_at: datetime | None
    causes: tuple[Sentence, ...]


def saved_now(explanation: Explanation, usd_per_hour: float | None, today: date) -> Saved:
    """Today's estimate as it is kept."""
    cost = explanation.cost
    hours, total = (cost.hours, cost.total_usd) if cost else (math.nan, math.nan)
    return Saved(today, usd_per_hour, _known(hours), _known(total), method_version())


def then_and_now(
    market: Market, record: OfferRecord, withdrawn_at: datetime | None, run: TrainingRun, saved: Saved
) -> ThenAndNow:
    """The saved estimate beside today's; an offer that was withdrawn has no today.

    Raises:
        BadInput: the run cannot be answered, or the offer was first seen after the day.
    """
    points = market.price_points(record.id)
    first = min([record.first_seen, *(point.at for point in points)]).date()
    if saved.day < first:
        text = N_("this offer was first seen on {first}: there was no estimate of it on {day}")
        raise BadInput("as_of", Sentence(text, {"day": saved.day, "first": first}))
    point = price_on(points, saved.day)
    price, told_by = (point.usd_per_hour, "history") if point else (saved.usd_per_hour, "link")
    again = _estimate(market, record, run, price)
    kept = saved.hours is not None or saved.total_usd is not None
    then = (saved.hours, saved.total_usd) if kept else again
    stands = withdrawn_at is None
    now_price = record.price_usd_per_hour if stands else None
    now = _estimate(market, record, run, now_price) if stands else (None, None)
    figures = (
        Figure("usd_per_hour", price, now_price),
        Figure("hours", then[0], now[0]),
        Figure("total_usd", then[1], now[1]),
    )
    return ThenAndNow(
        saved=saved,
        figures=figures,
        price_from="unknown" if price is None else "history" if told_by == "history" else "link",
        recomputed=not kept,
        withdrawn_at=withdrawn_at,
        causes=tuple(_causes(figures, withdrawn_at, saved, again[1])),
    )


@cache
def method_version() -> str:
    """Eight digits that change whenever a constant of the estimates does."""
    constants = [
        (item.name, item.value, item.low, item.high) for c in methods().chapters for item in c.assumptions
    ]
    return blake2b(repr(constants).encode(), digest_size=4).hexdigest()


def _estimate(
    market: Market, record: OfferRecord, run: TrainingRun, usd_per_hour: float | None
) -> tuple[float | None, float | None]:
    """Hours and total at a price, with today's method."""
    cost = explain_at(market, record, run, usd_per_hour).cost
    return (None, None) if cost is None else (_known(cost.hours), _known(cost.total_usd))


def _causes(
    figures: tuple[Figure, ...], withdrawn_at: datetime | None, saved: Saved, again_usd: float | None
) -> list[Sentence]:
    price, _, total = figures
    causes = []
    if withdrawn_at is not None:
        causes.append(Sentence(N_("The offer was withdrawn on {day}."), {"day": withdrawn_at.date()}))
    elif price.change is not None and abs(price.change) > SAME:
        text = N_("Its price rose by {share}.") if price.change > 0 else N_("Its price fell by {share}.")
        causes.append(Sentence(text, {"share": f"{abs(price.change) * 100:.1f} %"}))
    if saved.method is not None and saved.method != method_version():
        causes.append(Sentence(N_("The link says it was made with another version of our method.")))
    if saved.total_usd and again_usd is not None and abs(again_usd / saved.total_usd - 1) > SAME:
        text = N_("At the price of that day our present method says {usd} USD in all; the link says {then}.")
        causes.append(Sentence(text, {"usd": f"{again_usd:,.2f}", "then": f"{saved.total_usd:,.2f}"}))
    if not causes and total.now is not None:
        causes.append(Sentence(N_("Nothing moved.")))
    return causes


def _figure(name: str, given: Mapping[str, str]) -> float | None:
    text = given.get(name, "")
    if not text:
        return None
    if not re.fullmatch(r"\d+(\.\d*)?(e[+-]?\d{1,2})?", text, re.ASCII):
        raise BadInput(name, not_a_number(text))
    return float(text)


def _method(text: str | None) -> str | None:
    if text and not re.fullmatch(r"[0-9a-f]{8}", text):
        raise BadInput(
            "then_method", Sentence(N_("{value} is no version of the method"), {"value": repr(text[:60])})
        )
    return text or None


def _known(value: float) -> float | None:
    return value if math.isfinite(value) else None
