"""Figures as people write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.figures import not_a_number, plain, shortened, ungrouped, written_out


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


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(min_value=1, max_value=9))
def test_a_plain_figure_has_no_exponent_and_keeps_its_digits(value: float, digits: int) -> None:
    shown = plain(value, digits)
    assert "e" not in shown
    assert float(shown.replace(",", "")) == pytest.approx(value, rel=0.51 * 10 ** (1 - digits))


def test_whole_figures_are_written_in_full() -> None:
    assert [plain(v) for v in (2.0**24, 0.8125, 1e13, -3.5)] == [
        "16,777,216",
        "0.8125",
        "10,000,000,000,000",
        "-3.5",
    ]


@given(st.integers(0, 10**12))
def test_commas_between_thousands_are_taken_out(value: int) -> None:
    assert ungrouped(f"{value:,}") == str(value)


@pytest.mark.parametrize(
    "text", ["2,5", "1,0000", "1,00,000", "h100,4090", "1.500", "1,000,5", ",500", "1000,000"]
)
def test_other_commas_and_points_stay(text: str) -> None:
    assert ungrouped(text) == text


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("2,5", "2.5"),
        ("<0,75", "<0.75"),
        ("1.234,5", "1234.5"),
        ("1.500.000", "1500000"),
        (",5", ".5"),
        ("1,5e9", "1.5e9"),
    ],
)
def test_a_refused_number_says_how_to_write_it(text: str, meant: str) -> None:
    assert f"write {meant!r}" in str(not_a_number(text))


@pytest.mark.parametrize("text", ["zorp", "2,5,5", "", "1,2.3"])
def test_what_is_no_number_anywhere_gets_no_advice(text: str) -> None:
    assert str(not_a_number(text)) == f"{text!r} is not a number"
