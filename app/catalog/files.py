"""Reading the catalog's files: strict columns, typed cells, and errors that name file, line and column."""

from __future__ import annotations

import csv
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.domain.errors import CatalogError

DATA = Path(__file__).parent / "data"


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table. Every reader raises CatalogError naming file, line and column; blank = None."""

    file: str
    line: int
    cells: dict[str, str]

    def fail(self, column: str, why: str) -> CatalogError:
        """The error for a cell of this row, to be raised by the caller."""
        return CatalogError(f"{self.file}, line {self.line}, column {column}: {why}")

    def text(self, column: str) -> str:
        """The cell as it stands; blank is the empty string."""
        return self.cells[column]

    def required(self, column: str) -> str:
        """The cell, which must not be blank."""
        value = self.cells[column]
        if not value:
            raise self.fail(column, "must not be blank")
        return value

    def optional(self, column: str) -> str | None:
        """The cell, or None where it is blank."""
        return self.cells[column] or None

    def number(self, column: str) -> float | None:
        """A finite number that is not negative, or None where blank."""
        value = self.cells[column]
        if not value:
            return None
        try:
            number = float(value)
        except ValueError:
            raise self.fail(column, f"{value!r} is not a number") from None
        if not 0 <= number < float("inf"):
            raise self.fail(column, f"{value!r} is not a number from 0 up")
        return number

    def positive(self, column: str) -> float:
        """A number above zero."""
        number = self.number(column)
        if not number:
            raise self.fail(column, "must be a number above 0")
        return number

    def integer(self, column: str) -> int | None:
        """A whole number, or None where blank."""
        number = self.number(column)
        if number is not None and number != int(number):
            raise self.fail(column, f"{self.cells[column]!r} is not a whole number")
        return None if number is None else int(number)

    def flag(self, column: str) -> bool:
        """`true` or `false`."""
        value = self.optional_flag(column)
        if value is None:
            raise self.fail(column, "must be true or false")
        return value

    def optional_flag(self, column: str) -> bool | None:
        """`true`, `false`, or None where blank."""
        value = self.cells[column]
        if value not in ("true", "false", ""):
            raise self.fail(column, f"{value!r} is neither true nor false")
        return None if not value else value == "true"

    def choice(self, column: str, options: Sequence[str]) -> str:
        """One of the options."""
        value = self.cells[column]
        if value not in options:
            raise self.fail(column, f"{value!r} is none of {', '.join(options)}")
        return value

    def words(self, column: str) -> tuple[str, ...]:
        """The parts of a list with semicolons; blank is the empty tuple."""
        return tuple(part for part in self.cells[column].split(";") if part)


def read_table(path: Path, columns: Sequence[str]) -> Iterator[Row]:
    """The rows of a CSV file whose header must be exactly `columns`.

    Raises:
        CatalogError: missing file, other columns, a row of another width, surrounding blanks in a cell.
    """
    try:
        handle = path.open(newline="", encoding="utf-8")
    except OSError as error:
        raise CatalogError(f"{path.name}: cannot be read ({error.strerror})") from error
    with handle:
        reader = csv.reader(handle, strict=True)
        try:
            if next(reader, None) != list(columns):
                raise CatalogError(f"{path.name}, line 1: the columns must be {','.join(columns)}")
            for cells in reader:
                yield _row(path.name, reader.line_num, columns, cells)
        except (csv.Error, UnicodeDecodeError) as error:
            raise CatalogError(f"{path.name}, line {reader.line_num + 1}: {error}") from error


def _row(file: str, line: int, columns: Sequence[str], cells: list[str]) -> Row:
    if len(cells) != len(columns):
        raise CatalogError(f"{file}, line {line}: {len(cells)} cells where {len(columns)} are due")
    row = Row(file, line, dict(zip(columns, cells, strict=True)))
    for column, value in row.cells.items():
        if value != value.strip():
            raise row.fail(column, "begins or ends with a blank")
    return row


def read_toml(path: Path) -> dict[str, Any]:
    """A TOML file as a dictionary.

    Raises:
        CatalogError: missing file or a syntax error, with its line and column.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise CatalogError(f"{path.name}: cannot be read ({error.strerror})") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise CatalogError(f"{path.name}: {error}") from error
