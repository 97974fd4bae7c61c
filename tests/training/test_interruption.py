"""Interruptions: Young, Daly, and laws of expected time."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.training.interruption import (
    Interrupted,
    Stops,
    best_interval,
    chance_within,
    daly_hours,
    expected,
    hourly_from_monthly,
    young_hours,
)

SAVE, RESTART = np.asarray([60 / 3600]), np.asarray([10 / 60])


def stops(rate: float, noticed: float = 0.0) -> Stops:
    return Stops(np.asarray([rate]), np.asarray([noticed]), SAVE, RESTART)


def run(rate: float, hours: float = 100.0) -> Interrupted:
    return expected(np.asarray([hours]), stops(rate))


def test_the_worked_example_of_eight_spot_nodes() -> None:
    found = run(8 * 0.05)
    assert found.interval[0] * 60 == pytest.approx(17, abs=1)
    assert found.hours[0] / 100 == pytest.approx(1.20, abs=0.01)


def test_a_harsh_rate_needs_the_exact_formula() -> None:
    found = run(8 * 0.3)
    assert found.interval[0] * 60 == pytest.approx(7, abs=1)
    assert found.hours[0] / 100 == pytest.approx(1.9, abs=0.1)


@given(rate=st.floats(1e-4, 3.0), save=st.floats(1e-4, 0.3))
@settings(deadline=None)
def test_the_best_interval_beats_young_and_daly(rate: float, save: float) -> None:
    cost, each = np.asarray([save]), np.asarray([rate])

    def stretch(tau: np.ndarray) -> float:
        return float(np.expm1(each * (tau + cost))[0] / tau[0])

    best = stretch(best_interval(cost, each))
    assert best <= stretch(young_hours(cost, each)) * (1 + 1e-9)
    if save * rate < 2 and daly_hours(cost, each)[0] > 0:
        assert best <= stretch(daly_hours(cost, each)) * (1 + 1e-9)


@given(rate=st.floats(0, 5), more=st.floats(0, 5), hours=st.floats(0.1, 2000))
@settings(deadline=None)
def test_expected_time_grows_with_the_rate(rate: float, more: float, hours: float) -> None:
    assert run(rate + more, hours).hours[0] >= run(rate, hours).hours[0] * (1 - 1e-9)


@given(rate=st.floats(0, 2), interval=st.floats(0.01, 10))
@settings(deadline=None)
def test_ones_own_interval_is_never_better_than_the_best(rate: float, interval: float) -> None:
    work = np.asarray([200.0])
    own = expected(work, stops(rate), np.asarray([interval]))
    assert own.hours[0] >= expected(work, stops(rate)).hours[0] * (1 - 1e-9)


def test_nothing_interrupting_costs_one_save_at_most() -> None:
    found = run(0.0)
    assert found.hours[0] == pytest.approx(100 + 1 / 60)
    assert found.count[0] == 0 and math.isfinite(found.interval[0])


def test_a_notice_long_enough_to_save_costs_less() -> None:
    work = np.asarray([100.0])
    assert expected(work, stops(0.0, 0.4)).hours[0] < expected(work, stops(0.4)).hours[0]


@given(rate=st.floats(0, 3), deadline=st.floats(50, 400), later=st.floats(0, 200))
@settings(deadline=None)
def test_a_later_deadline_is_never_less_likely(rate: float, deadline: float, later: float) -> None:
    work = np.asarray([100.0])
    found = expected(work, stops(rate))
    early, late = (
        float(chance_within(np.asarray([at]), work, stops(rate), found)[0])
        for at in (deadline, deadline + later)
    )
    assert 0.0 <= early <= late + 1e-6 <= 1.0 + 1e-6


def test_the_chance_is_about_half_at_the_expected_time() -> None:
    found = run(1.0)
    at = chance_within(found.hours, np.asarray([100.0]), stops(1.0), found)
    assert 0.3 < at[0] < 0.85


def test_without_interruptions_the_deadline_is_met_or_missed() -> None:
    found = run(0.0)
    work = np.asarray([100.0])
    assert chance_within(np.asarray([101.0]), work, stops(0.0), found)[0] == pytest.approx(1.0)
    assert chance_within(np.asarray([99.0]), work, stops(0.0), found)[0] == pytest.approx(0.0)


def test_a_published_monthly_share_is_a_small_rate_per_hour() -> None:
    assert hourly_from_monthly(0.10) == pytest.approx(1.44e-4, rel=0.01)
    assert hourly_from_monthly(0.0) == 0.0
