"""The lesson on spot: what it saves today, what is published on interruptions, how far apart checkpoints should be."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

import numpy as np

from app.domain.coded import FloatArray, RowArray, distinct_rows, word_key
from app.domain.record import OfferRecord
from app.domain.units import SECONDS_PER_HOUR
from app.market.board import Board
from app.market.costs import per_hour
from app.market.lessons.basis import FULL_8B, Basis, providers_of, question, run_of
from app.training.assumptions_cost import cost_assumption
from app.training.interruption import Stops, expected
from app.training.resilience import Resilience

if TYPE_CHECKING:
    from app.catalog import ProviderTerms
    from app.catalog.interruptions import InterruptionBand
    from app.market.service import Market

MOST_ROWS = 8
INTERVALS_MIN = (5.0, 15.0, 30.0, 60.0, 120.0, 240.0)
LONG_HOURS = 1000.0
"""Long enough that the last, shorter interval does not count."""
_PLACE = ("provider", "instance_type", "region", "zone", "tier", "native_id")


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Rows of spot offers, rows of the same machines on demand, and by which share of its price the first is below the
    second; all (pairs,)."""

    spot: RowArray
    on_demand: RowArray
    shares: FloatArray

    def __len__(self) -> int:
        return len(self.spot)


@dataclass(frozen=True, slots=True)
class Discount:
    """Spot below on demand for the same machine at the same place, as shares of the on-demand price: `pairs` of them,
    their middle and their tenth and ninetieth hundredth. `basis` are the spot offers of this accelerator."""

    accelerator: str
    pairs: int
    low: float
    middle: float
    high: float
    basis: Basis


@dataclass(frozen=True, slots=True)
class Band:
    """A published share of spot instances taken back in a month, its hourly rate (a bound from below), and how many
    spot offers of these instances are on the board."""

    provider: str
    instances: str
    low: float
    high: float | None
    per_hour: float
    as_of: date
    source: str
    offers: int


@dataclass(frozen=True, slots=True)
class IntervalRow:
    """One time between checkpoints; `lost` = expected time beyond undisturbed training as a share of it, at the low,
    expected and high rate."""

    minutes: float
    lost: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class SpotLesson:
    """`pairs` over all accelerators with their middle `discount`, None without any; `example` = the cheapest spot offer
    that holds the run (None where none does) with what interruptions do to it; `on_demand_usd` = the cheapest
    on-demand total beside it, `spot_usd` its own; `rates` per node and hour as assumed: low, expected, high."""

    pairs: int
    discount: float | None
    discounts: tuple[Discount, ...]
    bands: tuple[Band, ...]
    example: OfferRecord | None
    resilience: Resilience | None
    spot_usd: float | None
    on_demand: OfferRecord | None
    on_demand_usd: float | None
    intervals: tuple[IntervalRow, ...]
    run_query: str
    model: str
    rates: tuple[float, float, float]


def spot_lesson(market: Market) -> SpotLesson:
    """Live discounts, published interruptions, and the best interval for one run."""
    pairs = spot_pairs(market.board)
    example, spot_usd = _cheapest(market, "spot")
    beside, on_demand_usd = _cheapest(market, "on_demand")
    found = market.explain(example.id, run_of(**FULL_8B)).resilience if example else None
    rate = cost_assumption("spot.stops")
    return SpotLesson(
        pairs=len(pairs),
        discount=float(np.median(pairs.shares)) if len(pairs) else None,
        discounts=_discounts(market, pairs),
        bands=_bands(market),
        example=example,
        resilience=found,
        spot_usd=spot_usd,
        on_demand=beside,
        on_demand_usd=on_demand_usd,
        intervals=interval_rows(found) if found else (),
        run_query=question(**FULL_8B).to_query_string(),
        model=market.catalog.model(FULL_8B["model"]).name,
        rates=(rate.low, rate.value, rate.high),
    )


