"""Figures as people read them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.web import formatting

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
WRITERS = [
    formatting.number, formatting.integer, formatting.count, formatting.gib, formatting.usd_per_hour, formatting.usd,
    formatting.percent, formatting.compact, formatting.hours, formatting.duration,
    formatting.rate,
]  # fmt: skip


@pytest.mark.parametrize("write", WRITERS, ids=lambda write: write.__name__)
def test_unknown_is_never_a_figure_and_zero_is_never_unknown(write) -> None:
    assert write(None) is None
    assert "0" in write(0.0)


@given(st.floats(1e-3, 1e12))
def test_a_figure_reads_back_close_to_what_it_was(value: float) -> None:
    shown = formatting.number(value)
    assert shown is not None
    assert abs(float(shown.replace(",", "")) - value) <= max(0.005 * value, 0.001)


@pytest.mark.parametrize(
    ("write", "value", "shown"),
    [
        (formatting.usd_per_hour, 98.32, "98.320"), (formatting.usd_per_hour, 0.0475, "0.048"),
        (formatting.rate, 1.0801, "1.0801"), (formatting.rate, 0.000061351, "0.00006135"),
        (formatting.usd, 3.5, "3.50"), (formatting.usd, 12345.6, "12,346"),
        (formatting.gib, 79.64, "79.6"), (formatting.gib, 640.2, "640"),
        (formatting.percent, 0.415, "42 %"), (formatting.percent, -0.031, "-3.1 %"),
        (formatting.compact, 8.03e9, "8.03B"), (formatting.compact, 12_400.0, "12.4k"),
        (formatting.compact, 999_885_952.0, "1B"), (formatting.compact, 1e13, "10T"),
        (formatting.duration, 9.998e-4, "1 ms"), (formatting.duration, 999.7, "1,000 s"), (formatting.count, 1 / 24, "0.0417"),
        (formatting.count, 0.125, "0.125"), (formatting.count, 8.0, "8"),
        (formatting.hours, 0.25, "0.25"), (formatting.hours, 3.4, "3.40"), (formatting.hours, 48.04, "48.0"), (formatting.hours, 312.4, "312"),
        (formatting.duration, 0.0123, "12.3 ms"), (formatting.duration, 4.8e-4, "480 µs"),
    ],
)  # fmt: skip
def test_each_kind_of_figure_has_its_own_precision(write, value: float, shown: str) -> None:
    assert write(value) == shown


@pytest.mark.parametrize(
    "write", [*WRITERS, formatting.exact, formatting.change], ids=lambda write: write.__name__
)
@given(value=st.floats(-1e18, 1e18))
def test_no_figure_has_an_exponent(write, value: float) -> None:
    assert "e" not in write(value)


@pytest.mark.parametrize(
    ("passed", "shown"),
    [
        (timedelta(minutes=12), "12 min"),
        (timedelta(hours=5), "5 h"),
        (timedelta(days=31), "31 d"),
        (-timedelta(hours=1), "0 min"),
    ],
)
def test_an_age_is_in_its_largest_unit_and_never_negative(passed: timedelta, shown: str) -> None:
    assert formatting.age(NOW - passed, NOW) == shown


def test_long_hours_are_said_in_days_or_months_too() -> None:
    told = [formatting.span(hours) for hours in (None, 3.0, 72.0, 80.0, 312.0, 24.0 * 90, 7300.0)]
    assert told == [None, None, None, "3 d", "13 d", "3 months", "10 months"]
