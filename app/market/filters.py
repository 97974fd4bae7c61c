"""Filters by name, read off the columns: `provider=aws`, `price_max=30`, `accelerator_count=4`, `max_age_days=7`.

A filter keeps its text, so that a link says what was asked, and gives a mask over a frame. A bound asks for proven
values: rows whose value is unknown do not pass it. Text that cannot be understood is an error, never "everything".
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

import numpy as np

from app.domain.errors import BadInput
from app.domain.figures import not_a_number, plain, ungrouped
from app.domain.sentence import Sentence, none_of
from app.market.board import Mask
from app.market.column import Column
from app.market.columns import COLUMNS
from app.market.frame import Frame
from app.market.interval import Interval, parse_interval, parse_number, show_number

Role = Literal["choice", "is", "min", "max", "text", "flag", "age"]
UNKNOWN = "unknown"
SECONDS_PER_DAY = 86_400.0
ROUNDING = 2e-3
YES, NO = ("1", "true", "yes", "on"), ("0", "false", "no", "off")


class Filter(Protocol):
    """One condition. `parameter` and `values` are what a link carries."""

    @property
    def column(self) -> Column: ...
    @property
    def parameter(self) -> str: ...
    @property
    def values(self) -> tuple[str, ...]: ...

    def mask(self, frame: Frame, now: datetime) -> Mask:
        """Rows that pass, shape (n,)."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the wanted words or of a wider word; `!word` shuts one out; `unknown` is the blank."""

    column: Column
    parameter: str
    values: tuple[str, ...]

    def mask(self, frame: Frame, now: datetime) -> Mask:
        """Rows with a wanted word."""
        coded = frame.facet(self.column.name)
        wanted = {value.casefold() for value in self.values if not value.startswith("!")}
        refused = {value[1:].casefold() for value in self.values if value.startswith("!")}

        def passes(names: set[str]) -> bool:
            return (not wanted or not wanted.isdisjoint(names)) and refused.isdisjoint(names)

        return coded.where(lambda name: passes(self._names(name)), unknown=passes({UNKNOWN}))

    def _names(self, value: str) -> set[str]:
        return {value.casefold(), *(word.casefold() for word in self.column.family(value))}


@dataclass(frozen=True, slots=True)
class Range:
    """Any of the intervals, or the blank where `unknown`."""

    column: Column
    parameter: str
    values: tuple[str, ...]
    intervals: tuple[Interval, ...]
    unknown: bool = False

    def mask(self, frame: Frame, now: datetime) -> Mask:
        """Rows whose number is in an interval; equality forgives what decimal notation rounds (1/3 as 0.333)."""
        numbers = frame.numbers(self.column.name)
        passed = np.isnan(numbers) if self.unknown else np.zeros(len(numbers), np.bool_)
        for interval in self.intervals:
            if interval.low == interval.high:
                near = interval.low * (1.0 - self.column.tolerance - ROUNDING)
                passed |= (numbers >= near) & (numbers <= interval.high * (1.0 + ROUNDING))
            else:
                passed |= interval.mask(numbers, self.column.tolerance)
        return passed


@dataclass(frozen=True, slots=True)
class Contains:
    """The text occurs in the word, whatever the case."""

    column: Column
    parameter: str
    values: tuple[str, ...]

    def mask(self, frame: Frame, now: datetime) -> Mask:
        """Rows whose word contains one of the texts."""
        texts = tuple(value.casefold() for value in self.values)
        return frame.words(self.column.name).where(
            lambda name: any(text in name.casefold() for text in texts)
        )


@dataclass(frozen=True, slots=True)
class Flag:
    """Yes or no; unknown is neither."""

    column: Column
    parameter: str
    values: tuple[str, ...]
    wanted: bool

    def mask(self, frame: Frame, now: datetime) -> Mask:
        """Rows that say so."""
        passed: Mask = frame.numbers(self.column.name) == float(self.wanted)
        return passed


@dataclass(frozen=True, slots=True)
class Age:
    """Observed within the last `days`."""

    column: Column
    parameter: str
    values: tuple[str, ...]
    days: float

    def mask(self, frame: Frame, now: datetime) -> Mask:
        """Rows that were seen recently enough."""
        passed: Mask = frame.numbers(self.column.name) >= now.timestamp() - self.days * SECONDS_PER_DAY
        return passed


def _parameters() -> Mapping[str, tuple[Column, Role]]:
    table: dict[str, tuple[Column, Role]] = {}
    for column in COLUMNS:
        for name in dict.fromkeys((column.url_name, column.name)):
            if column.filter == "range":
                table |= {
                    name: (column, "is"),
                    f"{name}_min": (column, "min"),
                    f"{name}_max": (column, "max"),
                }
            elif column.filter == "age":
                table[column.parameter] = (column, "age")
            elif column.filter:
                table[name] = (column, column.filter)
    return table


