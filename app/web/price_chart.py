"""Prices over time as SVG: steps that hold until the next, dots where something was recorded, gaps left open.

Time runs from left to right in every language, as it does in the prices' own tables of figures; the page says so where
the text runs the other way. Each chart has a table beside it that says the same.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise

from markupsafe import Markup, escape

from app.web import formatting
from app.web.plot import BOTTOM, LEFT, RIGHT, TOP, Axis, Frame

MOST_DOTS = 60
MOST_TICKS = 4
_SCALE = 1000
_HOUR = 3_600
_STEPS = (1, 2, 6, 12, 24, 48, 7 * 24, 14 * 24)
_MONTHS = (1, 2, 3, 6, 12, 24, 60)

Place = tuple[datetime, float]


@dataclass(frozen=True, slots=True)
class Series:
    """One line: `style` is a class of the style sheet (p1 … p6, and `low` for a dotted one), `label` its name, `places`
    (moment, value) oldest first. A value holds until the next, but not up to the moments in `breaks`."""

    style: str
    label: str
    places: Sequence[Place]
    breaks: Collection[datetime] = ()


@dataclass(frozen=True, slots=True)
class TimeAxis(Axis):
    """Moments as epoch seconds, with ticks at round hours, days or months."""

    @classmethod
    def between(cls, first: datetime, last: datetime) -> TimeAxis:
        """From a moment to a later one."""
        return cls(first.timestamp(), max(last.timestamp(), first.timestamp() + 1), False)

    def ticks(self) -> list[float]:
        """At most four round moments, away from the edges."""
        fitting = (self.high - self.low) / (MOST_TICKS + 2) / _HOUR
        for hours in (step for step in _STEPS if step >= fitting):
            found = list(self._every(hours * _HOUR))
            if len(found) <= MOST_TICKS:
                return found
        for months in _MONTHS:
            found = list(self._months(months))
            if len(found) <= MOST_TICKS:
                return found
        return []

    def _every(self, step: float) -> Iterator[float]:
        at = (self.low // step + 1) * step
        while at < self.high:
            if 0.05 <= self.share(at) <= 0.95:
                yield at
            at += step

    def _months(self, step: int) -> Iterator[float]:
        first, last = (datetime.fromtimestamp(edge, UTC) for edge in (self.low, self.high))
        for month in range(first.year * 12, last.year * 12 + 12, step):
            at = datetime(month // 12, month % 12 + 1, 1, tzinfo=UTC).timestamp()
            if 0.05 <= self.share(at) <= 0.95:
                yield at


def moment_of(day: date) -> datetime:
    """The beginning of a day, UTC."""
    return datetime.combine(day, time(), UTC)


def price_chart(series: Sequence[Series], label: str, zero: bool = True) -> Markup | None:
    """A chart of prices (`zero`: the axis starts there), or None where there is no stretch of time to draw."""
    moments = [at for line in series for at, _ in line.places]
    if not moments or min(moments) == max(moments):
        return None
    values = [value for line in series for _, value in line.places]
    frame = Frame(
        TimeAxis.between(min(moments), max(moments)),
        Axis.over(values, logarithmic=False, zero=zero),
        _write_moment(max(moments) - min(moments)),
        lambda value: formatting.number(round(value, 6)) or "",
    )
    drawn = "".join(_line(frame, line) for line in series)
    dots = "".join(_dots(frame, line) for line in series)
    return Markup(
        f'<svg class="plot prices" role="img" aria-label="{escape(label)}" focusable="false">{frame.drawn()}'
        f'<svg x="{LEFT}%" y="{TOP}%" width="{RIGHT - LEFT}%" height="{BOTTOM - TOP}%" '
        f'viewBox="0 0 {_SCALE} {_SCALE}" preserveAspectRatio="none" overflow="visible">{drawn}</svg>{dots}</svg>'
    )


def _line(frame: Frame, line: Series) -> str:
    path, drawing = "", False
    for before, after in pairwise(line.places):
        if after[0] in line.breaks:
            drawing = False
            continue
        if not drawing:
            path += "M{:.1f},{:.1f}".format(*_scaled(frame, before))
        path += "H{:.1f}V{:.1f}".format(*_scaled(frame, after))
        drawing = True
    return f'<path class="{line.style}" d="{path}"/>' if path else ""


def _dots(frame: Frame, line: Series) -> str:
    if len(line.places) > MOST_DOTS:
        return ""
    places = (frame.place(at.timestamp(), value) for at, value in line.places)
    return "".join(f'<circle class="{line.style}" cx="{x:.2f}%" cy="{y:.2f}%" r="2.5"/>' for x, y in places)


def _scaled(frame: Frame, place: Place) -> tuple[float, float]:
    at, value = place
    return frame.x.share(at.timestamp()) * _SCALE, (1 - frame.y.share(value)) * _SCALE


def _write_moment(span: timedelta) -> Callable[[float], str]:
    written = "%H:%M" if span < timedelta(days=2) else "%Y-%m-%d"
    return lambda value: datetime.fromtimestamp(value, UTC).strftime(written)