def spot_pairs(board: Board) -> Pairs:
    """Spot beside on demand of the same whole machine at the same place and tier; flagged prices take no part."""
    sound = board.texts["accelerator_status"].where("known".__eq__) & (board.numbers["flagged"] != 1.0)
    sound &= board.numbers["price_usd_per_hour"] > 0
    bought = board.texts["purchase_option"]
    spot, usual = (np.flatnonzero(sound & bought.where(name.__eq__)) for name in ("spot", "on_demand"))
    _, place = distinct_rows([word_key(board.facts.words(name)) for name in _PLACE])
    first = np.full(len(board), -1, np.intp)
    first[place[usual[::-1]]] = usual[::-1]
    beside = first[place[spot]]
    spot, beside = spot[beside >= 0], beside[beside >= 0]
    prices = board.numbers["price_usd_per_hour"]
    return Pairs(spot, beside, 1.0 - prices[spot] / prices[beside])


def _discounts(market: Market, pairs: Pairs) -> tuple[Discount, ...]:
    words = market.board.texts["accelerator"]
    codes = words.codes[pairs.spot]
    counted = sorted(
        (-int(n), words.names[code], code)
        for code, n in zip(*np.unique(codes, return_counts=True), strict=True)
    )
    return tuple(_discount(market, key, pairs.shares[codes == code]) for _, key, code in counted[:MOST_ROWS])


def _discount(market: Market, key: str, shares: FloatArray) -> Discount:
    low, middle, high = map(float, np.quantile(shares, (0.1, 0.5, 0.9)))
    basis = Basis.of(market, accelerator=key, purchase_option="spot")
    return Discount(market.catalog.accelerator(key).name, len(shares), low, middle, high, basis)


def _bands(market: Market) -> tuple[Band, ...]:
    return tuple(
        Band(
            provider=market.catalog.provider_name(slug),
            instances=band.instances,
            low=band.share_low,
            high=band.share_high,
            per_hour=per_hour(band),
            as_of=band.as_of,
            source=band.source,
            offers=_spot_offers(market.board, terms, band),
        )
        for slug in providers_of(market.board)
        for terms in [market.catalog.terms(slug)]
        for band in terms.interruptions
    )


def _spot_offers(board: Board, terms: ProviderTerms, band: InterruptionBand) -> int:
    texts = board.texts
    ours = texts["provider"].where(terms.provider.__eq__) & texts["purchase_option"].where("spot".__eq__)
    counts = np.bincount(texts["instance_type"].codes[ours])
    names = texts["instance_type"].names
    return sum(
        int(counts[code]) for code in np.flatnonzero(counts) if terms.interruption_band(names[code]) is band
    )


def _cheapest(market: Market, option: str) -> tuple[OfferRecord | None, float | None]:
    """The offer of this kind with the least total for the run, flagged prices left out."""
    query = question(**FULL_8B, purchase_option=option, flagged="0", per_page=1)
    rows = market.list_offers(query).rows
    return (rows[0].record, rows[0]["total_usd"]) if rows else (None, None)


def interval_rows(found: Resilience) -> tuple[IntervalRow, ...]:
    """What each interval costs at every rate of `found` (Daly 2006, eq. 9)."""
    rates = [case.per_node_per_hour for case in found.cases]
    return tuple(
        IntervalRow(minutes, tuple(_lost(found, rate, minutes) for rate in rates))
        for minutes in INTERVALS_MIN
    )


def _lost(found: Resilience, rate: float, minutes: float) -> float:
    one = np.asarray([1.0])
    taken = 0.0 if found.saves_on_notice else rate
    stops = Stops(
        rate=one * (found.failures_per_hour + taken),
        noticed=one * (rate - taken),
        save=one * found.stall_s / SECONDS_PER_HOUR,
        restart=one * found.restart_s / SECONDS_PER_HOUR,
    )
    run = expected(one * LONG_HOURS, stops, one * minutes / 60.0)
    return float(run.hours[0] / LONG_HOURS - 1.0)
