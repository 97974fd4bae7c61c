"""What a run costs in the end: every term from start-up to egress, low, expected and high.

`cost_of` serves thousands of offers at once; `breakdown` explains one of them from the same figures.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np
import numpy.typing as npt

from app.domain.figures import plain
from app.domain.sentence import N_, Sentence
from app.domain.units import HOURS_PER_MONTH, SECONDS_PER_HOUR
from app.training.assumptions_cost import cost_assumption
from app.training.billing import BillingTerms, Prices, billed, prices_of
from app.training.interruption import Interrupted, Stops, chance_within, expected
from app.training.work import Work, check, realised_share, work_of

FloatArray = npt.NDArray[np.float64]

__all__ = [
    "BillingTerms",
    "CostBreakdown",
    "CostTable",
    "CostTerm",
    "Prices",
    "Work",
    "breakdown",
    "cost_of",
    "prices_of",
    "realised_share",
    "work_of",
]


@dataclass(frozen=True, slots=True)
class CostTable:
    """Dollars and hours of many offers, shape (n,); NaN where price or speed is unknown.

    `hours` from renting to finished; `billed_hours` of one instance; `committed_usd` = price of the whole term
    that a reservation binds to (0 without one), `unused_usd` what of it the run leaves unused: it is owed all the
    same and part of the total; `on_time` = probability of finishing by the deadline (NaN without).
    """

    hours: FloatArray
    low_hours: FloatArray
    high_hours: FloatArray
    billed_hours: FloatArray
    compute_usd: FloatArray
    interruption_usd: FloatArray
    idle_usd: FloatArray
    storage_usd: FloatArray
    egress_usd: FloatArray
    unused_usd: FloatArray
    total_usd: FloatArray
    low_usd: FloatArray
    high_usd: FloatArray
    usd_per_billion_tokens: FloatArray
    committed_usd: FloatArray
    interruptions: FloatArray
    checkpoint_minutes: FloatArray
    start_hours: FloatArray
    realised: FloatArray
    on_time: FloatArray


@dataclass(frozen=True, slots=True)
class CostTerm:
    """One line of the bill or of the hours: `value` in `unit` (USD or h)."""

    name: str
    value: float
    unit: str
    formula: str | Sentence


@dataclass(frozen=True, slots=True)
class CostBreakdown:
    """One offer: the row of the table as floats, and its lines."""

    hours: float
    low_hours: float
    high_hours: float
    billed_hours: float
    compute_usd: float
    interruption_usd: float
    idle_usd: float
    storage_usd: float
    egress_usd: float
    unused_usd: float
    total_usd: float
    low_usd: float
    high_usd: float
    usd_per_billion_tokens: float
    committed_usd: float
    interruptions: float
    checkpoint_minutes: float
    start_hours: float
    realised: float
    on_time: float
    terms: tuple[CostTerm, ...] = ()


def cost_of(work: Work, prices: Prices) -> CostTable:
    """Cost of every offer.

    Raises:
        BadInput: no tokens to train on, or a deadline or interval that is not positive.
    """
    check(work)
    prices = with_own_rate(work, prices)
    likely = _case(work, prices, work.tokens_per_s, prices.stops)
    best = _case(work, prices, np.fmax(work.high_tokens_per_s, work.tokens_per_s), prices.low_stops)
    worst = _case(work, prices, np.fmin(work.low_tokens_per_s, work.tokens_per_s), prices.high_stops)
    total = likely.total_usd
    on_time = np.full(len(prices), np.nan)
    if work.deadline_hours is not None:
        spare = work.deadline_hours - likely.start_hours
        on_time = chance_within(spare, likely.work_hours, likely.stops, likely.run)
        on_time = np.where(np.isnan(likely.work_hours), np.nan, on_time)
    return CostTable(
        hours=likely.hours,
        low_hours=best.hours,
        high_hours=worst.hours,
        billed_hours=likely.billed_hours,
        compute_usd=likely.compute_usd,
        interruption_usd=likely.interruption_usd,
        idle_usd=likely.idle_usd,
        storage_usd=likely.storage_usd,
        egress_usd=likely.egress_usd,
        unused_usd=likely.unused_usd,
        total_usd=total,
        low_usd=best.total_usd,
        high_usd=worst.total_usd,
        usd_per_billion_tokens=total / (work.tokens / 1e9),
        committed_usd=committed_usd(prices),
        interruptions=likely.run.count,
        checkpoint_minutes=likely.run.interval * 60.0,
        start_hours=likely.start_hours,
        realised=likely.realised,
        on_time=on_time,
    )


def breakdown(work: Work, prices: Prices, row: int = 0) -> CostBreakdown:
    """Every line of one offer; the same figures as `cost_of`."""
    one = replace(prices, **{f.name: getattr(prices, f.name)[row : row + 1] for f in fields(prices)})
    rates = ("tokens_per_s", "low_tokens_per_s", "high_tokens_per_s")
    table = cost_of(replace(work, **{name: getattr(work, name)[row : row + 1] for name in rates}), one)
    figures = {f.name: float(getattr(table, f.name)[0]) for f in fields(table)}
    return CostBreakdown(**figures, terms=_lines(figures, work))


@dataclass(frozen=True, slots=True)
class _Case:
    work_hours: FloatArray
    start_hours: FloatArray
    realised: FloatArray
    stops: Stops
    run: Interrupted
    hours: FloatArray
    billed_hours: FloatArray
    compute_usd: FloatArray
    interruption_usd: FloatArray
    idle_usd: FloatArray
    storage_usd: FloatArray
    egress_usd: FloatArray
    unused_usd: FloatArray
    total_usd: FloatArray


def committed_usd(prices: Prices) -> FloatArray:
    """Dollars of the whole term that an offer binds to, over all nodes, shape (n,); 0 without one."""
    return np.asarray(prices.usd_per_hour * prices.nodes * prices.term_hours)


def _case(work: Work, prices: Prices, rate: FloatArray, stops_per_node: FloatArray) -> _Case:
    """One of low, expected, high. Bills add up: each part is the bill with it less the bill without it."""
    steady = work.tokens / np.where(rate > 0, rate, np.nan) / SECONDS_PER_HOUR
    realised = realised_share(steady * prices.accelerators) if work.realise else np.ones_like(steady)
    hours = steady / realised
    warm = _load_s(work, prices) + _value("start.warm_up_s")
    start = (prices.start_s + warm) / SECONDS_PER_HOUR
    stops = stops_of(work, prices, stops_per_node)
    fixed = None if work.checkpoint_minutes is None else np.full_like(hours, work.checkpoint_minutes / 60.0)
    run = expected(hours, stops, fixed)
    paid = run.hours - run.waiting * _unpaid_share(prices, stops_per_node, stops)
    plain, disturbed = billed(start + hours, prices), billed(start + paid, prices)
    kept = billed(start + paid + work.idle_hours, prices)
    per_hour = prices.usd_per_hour * prices.nodes
    storage_gb = work.dataset_gb + work.state_gb * _value("checkpoint.kept")
    months = (start + run.hours + work.idle_hours) / HOURS_PER_MONTH
    storage = storage_gb * months * prices.storage
    egress = work.egress_gb * prices.egress + 0.0 * hours
    unused = np.maximum(committed_usd(prices) - kept * per_hour, 0.0) * (not work.spread_commitment)
    return _Case(
        work_hours=hours,
        start_hours=start,
        realised=realised,
        stops=stops,
        run=run,
        hours=start + run.hours,
        billed_hours=kept,
        compute_usd=plain * per_hour,
        interruption_usd=(disturbed - plain) * per_hour,
        idle_usd=(kept - disturbed) * per_hour,
        storage_usd=storage,
        egress_usd=egress,
        unused_usd=unused,
        total_usd=kept * per_hour + storage + egress + unused,
    )


def stops_of(work: Work, prices: Prices, per_node: FloatArray) -> Stops:
    """What stops the job: spot interruptions of any node (`per_node`, per hour) and hardware failures of any
    accelerator; shape (n,)."""
    write = checkpoint_write_s(work, prices)
    taken = per_node * prices.nodes
    failures = _value("failure.rate") * prices.accelerators
    saved = write <= prices.notice_s
    restart = _value("restart.detect_s") + prices.start_s + _load_s(work, prices) + _value("start.warm_up_s")
    return Stops(
        rate=failures + np.where(saved, 0.0, taken),
        noticed=np.where(saved, taken, 0.0),
        save=np.maximum(write * _value("checkpoint.stall"), 1.0) / SECONDS_PER_HOUR,
        restart=restart / SECONDS_PER_HOUR,
    )


def checkpoint_write_s(work: Work, prices: Prices) -> FloatArray:
    """Seconds to write one full checkpoint from all nodes, shape (n,)."""
    return np.asarray(work.state_gb / (_value("checkpoint.write_rate") * prices.nodes))


def with_own_rate(work: Work, prices: Prices) -> Prices:
    """Spot offers at the person's own rate of interruptions, where the work brings one."""
    own = work.interruptions_per_hour
    if own is None:
        return prices
    stops = np.where(prices.high_stops > 0, own, 0.0)
    return replace(prices, stops=stops, low_stops=stops, high_stops=stops)


