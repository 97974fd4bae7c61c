"""Words of very many rows, each kept once and pointed at."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
CodeArray = npt.NDArray[np.int32]
RowArray = npt.NDArray[np.intp]
Mask = npt.NDArray[np.bool_]
Words = tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Coded:
    """A column of words: `names` are the distinct words in reading order, `codes` (n,) index them, -1 = unknown."""

    codes: CodeArray
    names: Words

    @classmethod
    def of(cls, values: Iterable[str | None]) -> Coded:
        """Encode words; unknown stays unknown."""
        seen: defaultdict[str | None, int] = defaultdict(
            count().__next__
        )  # numbered as they come, in one pass
        numbers = np.fromiter(map(seen.__getitem__, values), np.int32)
        names = tuple(sorted(filter(None, seen), key=lambda name: (name.casefold(), name)))
        code: dict[str | None, int] = {None: -1, "": -1}
        code |= {name: index for index, name in enumerate(names)}
        return cls(np.fromiter(map(code.__getitem__, seen), np.int32, len(seen))[numbers], names)

    def where(self, wanted: Callable[[str], bool], unknown: bool = False) -> Mask:
        """Rows whose word is wanted, shape (n,). Asks once per distinct word, not per row."""
        table = np.fromiter((*map(wanted, self.names), unknown), np.bool_, len(self.names) + 1)
        return table[self.codes]

    def take(self, rows: RowArray | CodeArray) -> Coded:
        """The words of these rows, in their order."""
        return Coded(self.codes[rows], self.names)

    def get(self, row: int) -> str | None:
        """The word of one row."""
        code = int(self.codes[row])
        return self.names[code] if code >= 0 else None

    def numbers(self, of: Callable[[str], float | None]) -> FloatArray:
        """A number for every row that depends on its word alone, (n,); NaN = unknown."""
        return np.array([*map(of, self.names), None], np.float64)[self.codes]

    def order(self) -> npt.NDArray[np.intp]:
        """For every row the place of its word in the plain order of texts, (n,); unknown comes first."""
        place = np.empty(len(self.names) + 1, np.intp)
        place[-1] = 0
        place[sorted(range(len(self.names)), key=self.names.__getitem__)] = np.arange(1, len(self.names) + 1)
        return place[self.codes]


@dataclass(frozen=True, slots=True, eq=False)
class Listed:
    """A column of short lists of words: `values` are the distinct lists, `codes` (n,) index them."""

    codes: CodeArray
    values: tuple[Words, ...]

    @classmethod
    def of(cls, values: Iterable[Words]) -> Listed:
        """Encode lists."""
        given = list(values)
        code = {value: index for index, value in enumerate(dict.fromkeys(given))}
        return cls(np.fromiter(map(code.__getitem__, given), np.int32, len(given)), tuple(code))

    def where(self, wanted: Callable[[Words], bool]) -> Mask:
        """Rows whose list is wanted, shape (n,)."""
        return np.fromiter(map(wanted, self.values), np.bool_, len(self.values))[self.codes]

    def take(self, rows: RowArray) -> Listed:
        """The lists of these rows, in their order."""
        return Listed(self.codes[rows], self.values)

    def get(self, row: int) -> Words:
        """The list of one row."""
        return self.values[int(self.codes[row])]

    def words(self) -> Coded:
        """Each list as one text, for sorting; unknown where it is empty."""
        return Coded.of(map(" ".join, self.values)).take(self.codes)

    def with_word(self, word: str, rows: Mask) -> Listed:
        """The same with a word at the end of the lists of `rows` (n,) that do not have it."""
        longer = [value if word in value else (*value, word) for value in self.values]
        values = {value: index for index, value in enumerate(dict.fromkeys((*self.values, *longer)))}
        as_given = np.fromiter(map(values.__getitem__, self.values), np.int32, len(self.values))
        with_it = np.fromiter(map(values.__getitem__, longer), np.int32, len(longer))
        return Listed(np.where(rows, with_it[self.codes], as_given[self.codes]), tuple(values))


def distinct_rows(keys: Sequence[tuple[npt.NDArray[np.integer], int]]) -> tuple[RowArray, RowArray]:
    """The first row of each distinct combination, in order of appearance, and for every row the number of its
    combination, (n,). A key is codes from 0 on and how many there may be."""
    joined, size = np.zeros(len(keys[0][0]), np.int64), 1
    for codes, most in keys:
        if size * most >= 2**62:
            names, joined = np.unique(joined, return_inverse=True)
            size = len(names)
        joined, size = joined * most + codes, size * most
    _, firsts, numbers = np.unique(joined, return_index=True, return_inverse=True)
    order = np.argsort(firsts)
    place = np.empty(len(order), np.intp)
    place[order] = np.arange(len(order))
    return firsts[order], place[numbers]


def number_key(values: FloatArray) -> tuple[npt.NDArray[np.integer], int]:
    """Numbers as a key of `distinct_rows`; unknown is a value of its own."""
    names, codes = np.unique(values, return_inverse=True)
    return codes, len(names)


def word_key(words: Coded) -> tuple[npt.NDArray[np.integer], int]:
    """Words as a key of `distinct_rows`; unknown is a value of its own."""
    return words.codes + 1, len(words.names) + 1
