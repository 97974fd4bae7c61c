"""Plots place every point inside the frame, in order, and join them by steps."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.web.plot import BOTTOM, LEFT, RIGHT, TOP, Axis, Frame, Point, scatter


@given(st.lists(st.floats(1e-3, 1e7), min_size=1, max_size=20), st.booleans())
def test_an_axis_keeps_order_and_has_readable_ticks(values: list[float], logarithmic: bool) -> None:
    axis = Axis.over(values, logarithmic)
    shares = [axis.share(value) for value in sorted(values)]
    assert shares == sorted(shares)
    assert all(0.0 <= share <= 1.0 for share in shares)
    ticks = axis.ticks()
    assert 1 <= len(ticks) <= 8
    assert ticks == sorted(ticks)
    assert all(axis.low <= tick <= axis.high * (1 + 1e-9) for tick in ticks)


def test_points_are_links_with_words_inside_the_frame() -> None:
    frame = Frame(Axis.over([1, 100]), Axis.over([10, 1000]), str, str)
    points = [Point(1, 1000, "/offers/a", "fast <one>", True), Point(100, 10, "/offers/b", "cheap")]
    drawn = str(scatter(frame, [(5, 50), (5, 50), (6, 700)], points, "both"))
    assert drawn.count('class="dot"') == 2, "one dot a cell"
    assert re.findall(r'href="([^"]+)"', drawn) == ["/offers/a", "/offers/b"]
    assert "<one>" not in drawn
    places = [float(x) for x in re.findall(r'cx="([\d.]+)%"', drawn)]
    assert all(LEFT <= x <= RIGHT for x in places)
    assert all(TOP <= float(y) <= BOTTOM for y in re.findall(r'cy="([\d.]+)%"', drawn))
    assert drawn.count('class="front"') == 2, "across and down"


def test_a_single_value_still_makes_an_axis() -> None:
    axis = Axis.over([5.0])
    assert axis.share(5.0) == pytest.approx(0.5)
