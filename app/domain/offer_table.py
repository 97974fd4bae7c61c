"""Very many offers as columns: what the database hands up and the board is made of. A single `OfferRecord` is made
only where somebody looks at it."""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

from app.domain.coded import Coded, FloatArray, Listed, RowArray, Words
from app.domain.record import OfferRecord

Kind = Literal["word", "number", "whole", "flag", "moment", "day", "list"]
IdArray = npt.NDArray[np.uint64]


class ListColumn(Protocol):
    """A column of lists of words."""

    def get(self, row: int) -> Words:
        """The list of one row."""

    def take(self, rows: RowArray) -> ListColumn:
        """The lists of these rows, in their order."""

    def words(self) -> Coded:
        """Each list as one text, for sorting; unknown where it is empty."""


@dataclass(frozen=True, slots=True)
class Field:
    """How a field of the record is kept: words `Coded`, lists `Listed`, all else as floats (NaN = unknown; yes and no
    as 1 and 0, moments as epoch seconds, days as ordinals)."""

    name: str
    kind: Kind
    optional: bool


def _field(name: str, hint: Any) -> Field:
    kinds: dict[Any, Kind] = {float: "number", int: "whole", bool: "flag", datetime: "moment", date: "day"}
    union = typing.get_origin(hint) in (types.UnionType, typing.Union)
    (plain, *_) = typing.get_args(hint) if union else (hint,)
    many = typing.get_origin(plain) is tuple
    return Field(name, "list" if many else kinds.get(plain, "word"), union)


FIELDS = {
    name: _field(name, hint) for name, hint in typing.get_type_hints(OfferRecord).items() if name != "id"
}
"""Every field of the record but its id, by name."""

_READ: Mapping[Kind, Callable[[float], Any]] = {
    "number": float,
    "whole": int,
    "flag": bool,
    "moment": lambda seconds: datetime.fromtimestamp(seconds, UTC),
    "day": lambda ordinal: date.fromordinal(int(ordinal)),
}
_KEEP: Mapping[Kind, Callable[[Any], float]] = {
    "moment": lambda moment: moment.timestamp(),
    "day": lambda day: day.toordinal(),
}


@dataclass(frozen=True, slots=True, eq=False)
class OfferTable:
    """`ids` (n,) and the other fields of `OfferRecord` as columns (n,), see `Field`."""

    ids: IdArray
    words: Mapping[str, Coded]
    numbers: Mapping[str, FloatArray]
    lists: Mapping[str, ListColumn]

    @classmethod
    def of(cls, records: Iterable[OfferRecord]) -> OfferTable:
        """The columns of records, in their order."""
        given = list(records)
        by_kind: dict[str, dict[str, Any]] = {"word": {}, "list": {}, "number": {}}
        for field in FIELDS.values():
            values = [getattr(record, field.name) for record in given]
            by_kind[field.kind if field.kind in by_kind else "number"][field.name] = column_of(field, values)
        ids = ids_of([record.id for record in given])
        return cls(ids, by_kind["word"], by_kind["number"], by_kind["list"])

    def __len__(self) -> int:
        return len(self.ids)

    def id(self, row: int) -> str:
        """The id of one offer."""
        return f"{int(self.ids[row]):016x}"

    def record(self, row: int) -> OfferRecord:
        """One offer."""
        return OfferRecord(id=self.id(row), **{name: self._get(field, row) for name, field in FIELDS.items()})

    def records(self, start: int = 0, stop: int | None = None) -> list[OfferRecord]:
        """All offers, or those of a range of rows."""
        rows = range(start, len(self) if stop is None else min(stop, len(self)))
        names = ("id", *FIELDS)
        columns = [map(self.id, rows), *(self._get_all(field, rows) for field in FIELDS.values())]
        return [OfferRecord(**dict(zip(names, row, strict=True))) for row in zip(*columns, strict=True)]

    def take(self, rows: RowArray) -> OfferTable:
        """The offers of these rows, in their order."""
        return OfferTable(
            self.ids[rows],
            {name: column.take(rows) for name, column in self.words.items()},
            {name: column[rows] for name, column in self.numbers.items()},
            {name: column.take(rows) for name, column in self.lists.items()},
        )

    def _get_all(self, field: Field, rows: range) -> Iterator[Any]:
        """The same for many rows, at a tenth of the time per row."""
        if field.kind == "list":
            return map(self.lists[field.name].get, rows)
        if field.kind == "word":
            coded = self.words[field.name]
            names = [*coded.names, None if field.optional else ""]
            return map(names.__getitem__, coded.codes[rows.start : rows.stop].tolist())
        read, numbers = _READ[field.kind], self.numbers[field.name][rows.start : rows.stop].tolist()
        return (None if number != number else read(number) for number in numbers)

    def _get(self, field: Field, row: int) -> Any:
        if field.kind == "list":
            return self.lists[field.name].get(row)
        if field.kind == "word":
            word = self.words[field.name].get(row)
            return word if word is not None or field.optional else ""
        number = self.numbers[field.name][row]
        return None if np.isnan(number) else _READ[field.kind](number)


def column_of(field: Field, values: list[Any]) -> Coded | Listed | FloatArray:
    """A column out of the plain values of a field."""
    if field.kind == "word":
        return Coded.of(values)
    if field.kind == "list":
        return Listed.of(values)
    keep = _KEEP.get(field.kind)
    if keep is not None:
        values = [None if value is None else keep(value) for value in values]
    return np.array(values, dtype=np.float64)  # numpy reads None as NaN


def ids_of(ids: Iterable[str]) -> IdArray:
    """Ids (16 hex digits each) as numbers, (n,), which sort alike."""
    return np.frombuffer(bytes.fromhex("".join(ids)), dtype=">u8").astype(np.uint64)
