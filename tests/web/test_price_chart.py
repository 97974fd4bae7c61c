"""Charts of prices say what their points say."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from app.web.price_chart import MOST_TICKS, Series, TimeAxis, price_chart

START = datetime(2026, 1, 1, tzinfo=UTC)


def days(*values: float) -> list[tuple[datetime, float]]:
    return [(START + timedelta(days=number), value) for number, value in enumerate(values)]


def test_a_price_holds_until_the_next_and_the_axis_starts_at_zero() -> None:
    drawn = price_chart([Series("p1", "one", days(10, 5, 5))], "prices")
    assert drawn is not None
    ElementTree.fromstring(drawn)
    first, turn, second = re.findall(r'd="M0.0,([\d.]+)H([\d.]+)V([\d.]+)', drawn)[0]
    assert turn == "500.0"
    assert abs((1000 - float(first)) - 2 * (1000 - float(second))) < 0.2, "half the price is half as high"
    assert drawn.count("<circle") == 3


def test_nothing_is_drawn_across_a_break() -> None:
    places = days(1, 2, 3, 4)
    drawn = price_chart([Series("p1", "one", places, [places[2][0]])], "prices") or ""
    (path,) = re.findall(r'<path class="p1" d="([^"]+)"', drawn)
    assert path.count("M") == 2
    assert path.count("H") == 2


def test_one_moment_is_no_chart() -> None:
    assert price_chart([Series("p1", "one", days(3))], "prices") is None
    assert price_chart([], "prices") is None


def test_its_words_are_escaped_and_long_lines_have_no_dots() -> None:
    drawn = price_chart([Series("p1", "one", days(*range(1, 200)))], 'a "label" <of> prices') or ""
    assert "<of>" not in drawn
    assert "<circle" not in drawn
    assert len(drawn) < 10_000


@given(st.integers(60, 10 * 365 * 86_400), st.integers(0, 10**9))
def test_a_time_axis_has_few_round_ticks_inside(span_s: int, start_s: int) -> None:
    first = datetime.fromtimestamp(10**9 + start_s, UTC)
    axis = TimeAxis.between(first, first + timedelta(seconds=span_s))
    ticks = axis.ticks()
    assert len(ticks) <= MOST_TICKS
    assert ticks == sorted(set(ticks))
    assert all(axis.low < tick < axis.high for tick in ticks)
    assert all(tick % 3600 == 0 for tick in ticks)
    assert ticks or span_s < 24 * 3600
