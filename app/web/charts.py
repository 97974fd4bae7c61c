"""Small pictures as SVG. Each has a text beside it in the template; the picture itself is hidden from screen readers."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise

from markupsafe import Markup

WIDTH, HEIGHT = 600.0, 120.0
BAR_HEIGHT = 22.0


def sparkline(points: Sequence[tuple[datetime, float]]) -> Markup:
    """Prices as steps over time (each holds until the next): (moment, value), oldest first, at least one.

    The vertical axis starts at zero, so that a small move looks small.
    """
    first, last = points[0][0].timestamp(), points[-1][0].timestamp()
    span, top = max(last - first, 1.0), max(value for _, value in points) * 1.1 or 1.0
    places = [((at.timestamp() - first) / span * WIDTH, HEIGHT * (1 - value / top)) for at, value in points]
    path = f"M0,{places[0][1]:.1f}"
    path += "".join(f"H{x:.1f}V{y:.1f}" for (_, _), (x, y) in pairwise(places)) + f"H{WIDTH:.0f}"
    return Markup(
        f'<svg viewBox="0 0 {WIDTH:.0f} {HEIGHT:.0f}" preserveAspectRatio="none" aria-hidden="true" focusable="false">'
        f'<path class="area" d="{path}V{HEIGHT:.0f}H0Z"/><path class="line" d="{path}"/></svg>'
    )


def stack(parts: Sequence[tuple[str, float]], capacity: float | None = None) -> Markup:
    """A stacked bar of (class, value); `capacity` draws the limit. All values in one unit, none negative."""
    total = sum(value for _, value in parts)
    scale = WIDTH / (max(total, capacity or 0.0) * 1.02 or 1.0)
    drawn, x = [], 0.0
    for name, value in parts:
        drawn.append(
            f'<rect class="{name}" x="{x:.2f}" y="4" width="{value * scale:.2f}" height="{BAR_HEIGHT:.0f}"/>'
        )
        x += value * scale
    limit = "" if capacity is None else f'<path class="limit" d="M{capacity * scale:.2f},0V30"/>'
    ground = (
        f'<rect class="bar" x="0" y="4" width="{(capacity or total) * scale:.2f}" height="{BAR_HEIGHT:.0f}"/>'
    )
    return Markup(
        f'<svg viewBox="0 0 {WIDTH:.0f} 30" preserveAspectRatio="none" aria-hidden="true" focusable="false">'
        f"{ground}{''.join(drawn)}{limit}</svg>"
    )
