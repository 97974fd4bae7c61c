"""Figures as people write them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.domain.figures import shortened, written_out


@given(st.floats(min_value=1, max_value=1e16))
def test_a_shortened_figure_reads_back_as_the_same_number(value: float) -> None:
    assert float(written_out(shortened(value))) == value


@given(st.integers(min_value=1, max_value=10**15))
def test_marks_between_thousands_change_nothing(value: int) -> None:
    for mark in (",", "_", " ", "\u202f"):
        assert float(written_out(f"{value:,}".replace(",", mark))) == value


def test_large_figures_are_short_to_read() -> None:
    assert [shortened(v) for v in (5e7, 1e9, 1.5e9, 1e12, 12345678.0, 900.0)] == [
        "50M",
        "1B",
        "1.5B",
        "1T",
        "12345678",
        "900",
    ]


def test_what_is_no_such_figure_stays_as_it_was_written() -> None:
    for text in ("0,5", "1,23", "50 x", "M", "", "5e7", "-3", "1 2", "many"):
        assert written_out(text) == text.strip()
