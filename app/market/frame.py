"""A board together with the estimates of one run: what filters, sorts and rows read, whichever side a column is on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from app.market.board import Board, Coded, FloatArray, Mask
from app.market.columns import BY_NAME


@dataclass(frozen=True, slots=True)
class Frame:
    """`estimates` has one array per run column, aligned with the board's rows; None without a run."""

    board: Board
    estimates: Any = None

    def numbers(self, name: str) -> FloatArray:
        """A column of numbers, shape (n,), NaN = unknown."""
        if BY_NAME[name].needs_run:
            return np.asarray(getattr(self.estimates, name), dtype=np.float64)
        return self.board.numbers[name]

    def words(self, name: str) -> Coded:
        """A column of words as it is shown."""
        if BY_NAME[name].needs_run:
            return Coded.of(None if value is None else str(value) for value in getattr(self.estimates, name))
        return self.board.texts[name]

    def facet(self, name: str) -> Coded:
        """A column of words as it is filtered."""
        return self.words(name) if BY_NAME[name].needs_run else self.board.facets[name]

    def sort_key(self, name: str, descending: bool) -> FloatArray:
        """Floats whose ascending order is the wanted order; unknown is +inf, last both ways."""
        column = BY_NAME[name]
        if column.kind == "text":
            codes = self.words(name).codes
            key = np.where(codes < 0, np.nan, codes.astype(np.float64))
        else:
            key = self.numbers(name)
        if descending:
            key = -key
        return np.where(np.isnan(key), np.inf, key)

    def shown(self) -> Mask:
        """Offers that can hold the run within its budget and deadline, shape (n,)."""
        return np.asarray(self.estimates.shown, dtype=np.bool_)

    def value(self, name: str, row: int) -> Any:
        """One cell in its plain type; None = unknown."""
        column = BY_NAME[name]
        if column.value is not None:
            return column.value(self.board.facts[row])
        return plain(getattr(self.estimates, name)[row])


def plain(value: Any) -> Any:
    """A numpy scalar as a Python value, NaN as None."""
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and np.isnan(value) else value


def first_rows(keys: FloatArray, start: int, stop: int) -> npt.NDArray[np.intp]:
    """Positions `start:stop` of the stable ascending order of `keys`, without sorting what lies beyond."""
    if stop < len(keys):
        edge = np.partition(keys, stop - 1)[stop - 1]
        candidates = np.flatnonzero(keys <= edge)
    else:
        candidates = np.arange(len(keys))
    return candidates[np.argsort(keys[candidates], kind="stable")][start:stop]
