"""Prices over time and currency."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.money import convert, effective_hourly


@pytest.mark.parametrize(
    ("hourly", "upfront", "term", "effective"),
    [
        (None, None, None, None),
        (0.0, None, None, None),
        (0.0, 0.0, 12, None),
        (2.5, None, 12, 2.5),
        (None, 8760.0, 12, 1.0),
        (0.0, 26280.0, 36, 1.0),
        (1.25, 8760.0, 12, 2.25),
        (1.25, 8760.0, None, None),
    ],
)
def test_upfront_is_spread_over_the_term_and_zero_is_unknown(
    hourly: float | None, upfront: float | None, term: int | None, effective: float | None
) -> None:
    assert effective_hourly(hourly, upfront, term) == effective


@given(st.decimals("0.01", "1000", places=4), st.decimals("1", "100000", places=2), st.integers(1, 60))
def test_decimals_and_floats_agree(hourly: Decimal, upfront: Decimal, term: int) -> None:
    exact = effective_hourly(hourly, upfront, term)
    assert exact is not None
    assert float(exact) == pytest.approx(effective_hourly(float(hourly), float(upfront), term))


def test_amount_without_a_rate_is_unknown() -> None:
    assert convert(Decimal(10), None) is None
    assert convert(None, Decimal(1)) is None
    assert convert(Decimal(10), Decimal("1.1")) == 11.0
