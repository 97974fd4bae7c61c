"""One reader for every table of cases: headers, blanks, numbers and words as people and spreadsheets spell them."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from app.domain.errors import BadInput
from app.domain.sentence import Sentence

Row = Mapping[str, str | None]
UNKNOWN_QUALITY = "B"

_BLANK = re.compile(
    r"(|n\.?/?a\.?|nan|null|nil|none|unknown|[?.–—-]+|not (stated|given|known|reported|published))(\s*\(.*\))?",
    re.IGNORECASE | re.DOTALL,
)
_NUMBER = re.compile(
    r"[~≈<≤]?\s*([-+]?(?:\d[\d.,]*|\.\d+)(?:e[-+]?\d+)?)(?![\d.,])(.*)", re.IGNORECASE | re.DOTALL
)
_RANGE = re.compile(r"\s*(?:[-–—x×*/]|to\b|\.\.)\s*\d", re.IGNORECASE)
_SUFFIX = re.compile(r"\s?([kmbt]|mi?b)\b", re.IGNORECASE)
_POINT = re.compile(r"[-+]?(\d+|\d{1,3}(,\d{3})+)?(\.\d*)?(e[-+]?\d+)?", re.IGNORECASE)
_COMMA = re.compile(r"[-+]?\d+,\d+")
_THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2},\d{3}")
_SCALES = {"k": 1e3, "m": 1e6, "b": 1e9, "t": 1e12, "mb": 2**-10, "mib": 2**-10}
_LARGEST = 1e18


def read_table(path: Path) -> tuple[tuple[str, ...], list[dict[str, str]]]:
    """Columns and rows of a CSV file with commas, semicolons or tabs between its cells.

    Column names come in lower case with underscores, cells without spaces around; a column that writes decimal commas
    (`37,4`) is read with points. Every `id` is there and is its row's alone: `row 3`, `A7 (row 4)` for the second A7.

    Raises:
        BadInput: no such file, no text in UTF-8, no table, or two columns of one name.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
        lines = list(csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text)))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BadInput("file", f"{path.name} cannot be read: {error}") from None
    columns = tuple(_column(name) for name in lines[0]) if lines else ()
    twice = [name for name, count in Counter(columns).items() if name and count > 1]
    if twice:
        raise BadInput("file", f"{path.name} has two columns {twice[0]}")
    filled = [[cell.strip() for cell in line] for line in lines[1:] if line]
    rows = [dict(zip(columns, [*line, *[""] * len(columns)], strict=False)) for line in filled]
    for column in columns:
        _point_decimals(rows, column)
    if "id" in columns:
        _tell_apart(rows)
    return columns, rows


def needs(path: Path, columns: Iterable[str], required: Iterable[str]) -> None:
    """Raises BadInput where a required column is missing."""
    given = set(columns)
    missing = next((name for name in required if name not in given), None)
    if missing is not None:
        raise BadInput("file", f"{path.name} has no column {missing!r}")


def is_blank(text: str) -> bool:
    """Nothing, or a word for nothing: `n/a`, `none`, `?`, `-`, `unknown`, `n/a (1 GPU)`."""
    return _BLANK.fullmatch(text.strip()) is not None


def figure(row: Row, column: str) -> float | None:
    """The number that the cell begins with (`8,192`, `8k`, `2048 (packed)`, `70B`); None where blank or absent.

    A letter behind it scales it (in a column `…_b`, billions are the unit; a length counts in 1024), MiB become GiB.

    Raises:
        BadInput: neither blank nor one number; the sentence repeats the cell.
    """
    text = (row.get(column) or "").strip()
    if is_blank(text):
        return None
    found = _NUMBER.fullmatch(text)
    digits = found[1].rstrip(".,") if found else ""
    if found is None or not _POINT.fullmatch(digits) or _RANGE.match(found[2]):
        raise BadInput(column, Sentence("{column} is not one number (given: {text})", _said(column, text)))
    value = float(digits.replace(",", "")) * _scale(column, found[2])
    if not abs(value) < _LARGEST:
        raise BadInput(column, Sentence("{column} is too large (given: {text})", _said(column, text)))
    return value


def word(row: Row, column: str) -> str:
    """The cell in lower case with single spaces; empty where blank or absent."""
    text = (row.get(column) or "").strip()
    return "" if is_blank(text) else re.sub(r"\s+", " ", text.lower())


def squeezed(text: str) -> str:
    """Lower case without spaces, hyphens and underscores: sources spell `ZeRO-3`, `zero3` and `zero_3` alike."""
    return re.sub(r"[\s_-]+", "", text.lower())


def has(text: str, *parts: str) -> bool:
    """One of the parts occurs in the text, both squeezed."""
    given = squeezed(text)
    return any(squeezed(part) in given for part in parts)


def begins(text: str, *parts: str) -> bool:
    """The text begins with one of the parts, both squeezed."""
    return squeezed(text).startswith(tuple(squeezed(part) for part in parts))


def names(text: str, name: str) -> bool:
    """The text contains the name, whose words may be joined by a space, a hyphen, an underscore or nothing."""
    return re.search(r"[\s_-]*".join(map(re.escape, name.split())), text, re.IGNORECASE) is not None


def quality_of(row: Row, otherwise: str = UNKNOWN_QUALITY) -> str:
    """A, B or C in capitals; `otherwise` where blank."""
    return word(row, "quality").upper() or otherwise


def _delimiter(text: str) -> str:
    header = text.partition("\n")[0]
    return max(",;\t", key=header.count)


def _column(name: str) -> str:
    return re.sub(r"[\s_-]+", "_", name.strip().lower())


def _point_decimals(rows: list[dict[str, str]], column: str) -> None:
    """Read a column's commas as points where one cell at least can only be a decimal comma, and none can have points
    or groups: `37,4` says what `40,513` below it means."""
    cells = [row[column] for row in rows]
    commas = [cell for cell in cells if _COMMA.fullmatch(cell)]
    pointed = any("." in cell and _POINT.fullmatch(cell) for cell in cells)
    if pointed or all(_THOUSANDS.fullmatch(cell) for cell in commas):
        return
    for row in rows:
        if _COMMA.fullmatch(row[column]):
            row[column] = row[column].replace(",", ".")


def _tell_apart(rows: list[dict[str, str]]) -> None:
    seen: set[str] = set()
    for index, row in enumerate(rows, start=1):
        given = row["id"]
        row["id"] = f"row {index}" if not given else f"{given} (row {index})" if given in seen else given
        seen.add(given)


def _scale(column: str, behind: str) -> float:
    found = _SUFFIX.match(behind)
    if found is None:
        return 1.0
    unit = found[1].lower()
    if unit in ("mb", "mib"):
        return _SCALES[unit] if column.endswith("_gib") else 1.0
    if column == "seq_len" and unit == "k":
        return 1024.0
    return _SCALES[unit] / (1e9 if column.endswith("_b") else 1.0)


def _said(column: str, text: str) -> dict[str, str]:
    return {"column": column, "text": repr(text[:40])}
