"""Plots on two axes as SVG without a view box: places in percent, text and points keep their size at any width.

Each has a table beside it that says the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from markupsafe import Markup, escape

LEFT, RIGHT, TOP, BOTTOM = 9.0, 97.0, 5.0, 88.0
"""Edges of the plotted area, percent of the picture."""
GRID = (120, 60)
"""The cloud keeps one dot a cell."""


@dataclass(frozen=True, slots=True)
class Axis:
    """From value to place along one axis, with its ticks. Logarithmic axes take positive values only."""

    low: float
    high: float
    logarithmic: bool

    @classmethod
    def over(cls, values: Sequence[float], logarithmic: bool = True, zero: bool = False) -> Axis:
        """An axis with room around `values`, at least one; `zero` starts it at zero."""
        low, high = min(values), max(values)
        if logarithmic:
            return cls(low / 1.15, high * 1.15, True)
        spare = (high - low or abs(high) or 1.0) * 0.08
        return cls(0.0 if zero else low - spare, high + spare, False)

    def share(self, value: float) -> float:
        """Place of a value: 0 at the low end, 1 at the high end, held inside."""
        if self.logarithmic:
            place = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            place = (value - self.low) / (self.high - self.low)
        return min(max(place, 0.0), 1.0)

    def ticks(self) -> list[float]:
        """Round values inside the axis, about three to eight."""
        found = self._decades() if self.logarithmic else self._steps()
        while len(found) > 8:
            found = found[::2]
        return found

    def _decades(self) -> list[float]:
        first, last = math.floor(math.log10(self.low)), math.ceil(math.log10(self.high))
        for digits in ((1.0,), (1.0, 3.0), (1.0, 2.0, 5.0), (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0)):
            found = [d * 10.0**power for power in range(first, last + 1) for d in digits]
            found = [value for value in found if self.low <= value <= self.high]
            if len(found) >= 3:
                return found
        return found or self._steps()

    def _steps(self) -> list[float]:
        rough = (self.high - self.low) / 5.0
        size = 10.0 ** math.floor(math.log10(rough))
        step = next(size * d for d in (1.0, 2.0, 5.0, 10.0) if size * d >= rough)
        first = math.ceil(self.low / step)
        return [step * i for i in range(first, math.floor(self.high / step) + 1)]


@dataclass(frozen=True, slots=True)
class Point:
    """One offer on the plot: a link with its words; `strong` points are named choices."""

    x: float
    y: float
    href: str
    words: str
    strong: bool = False


@dataclass(frozen=True, slots=True)
class Curve:
    """A line through (x, y) places under a class of the style sheet."""

    name: str
    places: Sequence[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Frame:
    """Both axes and how their ticks are written."""

    x: Axis
    y: Axis
    write_x: Callable[[float], str]
    write_y: Callable[[float], str]

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Percent of width and height."""
        return LEFT + self.x.share(x) * (RIGHT - LEFT), BOTTOM - self.y.share(y) * (BOTTOM - TOP)

    def drawn(self) -> str:
        """Grid lines and tick labels."""
        lines = []
        for value in self.x.ticks():
            x, _ = self.place(value, self.y.low)
            lines.append(f'<line class="grid" x1="{x:.2f}%" y1="{TOP}%" x2="{x:.2f}%" y2="{BOTTOM}%"/>')
            lines.append(f'<text class="tick mid" x="{x:.2f}%" y="95%">{escape(self.write_x(value))}</text>')
        for value in self.y.ticks():
            _, y = self.place(self.x.low, value)
            lines.append(f'<line class="grid" x1="{LEFT}%" y1="{y:.2f}%" x2="{RIGHT}%" y2="{y:.2f}%"/>')
            lines.append(
                f'<text class="tick end" x="{LEFT - 1}%" y="{y:.2f}%" dy="4">{escape(self.write_y(value))}</text>'
            )
        return "".join(lines)


def scatter(
    frame: Frame, cloud: Sequence[tuple[float, float]], points: Sequence[Point], label: str
) -> Markup:
    """Offers as links over a cloud of all others; the points are joined by steps: up to the next faster one."""
    cells = {(round(frame.x.share(x) * GRID[0]), round(frame.y.share(y) * GRID[1])): (x, y) for x, y in cloud}
    dots = (frame.place(x, y) for x, y in cells.values())
    drawn = "".join(f'<circle class="dot" cx="{x:.2f}%" cy="{y:.2f}%" r="2"/>' for x, y in dots)
    ordered = sorted(points, key=lambda point: point.x)
    stairs = [corner for a, b in pairwise(ordered) for corner in ((a.x, a.y), (b.x, a.y))]
    stairs += [(point.x, point.y) for point in ordered[-1:]]
    links = "".join(_link(frame, point) for point in points)
    return _picture(frame, drawn + _line(frame, Curve("front", stairs)) + links, label)


def curves(frame: Frame, lines: Sequence[Curve], label: str) -> Markup:
    """Curves in one frame; the picture is an image with a label."""
    return _picture(frame, "".join(_line(frame, line) for line in lines), label, "img")


def _picture(frame: Frame, inside: str, label: str, role: str = "group") -> Markup:
    return Markup(
        f'<svg class="plot" role="{role}" aria-label="{escape(label)}" focusable="false">{frame.drawn()}{inside}</svg>'
    )


def _line(frame: Frame, line: Curve) -> str:
    places = [frame.place(x, y) for x, y in line.places]
    return "".join(
        f'<line class="{line.name}" x1="{a[0]:.2f}%" y1="{a[1]:.2f}%" x2="{b[0]:.2f}%" y2="{b[1]:.2f}%"/>'
        for a, b in pairwise(places)
    )


def _link(frame: Frame, point: Point) -> str:
    x, y = frame.place(point.x, point.y)
    kind = "mark strong" if point.strong else "mark"
    return (
        f'<a href="{escape(point.href)}" tabindex="-1" aria-label="{escape(point.words)}"><title>{escape(point.words)}</title>'
        f'<circle class="reach" cx="{x:.2f}%" cy="{y:.2f}%" r="12"/>'
        f'<circle class="{kind}" cx="{x:.2f}%" cy="{y:.2f}%" r="5"/></a>'
    )