def _load_s(work: Work, prices: Prices) -> FloatArray:
    return np.asarray(work.load_gb / (_value("start.load_rate") * prices.nodes))


def _unpaid_share(prices: Prices, per_node: FloatArray, stops: Stops) -> FloatArray:
    """Part of a restart that a spot provider does not bill: no machine is held until the next one starts."""
    gone = (_value("restart.detect_s") + prices.start_s) / SECONDS_PER_HOUR / stops.restart
    return np.asarray(np.where((per_node > 0) & (prices.nodes == 1), gone, 0.0))


def _lines(figures: dict[str, float], work: Work) -> tuple[CostTerm, ...]:
    kept = Sentence("{hours} h kept × price × nodes", {"hours": plain(work.idle_hours)})
    carried = Sentence("{size} GB × price", {"size": f"{work.egress_gb:.1f}"})
    rows = (
        (N_("start-up and warm-up"), "start_hours", "h", N_("provision + weights ÷ load rate + warm-up")),
        (N_("share of the steady rate realised"), "realised", "", N_("by accelerator-hours of the run")),
        (N_("instance hours billed"), "billed_hours", "h", N_("whole increments, at least the minimum")),
        (N_("compute"), "compute_usd", "USD", N_("billed hours without interruptions × price × nodes")),
        (
            N_("interruptions"),
            "interruption_usd",
            "USD",
            N_("further hours for saves, lost work and restarts × price × nodes"),
        ),
        (N_("idle"), "idle_usd", "USD", kept),
        (N_("storage"), "storage_usd", "USD", N_("(data set + checkpoints kept) × months × price")),
        (N_("egress"), "egress_usd", "USD", carried),
        (
            N_("rest of the commitment"),
            "unused_usd",
            "USD",
            N_("term × price × nodes, less what is billed by the hour"),
        ),
    )
    return tuple(CostTerm(name, figures[key], unit, formula) for name, key, unit, formula in rows)


def _value(name: str) -> float:
    return cost_assumption(name).value
