"""The price index: how the same offers' prices moved from one recorded day to the next, chained.

Each link is the geometric mean over providers of the geometric mean of price ratios, over the offers that the same
source lists on both days, in their own currency. So a provider that enters or leaves does not move it, nor does one
with many regions outvote the rest, nor an exchange rate. (Jevons index on matched models, chained: ILO and others,
Consumer Price Index Manual, 2020, chapters 8 and 11.)
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

BASE = 100.0

Group = tuple[str, str]
"""Accelerator and purchase option."""


class Quote(NamedTuple):
    """What one source (`via`) says on one day of one offer of whole, known accelerators. `native` is the price of the
    instance per hour with the upfront spread, in `currency`; `usd` that of one accelerator, at the rate of that day;
    None = unknown. `rank` orders sources of one offer, the best is 0."""

    offer: str
    via: str
    provider: str
    accelerator: str
    purchase_option: str
    native: float | None
    currency: str
    usd: float | None
    rank: int = 0
    flagged: bool = False

    @property
    def group(self) -> Group:
        """What it is compared within."""
        return self.accelerator, self.purchase_option


@dataclass(frozen=True, slots=True)
class Link:
    """From one day to a later one: the mean logarithm of price ratios, over so many offers of so many providers."""

    log_change: float
    offers: int
    providers: int


@dataclass(frozen=True, slots=True)
class Step:
    """A recorded day of an accelerator and purchase option; `link` None = no offer stands on the recorded day before
    too."""

    day: date
    link: Link | None


@dataclass(frozen=True, slots=True)
class IndexPoint:
    """The index on a day, 100 on the first; over how many offers and providers it was carried there."""

    day: date
    value: float
    offers: int
    providers: int


def links(before: Iterable[Quote], after: Iterable[Quote]) -> dict[Group, Link]:
    """The link of every accelerator and purchase option that has an offer, priced by the same source, on both days."""
    earlier = {(quote.offer, quote.via): quote for quote in before}
    moves: dict[Group, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for quote in after:
        old = earlier.get((quote.offer, quote.via))
        ratio = None if old is None else price_ratio(old, quote)
        if ratio is not None:
            moves[quote.group][quote.provider].append(math.log(ratio))
    return {
        group: Link(
            log_change=_mean([_mean(changes) for changes in by_provider.values()]),
            offers=sum(map(len, by_provider.values())),
            providers=len(by_provider),
        )
        for group, by_provider in moves.items()
    }


def price_ratio(old: Quote, new: Quote) -> float | None:
    """New over old price: in their own currency where that is the same, else in USD; None where one is unknown."""
    same = old.currency == new.currency
    first, second = (old.native, new.native) if same else (old.usd, new.usd)
    return second / first if first and second else None


def chain(steps: Sequence[Step]) -> list[IndexPoint]:
    """The index over the days (oldest first). Where no offer links a day to the one before, it begins anew: this is its
    newest stretch of at least two days, or the last day alone."""
    finished: list[IndexPoint] = []
    points: list[IndexPoint] = []
    for step in steps:
        if step.link is None or not points:
            finished = points if len(points) > 1 else finished
            points = [IndexPoint(step.day, BASE, 0, 0)]
            continue
        value = points[-1].value * math.exp(step.link.log_change)
        points.append(IndexPoint(step.day, value, step.link.offers, step.link.providers))
    return finished if finished and len(points) < 2 else points


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)
