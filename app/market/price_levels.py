"""What accelerators cost now: low, median and high, spread between providers, per unit, and what commitment saves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from statistics import median
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from app.domain.accelerator import Accelerator
from app.domain.record import OfferRecord
from app.market.board import Board, CodeArray, FloatArray, Mask, per_board

if TYPE_CHECKING:
    from app.catalog import Catalog

Rows = npt.NDArray[np.int64]
PRICE = "price_usd_per_accelerator_hour"
TERMS = (12, 36)
"""Months of commitment whose discount is shown."""


@dataclass(frozen=True, slots=True)
class ProviderLow:
    """The cheapest offer of one provider, USD per accelerator-hour, and how many it has."""

    record: OfferRecord
    usd: float
    offers: int


@dataclass(frozen=True, slots=True)
class Level:
    """An accelerator under one purchase option, USD per accelerator-hour, whole cards only. `median` is the median of
    the providers' medians. `flagged` offers are left out; `unpriced` ones state no price. `providers`: cheapest first.
    `oldest` and `newest` are when the prices were said."""

    card: Accelerator
    low: float
    median: float
    high: float
    offers: int
    flagged: int
    unpriced: int
    providers: Sequence[ProviderLow]
    oldest: datetime
    newest: datetime

    @property
    def cheapest(self) -> ProviderLow:
        """The provider with the lowest price."""
        return self.providers[0]

    @property
    def dearest(self) -> ProviderLow:
        """The provider whose cheapest offer costs most."""
        return self.providers[-1]

    @property
    def middle(self) -> float:
        """Median of the providers' cheapest offers."""
        return median(one.usd for one in self.providers)

    @property
    def ratio(self) -> float | None:
        """The dearest provider's cheapest offer over the cheapest provider's; None with a single provider."""
        return self.dearest.usd / self.cheapest.usd if len(self.providers) > 1 else None

    @property
    def usd_per_gib_hour(self) -> float | None:
        """The lowest price per GiB of memory that the driver reports; None where that is not known."""
        return self.low / self.card.memory_gib if self.card.memory_gib else None

    @property
    def usd_per_tflops_hour(self) -> float | None:
        """The lowest price per dense BF16 TFLOPS; None where the data sheet states none."""
        return self.low / self.card.bf16_tflops if self.card.bf16_tflops else None


@dataclass(frozen=True, slots=True)
class Discount:
    """How much less than on demand, as a share: the median over providers of the medians over the same machines (same
    provider, instance type and region); None where there are no two such offers. `offers` were compared, whose prices
    were said between `oldest` and `newest`."""

    share: float | None = None
    offers: int = 0
    providers: int = 0
    oldest: datetime | None = None
    newest: datetime | None = None


@dataclass(frozen=True, slots=True)
class Discounts:
    """What one accelerator costs less as spot, and reserved for 12 and 36 months."""

    card: Accelerator
    spot: Discount
    reserved: Mapping[int, Discount]

    @property
    def oldest(self) -> datetime:
        """The oldest price that was compared."""
        return min(one.oldest for one in (self.spot, *self.reserved.values()) if one.oldest)

    @property
    def newest(self) -> datetime:
        """The newest price that was compared."""
        return max(one.newest for one in (self.spot, *self.reserved.values()) if one.newest)


@per_board(10)
def levels(board: Board, catalog: Catalog, option: str) -> Sequence[Level]:
    """Every accelerator with a sound price under this purchase option, by name."""
    ours = _whole(board, catalog) & board.texts["purchase_option"].where(lambda name: name == option)
    words = board.texts["accelerator"]
    prices = board.numbers[PRICE]
    rows = np.flatnonzero(ours)
    rows = rows[np.lexsort((prices[rows], board.texts["provider"].codes[rows], words.codes[rows]))]
    found = [
        level
        for code, group in _runs(words.codes[rows], rows)
        if (level := _level(board, catalog.accelerator(words.names[code]), group)) is not None
    ]
    return sorted(found, key=lambda level: level.card.name)


