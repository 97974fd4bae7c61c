"""Pictures of the lessons: bars inside tables, and two plots. Each stands beside a table that says the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from app.market.lessons.memory import MethodRow
from app.market.lessons.speed import BoundLesson
from app.market.lessons.spot import SpotLesson
from app.web.formatting import integer, number, percent
from app.web.language import gettext
from app.web.plot import Axis, Curve, Frame, curves

WIDTH, HEIGHT = 240.0, 10.0
STYLES = ("own", "rent", "rent-b")
MEMORY_STYLES = {
    "weights": "s1", "gradients": "s2", "optimizer_states": "s3", "activations": "s4", "loss": "s5", "buffers": "s6",
    "overhead": "s7",
}  # fmt: skip
"""Terms of memory by their class in the style sheet, as on the breakdown page."""
INTENSITIES = (1.0, 10000.0)


def strip(parts: Sequence[tuple[str, float]], top: float) -> Markup:
    """A thin stacked bar of (class, value) on a scale from 0 to `top`, in the unit of the values."""
    drawn, x = [], 0.0
    for name, value in parts:
        width = max(0.0, value) / (top or 1.0) * WIDTH
        drawn.append(f'<rect class="{name}" x="{x:.2f}" y="0" width="{width:.2f}" height="{HEIGHT:g}"/>')
        x += width
    return Markup(
        f'<svg class="strip" viewBox="0 0 {WIDTH:g} {HEIGHT:g}" preserveAspectRatio="none" aria-hidden="true" '
        f'focusable="false"><rect class="bar" x="0" y="0" width="{WIDTH:g}" height="{HEIGHT:g}"/>{"".join(drawn)}</svg>'
    )


def memory_strip(row: MethodRow, top: float) -> Markup:
    """The terms of a memory estimate as a bar, on a scale from 0 to `top` GiB."""
    return strip([(style, getattr(row.memory, name)) for name, style in MEMORY_STYLES.items()], top)


def roofline(told: BoundLesson) -> Markup | str:
    """Attainable TFLOP/s over operations per byte for the compared cards, both axes logarithmic."""
    cards = told.compared
    if not cards:
        return ""
    low, high = INTENSITIES
    heights = [min(card.tflops, card.gbytes_per_s * low / 1000.0) for card in cards]
    frame = Frame(
        Axis(low, high, True),
        Axis.over([*heights, *(card.tflops for card in cards)]),
        lambda value: integer(value) or "",
        lambda value: number(value) or "",
    )
    lines = []
    for style, card in zip(STYLES, cards, strict=False):
        places = [
            (low, card.gbytes_per_s * low / 1000.0),
            (card.ridge, card.tflops),
            (high, card.tflops),
        ]
        lines.append(Curve(style, places))
    return curves(frame, lines, gettext("Roofline of three cards; the tables say the same"))


def losses(told: SpotLesson) -> Markup | str:
    """Time lost over the interval between checkpoints, one line for each rate of interruptions."""
    if not told.intervals:
        return ""
    minutes = [row.minutes for row in told.intervals]
    every = [share for row in told.intervals for share in row.lost if share > 0]
    frame = Frame(
        Axis.over(minutes),
        Axis.over(every),
        lambda value: number(value) or "",
        lambda value: percent(value) or "",
    )
    lines = [
        Curve(style, [(row.minutes, max(row.lost[level], frame.y.low)) for row in told.intervals])
        for level, style in zip(range(len(told.intervals[0].lost)), STYLES, strict=False)
    ]
    return curves(
        frame, lines, gettext("Time lost over minutes between checkpoints; the table says the same")
    )


PLOTS: Mapping[str, Callable[[Any], Markup | str]] = {"bound": roofline, "spot": losses}
"""Slug → the picture of its figures."""
