"""The lesson on spot: what it saves today, what is published on interruptions, how far apart checkpoints should be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from statistics import median, quantiles
from typing import TYPE_CHECKING

import numpy as np

from app.domain.record import OfferRecord
from app.domain.units import SECONDS_PER_HOUR
from app.market.costs import per_hour
from app.market.lessons.basis import FULL_8B, Basis, question, run_of
from app.training.assumptions_cost import cost_assumption
from app.training.interruption import Stops, expected
from app.training.resilience import Resilience

if TYPE_CHECKING:
    from app.market.service import Market

MOST_ROWS = 8
INTERVALS_MIN = (5.0, 15.0, 30.0, 60.0, 120.0, 240.0)
LONG_HOURS = 1000.0
"""Long enough that the last, shorter interval does not count."""
Pair = tuple[OfferRecord, OfferRecord]


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
    pairs = spot_pairs(market.board.records)
    shares = [_share(pair) for pair in pairs]
    example, spot_usd = _cheapest(market, "spot")
    beside, on_demand_usd = _cheapest(market, "on_demand")
    found = market.explain(example.id, run_of(**FULL_8B)).resilience if example else None
    rate = cost_assumption("spot.stops")
    return SpotLesson(
        pairs=len(pairs),
        discount=median(shares) if shares else None,
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


def spot_pairs(records: Sequence[OfferRecord]) -> list[Pair]:
    """(spot, on demand) of the same whole machine at the same place and tier; flagged prices take no part."""
    on_demand: dict[tuple[object, ...], OfferRecord] = {}
    spot: list[OfferRecord] = []
    for record in records:
        if record.flags or not record.price_usd_per_hour or record.accelerator_status != "known":
            continue
        if record.purchase_option == "on_demand":
            on_demand.setdefault(_place(record), record)
        elif record.purchase_option == "spot":
            spot.append(record)
    return [(record, on_demand[_place(record)]) for record in spot if _place(record) in on_demand]


def _place(record: OfferRecord) -> tuple[object, ...]:
    return record.provider, record.instance_type, record.region, record.zone, record.tier, record.native_id


def _share(pair: Pair) -> float:
    spot, full = pair
    return 1.0 - (spot.price_usd_per_hour or 0.0) / (full.price_usd_per_hour or 1.0)


def _discounts(market: Market, pairs: Sequence[Pair]) -> tuple[Discount, ...]:
    by_card: dict[str, list[float]] = {}
    for pair in pairs:
        by_card.setdefault(pair[0].accelerator or "", []).append(_share(pair))
    common = sorted(by_card.items(), key=lambda entry: (-len(entry[1]), entry[0]))[:MOST_ROWS]
    return tuple(_discount(market, key, shares) for key, shares in common)


def _discount(market: Market, key: str, shares: Sequence[float]) -> Discount:
    edges = quantiles(shares, n=10, method="inclusive") if len(shares) > 1 else [shares[0]] * 9
    basis = Basis.of(market, accelerator=key, purchase_option="spot")
    name = market.catalog.accelerator(key).name
    return Discount(name, len(shares), edges[0], median(shares), edges[-1], basis)


def _bands(market: Market) -> tuple[Band, ...]:
    spot: dict[str, list[str]] = {}
    for record in market.board.records:
        names = spot.setdefault(record.provider, [])
        if record.purchase_option == "spot":
            names.append(record.instance_type)
    return tuple(
        Band(
            provider=market.catalog.provider_name(slug),
            instances=band.instances,
            low=band.share_low,
            high=band.share_high,
            per_hour=per_hour(band),
            as_of=band.as_of,
            source=band.source,
            offers=sum(market.catalog.terms(slug).interruption_band(name) is band for name in names),
        )
        for slug, names in sorted(spot.items())
        for band in market.catalog.terms(slug).interruptions
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
