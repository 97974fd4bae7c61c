"""What interruptions would do to one offer: every rate that is plausible, the best checkpoint interval and one's own."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np
import numpy.typing as npt

from app.domain.units import SECONDS_PER_HOUR
from app.training.billing import Prices
from app.training.cost import CostTable, checkpoint_write_s, cost_of, stops_of, with_own_rate
from app.training.interruption import best_interval, daly_hours, young_hours
from app.training.work import Work

FloatArray = npt.NDArray[np.float64]
MINUTES_PER_HOUR = 60.0
LEVELS = ("low", "expected", "high")
RARE_PER_HOUR = 1e-6
"""Below: a stop in a hundred years; no interval between checkpoints is worth naming."""


@dataclass(frozen=True, slots=True)
class StopsCase:
    """The run at one rate of spot interruptions, per node and hour; its speed is the expected one in all of them.

    `stops` are expected, hardware failures included; `on_time` = probability of finishing by the deadline, None
    without one; `best_minutes` = best time between checkpoints, None where next to nothing interrupts.
    """

    level: str
    per_node_per_hour: float
    stops: float
    hours: float
    total_usd: float | None
    best_minutes: float | None
    on_time: float | None


@dataclass(frozen=True, slots=True)
class Resilience:
    """One offer under interruptions. Times in the unit of their names; `failures_per_hour` of the whole job.

    `write_s` one checkpoint, of which `stall_s` stop training; `restart_s` from a stop to training again.
    `young_minutes`, `daly_minutes` and `best_minutes` (the exact minimum) hold at the expected rate. `used_minutes`
    is what the estimate takes: `own_minutes` where given, else the best; `own_costs_hours` what that choice adds.
    """

    spot: bool
    cases: tuple[StopsCase, ...]
    failures_per_hour: float
    write_s: float
    stall_s: float
    restart_s: float
    notice_s: float
    saves_on_notice: bool
    young_minutes: float | None
    daly_minutes: float | None
    best_minutes: float | None
    used_minutes: float
    own_minutes: float | None
    own_costs_hours: float | None


def resilience_of(work: Work, prices: Prices) -> Resilience:
    """The interruptions of the first offer of `prices`, with the work at its expected speed.

    Young 1974: sqrt(2 C / Λ); Daly 2006: the higher-order form; both beside the exact minimum that is used.

    Raises:
        BadInput: as `cost_of`.
    """
    work, one = _first(work), with_own_rate(work, _row(prices))
    rates = {"low": one.low_stops, "expected": one.stops, "high": one.high_stops}
    spot = bool(one.high_stops[0] > 0)
    levels = LEVELS if spot and one.low_stops[0] < one.high_stops[0] else ("expected",)
    own = work.checkpoint_minutes
    expected = cost_of(work, one)
    best = expected if own is None else cost_of(replace(work, checkpoint_minutes=None), one)
    stops = stops_of(work, one, one.stops)
    often = bool(stops.rate[0] > RARE_PER_HOUR)
    write = checkpoint_write_s(work, one)
    return Resilience(
        spot=spot,
        cases=tuple(_case(level, rates[level], work, one) for level in levels),
        failures_per_hour=float(stops_of(work, one, one.stops * 0.0).rate[0]),
        write_s=float(write[0]),
        stall_s=float(stops.save[0] * SECONDS_PER_HOUR),
        restart_s=float(stops.restart[0] * SECONDS_PER_HOUR),
        notice_s=float(one.notice_s[0]),
        saves_on_notice=bool(write[0] <= one.notice_s[0]),
        young_minutes=_minutes(young_hours(stops.save, stops.rate)) if often else None,
        daly_minutes=_minutes(daly_hours(stops.save, stops.rate)) if often else None,
        best_minutes=_minutes(best_interval(stops.save, stops.rate)) if often else None,
        used_minutes=float(expected.checkpoint_minutes[0]),
        own_minutes=own,
        own_costs_hours=None if own is None else float(expected.hours[0] - best.hours[0]),
    )


def _case(level: str, rate: FloatArray, work: Work, prices: Prices) -> StopsCase:
    table: CostTable = cost_of(work, replace(prices, stops=rate, low_stops=rate, high_stops=rate))
    stops = stops_of(work, prices, rate)
    return StopsCase(
        level=level,
        per_node_per_hour=float(rate[0]),
        stops=float(table.interruptions[0]),
        hours=float(table.hours[0]),
        total_usd=_known(float(table.total_usd[0])),
        best_minutes=_minutes(best_interval(stops.save, stops.rate))
        if stops.rate[0] > RARE_PER_HOUR
        else None,
        on_time=_known(float(table.on_time[0])),
    )


def _row(prices: Prices) -> Prices:
    return replace(prices, **{f.name: getattr(prices, f.name)[:1] for f in fields(prices)})


def _first(work: Work) -> Work:
    rate = work.tokens_per_s[:1]
    return replace(work, tokens_per_s=rate, low_tokens_per_s=rate, high_tokens_per_s=rate)


def _minutes(hours: FloatArray) -> float | None:
    return float(hours[0] * MINUTES_PER_HOUR) if np.isfinite(hours[0]) else None


def _known(value: float) -> float | None:
    return value if np.isfinite(value) else None