PARAMETERS = _parameters()
"""Every filter parameter, short and full names, and what it means."""


def canonical(parameter: str) -> str:
    """The name that links use for a filter parameter."""
    column, role = PARAMETERS[parameter]
    return column.url_name + (f"_{role}" if role in ("min", "max") else "")


def parse_filters(params: Mapping[str, Iterable[str]]) -> tuple[Filter, ...]:
    """Filters from the parameters that are filters, in the order of the columns; blanks are left out.

    Raises:
        BadInput: text that cannot be understood, or a lower bound above the upper one.
    """
    given: dict[str, list[str]] = {}
    for name, values in params.items():
        texts = [value.strip() for value in values if value.strip()]
        if name in PARAMETERS and texts:
            given.setdefault(canonical(name), []).extend(texts)
    filters = [_filter(name, given[name]) for name in PARAMETERS if name in given]
    _check_bounds(filters)
    return tuple(filters)


def _filter(parameter: str, texts: list[str]) -> Filter:
    column, role = PARAMETERS[parameter]
    if role == "choice":
        return _choice(column, parameter, texts)
    if role == "is":
        return _range(
            column, parameter, [part for text in texts for part in _numbers(column, parameter, text)]
        )
    if role == "text":
        return Contains(column, parameter, tuple(dict.fromkeys(texts)))
    if len(texts) > 1:
        raise BadInput(parameter, "give one value only")
    if role == "flag":
        return Flag(column, parameter, (_yes(parameter, texts[0]),), _yes(parameter, texts[0]) == "1")
    value = parse_number(parameter, texts[0])
    interval = Interval(low=value) if role == "min" else Interval(high=value)
    _check_sign(column, parameter, interval)
    if role == "age":
        return Age(column, parameter, (show_number(value),), value)
    return Range(column, parameter, (show_number(value),), (interval,))


def _split(texts: list[str]) -> list[str]:
    return [part.strip() for text in texts for part in text.split(",") if part.strip()]


_ONE_NUMBER = re.compile(r"(>=|<=|≥|≤|=|>|<)\s*([\d,.]+)", re.ASCII)
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})*,0\d\d(?:,\d{3})*(?:\.\d*)?", re.ASCII)
"""A list does not go on with 000."""


def _numbers(column: Column, parameter: str, text: str) -> list[str]:
    """The intervals of a list: `1,2,4`. A number after a sign is one, and so is a price; its commas part thousands.

    Raises:
        BadInput: such a number has a decimal comma.
    """
    one = _ONE_NUMBER.fullmatch(text)
    number = one[2] if one else text
    if "," in number and (one or _THOUSANDS.fullmatch(text) or _is_a_price(column, text)):
        if ungrouped(number) == number:
            raise BadInput(parameter, not_a_number(number))
        return [(one[1] if one else "") + ungrouped(number)]
    return _split([text])


def _is_a_price(column: Column, text: str) -> bool:
    return column.format == "money" and re.fullmatch(r"\d+,\d+", text, re.ASCII) is not None


def _choice(column: Column, parameter: str, texts: list[str]) -> Choice:
    values = tuple(dict.fromkeys(_split(texts) if column.commas else texts))
    for value in values:
        word = value.removeprefix("!").casefold()
        if column.options and word not in column.options and word != UNKNOWN:
            raise BadInput(parameter, none_of(value, column.options))
    if not values:
        raise BadInput(parameter, "only commas were given")
    return Choice(column, parameter, values)


def _range(column: Column, parameter: str, texts: list[str]) -> Range:
    intervals = tuple(parse_interval(parameter, text) for text in texts if text != UNKNOWN)
    if not texts:
        raise BadInput(parameter, "only commas were given")
    for interval in intervals:
        _check_sign(column, parameter, interval)
    return Range(column, parameter, tuple(texts), intervals, UNKNOWN in texts)


def _check_sign(column: Column, parameter: str, interval: Interval) -> None:
    if not column.signed and (-math.inf < interval.low < 0 or interval.high < 0):
        below = interval.low if interval.low > -math.inf else interval.high
        raise BadInput(
            parameter, Sentence("is never below zero (given: {value})", {"value": f"{plain(below)}"})
        )


def _yes(parameter: str, text: str) -> str:
    if text.casefold() not in (*YES, *NO):
        raise BadInput(parameter, Sentence("{value} is neither 1 nor 0", {"value": repr(text[:60])}))
    return "1" if text.casefold() in YES else "0"


def _check_bounds(filters: Iterable[Filter]) -> None:
    lows: dict[str, float] = {}
    for item in filters:
        role = PARAMETERS[item.parameter][1]
        if role == "min":
            lows[item.column.name] = float(item.values[0])
        elif role == "max" and lows.get(item.column.name, -math.inf) > float(item.values[0]):
            bound = {"bound": f"{item.column.url_name}_min"}
            raise BadInput(item.parameter, Sentence("is below {bound}", bound))
