"""Billing: whole increments, minimum, prepaid hours."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.training.billing import BillingTerms, Prices, billed, prices_of


def prices(increment_s: float, minimum_s: float = 0.0) -> Prices:
    one = np.ones(1)
    return prices_of([BillingTerms(increment_s, minimum_s)], one, one, 8 * one, np.asarray([False]))


@pytest.mark.parametrize(
    ("hours", "increment", "minimum", "expected"),
    [
        (0.5, 1, 0, 0.5),
        (0.5, 3600, 0, 1.0),
        (1.0, 3600, 0, 1.0),
        (1.001, 3600, 0, 2.0),
        (0.001, 1, 600, 1 / 6),
    ],
)
def test_hours_are_billed_in_whole_increments(
    hours: float, increment: float, minimum: float, expected: float
) -> None:
    assert billed(np.asarray([hours]), prices(increment, minimum))[0] == pytest.approx(expected)


@given(hours=st.floats(0, 1e5), increment=st.floats(1, 86_400))
def test_nobody_pays_for_less_than_was_used_nor_for_a_whole_increment_more(
    hours: float, increment: float
) -> None:
    paid = billed(np.asarray([hours]), prices(increment))[0]
    assert hours - 1e-6 <= paid <= hours + increment / 3600 + 1e-6


def test_prepaid_hours_are_a_floor() -> None:
    block = replace(prices(60), minimum_hours=np.asarray([24.0]))
    assert billed(
        np.asarray([2.0, 30.0]), replace(block, minimum_hours=np.asarray([24.0, 24.0]))
    ).tolist() == [24.0, 30.0]


def test_only_spot_is_interrupted_and_its_bounds_hold_the_expected_rate() -> None:
    one = np.ones(2)
    found = prices_of([BillingTerms()] * 2, one, one, one, np.asarray([False, True]))
    assert found.stops[0] == found.high_stops[0] == 0.0
    assert found.low_stops[1] < found.stops[1] < found.high_stops[1]
