"""Live counts: for every option of a choice filter, how many offers it would leave, given all other filters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from app.domain.sentence import Sentence
from app.market.board import Mask
from app.market.columns import COLUMNS
from app.market.filters import UNKNOWN, Choice, Filter
from app.market.frame import Frame


@dataclass(frozen=True, slots=True)
class Option:
    """One value of a choice filter. `count` offers have it; `label` is a translatable text or a name."""

    value: str
    label: str | Sentence
    count: int
    selected: bool


def facets_of(
    frame: Frame, conditions: Sequence[tuple[Filter, Mask]], rest: Mask
) -> Mapping[str, tuple[Option, ...]]:
    """Options by column name, in reading order, blank last. `rest` holds what is no filter (free text, fit)."""
    every = rest.copy()
    for _, mask in conditions:
        every &= mask
    found = {}
    for column in COLUMNS:
        if column.filter != "choice" or not column.facets or (column.needs_run and frame.estimates is None):
            continue
        own = [item for item, _ in conditions if item.column is column]
        found[column.name] = _options(
            frame, column.name, _others(column.name, conditions, rest) if own else every, own
        )
    return found


@dataclass(frozen=True, slots=True)
class Span:
    """What the offers that the other filters leave have in a column of numbers; `low` and `high` in the column's unit,
    None where none states one, `unknown` offers."""

    low: float | None
    high: float | None
    unknown: int


def spans_of(frame: Frame, conditions: Sequence[tuple[Filter, Mask]], rest: Mask) -> Mapping[str, Span]:
    """Spans by column name, of every column with a range filter. `rest` as for `facets_of`."""
    every = rest.copy()
    for _, mask in conditions:
        every &= mask
    found = {}
    for column in COLUMNS:
        if column.filter != "range" or (column.needs_run and frame.estimates is None):
            continue
        own = any(item.column is column for item, _ in conditions)
        values = frame.numbers(column.name)[_others(column.name, conditions, rest) if own else every]
        known = values[~np.isnan(values)]
        low, high = (float(known.min()), float(known.max())) if len(known) else (None, None)
        found[column.name] = Span(low, high, len(values) - len(known))
    return found


def _others(name: str, conditions: Sequence[tuple[Filter, Mask]], rest: Mask) -> Mask:
    mask = rest.copy()
    for item, passed in conditions:
        if item.column.name != name:
            mask &= passed
    return mask


def _options(frame: Frame, name: str, mask: Mask, own: Sequence[Filter]) -> tuple[Option, ...]:
    coded = frame.facet(name)
    counts = np.bincount(coded.codes[mask] + 1, minlength=len(coded.names) + 1)
    column = next(column for column in COLUMNS if column.name == name)
    labels = {**frame.board.labels.get(name, {}), **column.option_labels}
    selected = {value.casefold() for item in own if isinstance(item, Choice) for value in item.values}
    options = [
        Option(value, labels.get(value, value), int(count), value.casefold() in selected)
        for value, count in zip(coded.names, counts[1:], strict=True)
        if count or value.casefold() in selected
    ]
    if counts[0] or UNKNOWN in selected:
        options.append(Option(UNKNOWN, UNKNOWN, int(counts[0]), UNKNOWN in selected))
    return tuple(options)
