"""Numbers as filters write them: `4`, `>=4`, `4..8`."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from app.domain.errors import BadInput
from app.domain.figures import not_a_number, ungrouped
from app.domain.sentence import N_, Sentence
from app.market.board import FloatArray, Mask


@dataclass(frozen=True, slots=True)
class Interval:
    """Numbers from `low` to `high`; an end that is not part of it is `open`."""

    low: float = -math.inf
    high: float = math.inf
    low_open: bool = False
    high_open: bool = False

    def mask(self, numbers: FloatArray, tolerance: float) -> Mask:
        """Numbers inside; NaN is outside. `tolerance` lowers the lower end by that share."""
        low = self.low * (1.0 - tolerance) if self.low > 0 else self.low
        above = numbers > low if self.low_open else numbers >= low
        below = numbers < self.high if self.high_open else numbers <= self.high
        return above & below


def parse_interval(parameter: str, text: str) -> Interval:
    """`4`, `=4`, `>=4`, `>4`, `<=4`, `<4`, `4..8`, `4..`, `..8`.

    Raises:
        BadInput: anything else.
    """
    low, dots, high = text.partition("..")
    if dots:
        interval = _between(parameter, low.strip(), high.strip())
        if interval.low > interval.high:
            raise BadInput(parameter, Sentence("{value} ends before it starts", {"value": repr(text[:60])}))
        return interval
    match = re.match(r"(>=|<=|≥|≤|=|>|<)?\s*(.*)", text)
    sign, number = (match.group(1) or "=", match.group(2)) if match else ("=", text)
    value = parse_number(parameter, number)
    if sign == "=":
        return Interval(value, value)
    if sign[0] in ">≥":
        return Interval(low=value, low_open=sign == ">")
    return Interval(high=value, high_open=sign == "<")


def _between(parameter: str, low: str, high: str) -> Interval:
    if not low and not high:
        raise BadInput(parameter, N_("a range needs an end: 4..8, 4.. or ..8"))
    return Interval(
        parse_number(parameter, low) if low else -math.inf,
        parse_number(parameter, high) if high else math.inf,
    )


def parse_number(parameter: str, text: str) -> float:
    """A finite decimal number; commas may part its thousands, and never its decimals.

    Raises:
        BadInput: `text` is something else.
    """
    given, text = text, ungrouped(text)
    number = re.fullmatch(r"\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?\s*", text, re.IGNORECASE | re.ASCII)
    if number is None or not math.isfinite(float(text)):
        raise BadInput(parameter, not_a_number(given))
    return float(text)


def show_number(value: float) -> str:
    """The shortest text that reads back as the same number."""
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)
