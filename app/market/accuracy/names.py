"""How well raw accelerator names are resolved, against a file of names with the key that is right."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from app.catalog import Catalog, Resolution
from app.domain.errors import BadInput

COLUMNS = ("raw", "provider_hint", "memory_hint_gb", "expected_key")
HONEST = ("ambiguous", "unknown")


def score(path: Path, catalog: Catalog) -> dict[str, Any]:
    """`rows`, `exact`, `wrong` (a key that is not the right one), `cautious` (ambiguous or unknown where another
    answer is right) and `mistakes`, one for every row that is not exact.

    Raises:
        BadInput: the file is missing, lacks a column or holds a memory that is not a number.
    """
    counts = {"rows": 0, "exact": 0, "wrong": 0, "cautious": 0}
    mistakes = []
    for row in _rows(path):
        counts["rows"] += 1
        got = answer(catalog.resolve(row["raw"], row["provider_hint"] or None, memory_gb=_memory(row)))
        expected = row["expected_key"].strip()
        if got == expected:
            counts["exact"] += 1
            continue
        counts["cautious" if got in HONEST else "wrong"] += 1
        mistakes.append({"raw": row["raw"], "expected": expected, "got": got})
    return {**counts, "mistakes": mistakes}


def answer(resolution: Resolution) -> str:
    """A resolution in the words of the cases: a key, `ambiguous` or `unknown`; a slice is no whole card."""
    if resolution.status == "known" and resolution.key is not None:
        return resolution.key
    return "ambiguous" if resolution.status == "ambiguous" else "unknown"


def _rows(path: Path) -> list[Mapping[str, str]]:
    try:
        with path.open(newline="", encoding="utf-8-sig") as handle:
            reader = csv.DictReader(handle)
            missing = [name for name in COLUMNS if name not in (reader.fieldnames or ())]
            if missing:
                raise BadInput("file", f"{path.name} has no column {missing[0]}")
            return [{name: row[name] or "" for name in COLUMNS} for row in reader]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BadInput("file", f"{path.name} cannot be read ({error})") from error


def _memory(row: Mapping[str, str]) -> float | None:
    text = row["memory_hint_gb"].strip()
    try:
        return float(text) if text else None
    except ValueError:
        raise BadInput(
            "file", f"memory_hint_gb {text[:40]!r} of {row['raw'][:60]!r} is not a number"
        ) from None
