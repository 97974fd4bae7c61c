"""A board together with the estimates of one run: what filters, sorts and rows read, whichever side a column is on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from app.market.board import Board, Coded, FloatArray, Mask, per_board
from app.market.columns import BY_NAME


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """`estimates` has one array per run column, aligned with the board's rows; None without a run."""

    board: Board
    estimates: Any = None
    _coded: dict[str, Coded] = field(default_factory=dict)

    def numbers(self, name: str) -> FloatArray:
        """A column of numbers, shape (n,), NaN = unknown."""
        if BY_NAME[name].needs_run:
            return np.asarray(getattr(self.estimates, name), dtype=np.float64)
        return self.board.numbers[name]

    def words(self, name: str) -> Coded:
        """A column of words as it is shown."""
        if not BY_NAME[name].needs_run:
            return self.board.texts[name]
        if name not in self._coded:
            self._coded[name] = _coded(getattr(self.estimates, name))
        return self._coded[name]

    def facet(self, name: str) -> Coded:
        """A column of words as it is filtered."""
        return self.words(name) if BY_NAME[name].needs_run else self.board.facets[name]

    def sort_keys(self, name: str, descending: bool, rows: npt.NDArray[np.intp]) -> FloatArray:
        """For these rows, floats whose ascending order is the wanted order; unknown is +inf, last both ways."""
        if BY_NAME[name].kind in ("text", "list"):
            codes = self.words(name).codes[rows]
            keys = np.where(codes < 0, np.nan, codes)
        else:
            keys = self.numbers(name)[rows]
        if descending:
            keys = -keys
        return np.where(np.isnan(keys), np.inf, keys)

    def shown(self) -> Mask:
        """Offers that can hold the run within its budget and deadline, shape (n,)."""
        return np.asarray(self.estimates.shown, dtype=np.bool_)

    def value(self, name: str, row: int) -> Any:
        """One cell in its plain type; None = unknown."""
        column = BY_NAME[name]
        if column.value is not None:
            return column.value(self.board.facts[row])
        return plain(getattr(self.estimates, name)[row])


def _coded(told: Sequence[object] | npt.NDArray[np.object_]) -> Coded:
    """Words of objects (n,). Of an array few are distinct: each is written out once."""
    if not isinstance(told, np.ndarray):
        return Coded.of(None if value is None else str(value) for value in told)
    marks = np.fromiter(map(id, told), np.int64, len(told))
    _, firsts, numbers = np.unique(marks, return_index=True, return_inverse=True)
    return Coded.of(None if told[row] is None else str(told[row]) for row in firsts).take(numbers)


@per_board(8)
def frame_of(board: Board, estimates: Any) -> Frame:
    """The frame of a board and the estimates of a run, kept for the next question about the same run."""
    return Frame(board, estimates)


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