@per_board(2)
def discounts(board: Board, catalog: Catalog) -> Sequence[Discounts]:
    """What spot and commitment save, for every accelerator where the same machine is also sold on demand, by name."""
    sound = _whole(board, catalog) & ~np.isnan(board.numbers[PRICE]) & (board.numbers["flagged"] != 1.0)
    machine = _machine_numbers(board)
    usual = np.full(int(machine.max(initial=-1)) + 1, np.inf)
    listed = sound & board.texts["purchase_option"].where(lambda name: name == "on_demand")
    np.minimum.at(usual, machine[listed], board.numbers[PRICE][listed])
    usual[np.isinf(usual)] = np.nan
    shares = np.where(sound, 1 - board.numbers[PRICE] / usual[machine], np.nan)
    spot = _by_accelerator(board, shares, "spot", None)
    reserved = {months: _by_accelerator(board, shares, "reserved", months) for months in TERMS}
    keys = spot.keys() | {key for found in reserved.values() for key in found}
    none = Discount()
    return sorted(
        (
            Discounts(
                catalog.accelerator(key),
                spot.get(key, none),
                {months: found.get(key, none) for months, found in reserved.items()},
            )
            for key in keys
        ),
        key=lambda one: one.card.name,
    )


def _whole(board: Board, catalog: Catalog) -> Mask:
    """Whole cards whose name is known, to the present catalog too."""
    known = board.texts["accelerator_status"].where(lambda status: status == "known")
    return known & board.texts["accelerator"].where(lambda key: key in catalog.accelerators)


def _runs(codes: CodeArray, rows: Rows) -> Iterator[tuple[int, Rows]]:
    """Stretches of rows whose code (sorted) is the same."""
    if len(rows):
        found, starts = np.unique(codes, return_index=True)
        yield from zip(found.tolist(), np.split(rows, starts[1:]), strict=True)


def _level(board: Board, card: Accelerator, rows: Rows) -> Level | None:
    """`rows`: all offers of one accelerator, by provider and then by price."""
    priced = rows[~np.isnan(board.numbers[PRICE][rows])]
    sound = priced[board.numbers["flagged"][priced] != 1.0]
    if not len(sound):
        return None
    prices, seen = board.numbers[PRICE][sound], board.numbers["observed_at"][sound]
    by_provider = [group for _, group in _runs(board.texts["provider"].codes[sound], sound)]
    lows = [
        ProviderLow(board.records[int(group[0])], float(board.numbers[PRICE][group[0]]), len(group))
        for group in by_provider
    ]
    return Level(
        card=card,
        low=float(prices.min()),
        median=median(float(np.median(board.numbers[PRICE][group])) for group in by_provider),
        high=float(prices.max()),
        offers=len(sound),
        flagged=len(priced) - len(sound),
        unpriced=len(rows) - len(priced),
        providers=sorted(lows, key=lambda low: (low.usd, low.record.provider)),
        oldest=_moment(seen.min()),
        newest=_moment(seen.max()),
    )


def _machine_numbers(board: Board) -> Rows:
    """For every row the number of its machine: same provider, instance type and region."""
    words = [board.texts[name] for name in ("provider", "instance_type", "region")]
    number = np.zeros(len(board), np.int64)
    for one in words:
        number = number * (len(one.names) + 1) + one.codes + 1
    return np.unique(number, return_inverse=True)[1].astype(np.int64)


def _by_accelerator(board: Board, shares: FloatArray, option: str, months: int | None) -> dict[str, Discount]:
    compared = ~np.isnan(shares) & board.texts["purchase_option"].where(lambda name: name == option)
    if months is not None:
        compared &= board.numbers["term_months"] == months
    words = board.texts["accelerator"]
    rows = np.flatnonzero(compared)
    rows = rows[np.lexsort((board.texts["provider"].codes[rows], words.codes[rows]))]
    return {
        words.names[code]: _discount(board, shares, group) for code, group in _runs(words.codes[rows], rows)
    }


def _discount(board: Board, shares: FloatArray, rows: Rows) -> Discount:
    told = [np.median(shares[group]) for _, group in _runs(board.texts["provider"].codes[rows], rows)]
    seen = board.numbers["observed_at"][rows]
    return Discount(float(np.median(told)), len(rows), len(told), _moment(seen.min()), _moment(seen.max()))


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(float(seconds), UTC)
