"""What interruptions do to a run: expected time, the best checkpoint interval, the chance to finish in time.

Memoryless interruptions at a rate per hour stop the whole synchronous job; work since the last checkpoint is
lost. Young (1974) and Daly (2006) give first approximations of the best interval; here the minimum of Daly's
exact expectation is solved for, so that a higher rate never looks better.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from app.domain.units import HOURS_PER_MONTH

FloatArray = npt.NDArray[np.float64]
MOST_EXPONENT = 60.0
NEWTON_STEPS = 8
FEW_STOPS = 30.0
RAREST = 1e-12  # per hour; below, the linear limit is exact to machine precision


@dataclass(frozen=True, slots=True)
class Stops:
    """All in hours, shape (n,). `rate` = stops without notice per hour of the whole job; `noticed` = stops with
    notice long enough to save; `save` = writing a checkpoint; `restart` = detect, get a machine, load, warm up."""

    rate: FloatArray
    noticed: FloatArray
    save: FloatArray
    restart: FloatArray


@dataclass(frozen=True, slots=True)
class Interrupted:
    """Shape (n,). `hours` expected from start to finish, `interval` between checkpoints in hours, `count` expected
    interruptions, `waiting` hours of `hours` spent on restarts."""

    hours: FloatArray
    interval: FloatArray
    count: FloatArray
    waiting: FloatArray


def young_hours(save: FloatArray, rate: FloatArray) -> FloatArray:
    """Young's interval sqrt(2 C / Λ), hours."""
    return np.asarray(np.sqrt(2.0 * save / rate))


def daly_hours(save: FloatArray, rate: FloatArray) -> FloatArray:
    """Daly's higher-order interval, hours; holds for CΛ < 2."""
    small = save * rate
    return np.asarray(young_hours(save, rate) * (1.0 + np.sqrt(small / 2.0) / 3.0 + small / 18.0) - save)


def best_interval(save: FloatArray, rate: FloatArray) -> FloatArray:
    """The interval τ that minimises (exp(Λ(τ+C)) − 1) ÷ τ, hours; infinite where nothing interrupts.

    The minimum satisfies −log(1 − y) − y = ΛC with y = Λτ: convex, so Newton's steps from above (y ≤ √(2ΛC) and
    y ≤ 1 − exp(−ΛC − 1)) close in without overshooting.
    """
    cost = save * rate
    y = np.maximum(np.minimum(np.sqrt(2.0 * cost), -np.expm1(-cost - 1.0)), 1e-300)
    for _ in range(NEWTON_STEPS):
        y = np.clip(y - (-np.log1p(-y) - y - cost) * (1.0 - y) / y, 1e-300, 1.0 - 1e-16)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(rate > RAREST, y / rate, np.inf)


def hourly_from_monthly(share: float) -> float:
    """Interruptions per hour from a published share of instances reclaimed in a month (0 ≤ share < 1).

    −ln(1 − share) ÷ 730: a lower bound, because short-lived instances swell the denominator
    (docs/throughput_model.md §6.1: probes and traces show a hundred to ten thousand times as many).
    """
    return -math.log1p(-share) / HOURS_PER_MONTH


def expected(work_hours: FloatArray, stops: Stops, interval: FloatArray | None = None) -> Interrupted:
    """Expected time of `work_hours` of undisturbed training.

    `interval` (hours) fixes the time between checkpoints; else the best one. Each interval takes
    (1/Λ + R)(exp(Λ(τ+C)) − 1) (Daly 2006, eq. 9); stops with notice cost a save and a restart each.
    """
    best = best_interval(stops.save, stops.rate) if interval is None else interval
    tau = np.maximum(np.minimum(best, work_hours), 1e-9)
    rate = stops.rate
    exponent = np.minimum(rate * (tau + stops.save), MOST_EXPONENT)
    often = rate > RAREST
    stretch = np.where(often, np.expm1(exponent) / np.where(often, rate, 1.0), tau + stops.save)
    undisturbed = work_hours / tau * stretch
    count = work_hours / tau * np.expm1(exponent)
    noticed = stops.noticed * undisturbed
    hours = undisturbed + count * stops.restart + noticed * (stops.restart + stops.save)
    waiting = (count + noticed) * stops.restart
    return Interrupted(hours=hours, interval=tau, count=count + noticed, waiting=waiting)


def chance_within(deadline: FloatArray, work_hours: FloatArray, stops: Stops, run: Interrupted) -> FloatArray:
    """Probability that the run ends within `deadline` hours, shape (n,).

    The number of stops is Poisson; each costs a restart and a uniform part of an interval (a stop with notice only
    a save). Few stops are summed one by one, many are taken as normal.
    """
    base = work_hours * (1.0 + stops.save / run.interval)
    total = stops.rate + stops.noticed
    mean_stops = total * base
    share = np.divide(stops.rate, total, out=np.zeros_like(total), where=total > 0)
    lost = share * (run.interval + stops.save) / 2.0 + (1.0 - share) * stops.save
    each = lost + stops.restart
    spread = share * (run.interval + stops.save) ** 2 / 12.0 + 1e-12
    spare = deadline - base
    many = _normal((spare - mean_stops * each) / np.sqrt(mean_stops * (spread + each**2) + 1e-12))
    mean_few = np.minimum(mean_stops, FEW_STOPS)
    most = float(np.nanmax(mean_few, initial=0.0))
    few = np.zeros_like(base)
    term = np.exp(-mean_few)
    for k in range(int(most + 8.0 * np.sqrt(most)) + 10):
        within = (
            np.where(spare >= 0, 1.0, 0.0) if k == 0 else _normal((spare - k * each) / np.sqrt(k * spread))
        )
        few = few + term * within
        term = term * mean_few / (k + 1)
    return np.asarray(np.clip(np.where(mean_stops > FEW_STOPS, many, few), 0.0, 1.0))


def _normal(x: FloatArray) -> FloatArray:
    """Normal distribution function, logistic approximation (error below 2e-4; Bowling et al. 2009)."""
    x = np.clip(x, -8.0, 8.0)
    return np.asarray(1.0 / (1.0 + np.exp(-1.5976 * x - 0.07056 * x**3)))
