"""Pictures say what their numbers say."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from xml.etree import ElementTree

from app.web.charts import WIDTH, sparkline, stack

START = datetime(2026, 1, 1, tzinfo=UTC)


def test_a_price_holds_until_the_next_and_the_axis_starts_at_zero() -> None:
    svg = sparkline([(START, 10.0), (START + timedelta(days=5), 5.0), (START + timedelta(days=10), 5.0)])
    ElementTree.fromstring(svg)
    line = re.search(r'class="line" d="M0,([\d.]+)H([\d.]+)V([\d.]+)', svg)
    assert line
    first, turn, second = (float(part) for part in line.groups())
    assert turn == WIDTH / 2
    assert abs((120 - first) - 2 * (120 - second)) < 0.2, "half the price is half as high above the axis"


def test_one_moment_makes_a_picture_too() -> None:
    assert "NaN" not in sparkline([(START, 3.0)])
    assert "NaN" not in sparkline([(START, 0.0), (START, 0.0)])


def test_parts_of_a_bar_are_in_proportion_and_the_limit_is_where_it_is() -> None:
    svg = ElementTree.fromstring(stack([("s1", 30.0), ("s2", 10.0)], 80.0))
    ground, first, second = [float(part.attrib["width"]) for part in svg if part.tag == "rect"]
    assert abs(first / second - 3) < 0.01
    assert abs(ground / first - 80 / 30) < 0.01
    limit = next(part.attrib["d"] for part in svg if part.attrib.get("class") == "limit")
    assert abs(float(limit[1:].split(",")[0]) - ground) < 0.01


def test_a_bar_beyond_its_limit_stays_inside_the_picture() -> None:
    svg = ElementTree.fromstring(stack([("s1", 300.0)], 80.0))
    assert all(float(part.attrib["width"]) <= WIDTH for part in svg if part.tag == "rect")
