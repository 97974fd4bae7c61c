"""Interruptions of one offer: the levels agree with the bill, the best interval is the best."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.training.billing import BillingTerms, Prices, prices_of
from app.training.cost import cost_of
from app.training.resilience import resilience_of
from app.training.work import Work


def work(**changes: object) -> Work:
    rate = np.asarray([50_000.0])
    return replace(Work(3e9, rate, rate * 0.9, rate * 1.1, state_gb=112.0, load_gb=16.0), **changes)  # type: ignore[arg-type]


def prices(spot: bool = True, nodes: float = 1.0) -> Prices:
    one = np.asarray([1.0])
    return prices_of(
        [BillingTerms(increment_s=1.0)], 20.0 * one, nodes * one, 8.0 * nodes * one, np.asarray([spot])
    )


def test_the_expected_level_is_what_the_bill_says() -> None:
    asked = work(deadline_hours=30.0)
    told, bill = resilience_of(asked, prices()), cost_of(asked, prices())
    expected = next(case for case in told.cases if case.level == "expected")
    assert expected.hours == pytest.approx(bill.hours[0])
    assert expected.total_usd == pytest.approx(bill.total_usd[0])
    assert expected.on_time == pytest.approx(bill.on_time[0])
    assert told.used_minutes == pytest.approx(bill.checkpoint_minutes[0])


def test_a_higher_rate_takes_longer_costs_more_and_is_less_often_on_time() -> None:
    low, expected, high = resilience_of(work(deadline_hours=20.0), prices()).cases
    assert (low.level, expected.level, high.level) == ("low", "expected", "high")
    assert low.hours < expected.hours < high.hours
    assert low.total_usd < expected.total_usd < high.total_usd  # type: ignore[operator]
    assert low.on_time >= expected.on_time >= high.on_time  # type: ignore[operator]
    assert high.on_time < 0.9  # type: ignore[operator]


@given(st.floats(1.0, 2_000.0))
@settings(deadline=None, max_examples=40)
def test_no_interval_of_ones_own_beats_the_best_one(minutes: float) -> None:
    told = resilience_of(work(checkpoint_minutes=minutes), prices())
    assert told.own_minutes == minutes
    assert told.own_costs_hours is not None
    assert told.own_costs_hours > -1e-9


def test_young_and_daly_stand_close_to_the_exact_minimum_where_stops_are_rare() -> None:
    told = resilience_of(work(interruptions_per_hour=0.02), prices())
    assert told.young_minutes == pytest.approx(told.best_minutes, rel=0.05)
    assert told.daly_minutes == pytest.approx(told.best_minutes, rel=0.01)


def test_ones_own_rate_takes_the_place_of_the_range_and_leaves_on_demand_alone() -> None:
    own = work(interruptions_per_hour=0.7)
    (only,) = resilience_of(own, prices()).cases
    assert only.per_node_per_hour == 0.7
    assert cost_of(own, prices()).hours[0] > cost_of(work(), prices()).hours[0]
    steady = prices(spot=False)
    assert cost_of(own, steady).total_usd[0] == cost_of(work(), steady).total_usd[0]
    assert not resilience_of(own, steady).spot
