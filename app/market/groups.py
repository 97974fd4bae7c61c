"""Offers gathered by accelerator, provider, region or country: how many, from whom, and between which prices.

Their prices are of one accelerator, and so is their order where offers are ordered by price: the column of the lowest
rises, in the other direction that of the highest falls.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from app.domain.sentence import Sentence
from app.market.board import Coded, FloatArray
from app.market.columns import BY_NAME
from app.market.filters import UNKNOWN
from app.market.frame import Frame
from app.market.units import Units

PRICE, TOTAL = BY_NAME["price_usd_per_accelerator_hour"], BY_NAME["total_usd"]
Rows = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Group:
    """One group. `value` filters for it (`unknown` is the blank); prices are of one accelerator, in the units that were
    asked for, `total` the cheapest run on an offer of the group; None where no offer states one."""

    value: str
    label: str | Sentence
    offers: int
    providers: int
    accelerators: int
    low: float | None
    median: float | None
    high: float | None
    total: float | None = None


def fields_of(group: Group, units: Units, with_run: bool) -> Mapping[str, object]:
    """A group as exports name it; the names of amounts say their units."""
    price, total = units.heading(PRICE).name, units.heading(TOTAL).name
    told = {name: getattr(group, name) for name in ("value", "label", "offers", "providers", "accelerators")}
    told |= {f"{price}_{name}": getattr(group, name) for name in ("low", "median", "high")}
    return told | ({f"{total}_low": group.total} if with_run else {})


def groups_of(frame: Frame, by: str, rows: Rows, units: Units) -> tuple[Group, ...]:
    """The groups of these board rows, each where its first row stands."""
    coded = frame.facet(by)
    codes = coded.codes[rows]
    prices = units.numbers(frame, PRICE)
    totals = units.numbers(frame, TOTAL) if frame.estimates is not None else None
    labels = frame.board.labels.get(by, {})
    firsts = {int(code): place for place, code in reversed(list(enumerate(codes.tolist())))}
    return tuple(
        _group(frame, _name(coded, code), labels, rows[codes == code], (prices, totals))
        for code in sorted(firsts, key=firsts.__getitem__)
    )


def _name(coded: Coded, code: int) -> str:
    return coded.names[code] if code >= 0 else UNKNOWN


def _group(
    frame: Frame,
    value: str,
    labels: Mapping[str, str | Sentence],
    rows: Rows,
    amounts: tuple[FloatArray, FloatArray | None],
) -> Group:
    prices, totals = _known(amounts[0][rows]), () if amounts[1] is None else _known(amounts[1][rows])
    return Group(
        value=value,
        label=labels.get(value, value),
        offers=len(rows),
        providers=_distinct(frame, "provider", rows),
        accelerators=_distinct(frame, "accelerator", rows),
        low=min(prices, default=None),
        median=round(float(np.median(prices)), 6) if prices else None,
        high=max(prices, default=None),
        total=min(totals, default=None),
    )


def _known(amounts: FloatArray) -> Sequence[float]:
    known: list[float] = amounts[~np.isnan(amounts)].round(6).tolist()
    return known


def _distinct(frame: Frame, name: str, rows: Rows) -> int:
    codes = np.unique(frame.facet(name).codes[rows])
    return int(np.count_nonzero(codes >= 0))
