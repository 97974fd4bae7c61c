"""Figures as people read them, in the reader's language. Every function takes None for unknown and then returns None,
never 0."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from datetime import datetime

from app.domain.figures import plain
from app.domain.units import HOURS_PER_MONTH
from app.web.language import figure, ngettext

LONG_HOURS, HOURS_PER_DAY, MOST_DAYS = 72.0, 24.0, 90
_COMPACT = ((1e15, "P"), (1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "k"))


def number(value: float | None) -> str | None:
    """At most three significant decimals, thousands apart: 1,234 · 12.5 · 0.034."""
    if value is None:
        return None
    if abs(value) >= 100 or value == int(value):
        return figure(f"{value:,.0f}")
    return figure(f"{value:,.1f}" if abs(value) >= 10 else plain(value, 3))


def integer(value: float | None) -> str | None:
    """Whole number, thousands apart."""
    return None if value is None else figure(f"{value:,.0f}")


def count(value: float | None) -> str | None:
    """Accelerators: 8, or shares of one in three digits (0.25, 0.0417)."""
    return None if value is None else figure(plain(value, 3))


def typed(value: float | None) -> str | None:
    """An example of what one may type, in three digits: numbers are read alike in every language."""
    return None if value is None else plain(value, 3)


def exact(value: float | None) -> str | None:
    """A constant in up to six digits: 0.8125."""
    return None if value is None else figure(plain(value))


def gib(value: float | None) -> str | None:
    """GiB: one decimal below 100, none above."""
    if value is None:
        return None
    return figure(f"{value:,.0f}" if abs(value) >= 100 else f"{value:.1f}")


def usd_per_hour(value: float | None) -> str | None:
    """An hourly price to a tenth of a cent, so that a column of prices aligns."""
    return None if value is None else figure(f"{value:,.3f}")


def usd(value: float | None) -> str | None:
    """An amount: cents below 100 USD, whole dollars above."""
    if value is None:
        return None
    return figure(f"{value:,.2f}" if abs(value) < 100 else f"{value:,.0f}")


def rate(value: float | None) -> str | None:
    """What one unit of a currency is worth, to four decimals and at least four figures: 1.0801 · 0.00006135."""
    if value is None:
        return None
    decimals = 4 if value <= 0 else max(4, 3 - math.floor(math.log10(value)))
    return figure(f"{value:,.{decimals}f}")


def percent(value: float | None) -> str | None:
    """A share as percent: 0.415 → 42 %, small ones with one decimal."""
    if value is None:
        return None
    share = value * 100
    return figure(f"{share:.1f} %" if 0 < abs(share) < 10 else f"{share:.0f} %")


def change(value: float | None) -> str | None:
    """A change as percent with its sign: 0.042 → +4.2 %."""
    return None if value is None else figure(f"{value * 100:+.1f} %")


def one_decimal(value: float | None) -> str | None:
    """An index: 103.4."""
    return None if value is None else figure(f"{value:,.1f}")


def compact(value: float | None) -> str | None:
    """Large figures in three digits: 8.03B, 12.4k."""
    if value is None:
        return None
    value = float(f"{value:.3g}")
    for size, letter in _COMPACT:
        if abs(value) >= size:
            return figure(f"{plain(value / size, 3)}{letter}")
    return figure(plain(value, 3))


def hours(value: float | None) -> str | None:
    """Hours in three digits, whole ones from 100 on: 0.25 · 3.40 · 48.0 · 312."""
    if value is None:
        return None
    if abs(value) < 10:
        return figure(f"{value:.2f}")
    return figure(f"{value:.1f}" if abs(value) < 100 else f"{value:,.0f}")


def span(hours: float | None) -> str | None:
    """Long hours once more, in days or months: None up to three days · 13 d · 4 months (of 730 h)."""
    if hours is None or not math.isfinite(hours) or hours <= LONG_HOURS:
        return None
    days = hours / HOURS_PER_DAY
    if days < MOST_DAYS:
        text, count = ngettext("{count} d", "{count} d", round(days)), days
    else:
        count = hours / HOURS_PER_MONTH
        text = ngettext("{count} month", "{count} months", round(count))
    return text.format(count=number(round(count)))


def age(moment: datetime | None, now: datetime) -> str | None:
    """Time since `moment` (both aware, UTC) in its largest unit: 12 min, 5 h, 31 d."""
    if moment is None:
        return None
    seconds = max(0.0, (now - moment).total_seconds())
    if seconds < 3600:
        count = seconds // 60
        text = ngettext("{count} min", "{count} min", count)
    elif seconds < 48 * 3600:
        count = seconds // 3600
        text = ngettext("{count} h", "{count} h", count)
    else:
        count = seconds // 86400
        text = ngettext("{count} d", "{count} d", count)
    return text.format(count=integer(count))


def duration(seconds: float | None) -> str | None:
    """A step's time in a readable unit: 480 µs, 12.3 ms, 1.84 s."""
    if seconds is None:
        return None
    if abs(seconds) < 1000.0:
        seconds = float(f"{seconds:.3g}")
    for size, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if abs(seconds) >= 1000.0:
            return figure(f"{seconds:,.0f} s")
        if abs(seconds) >= size:
            return figure(f"{plain(seconds / size, 3)} {unit}")
    return figure("0 s" if seconds == 0 else f"{plain(seconds * 1e9, 3)} ns")


FORMATS: Mapping[str, Callable[[float | None], str | None]] = {
    "integer": integer,
    "number": number,
    "count": count,
    "gib": gib,
    "percent": percent,
    "compact": compact,
}
"""Column.format → function, for numbers. Money depends on the unit, age on the clock: see `cells`."""
