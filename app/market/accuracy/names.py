"""How well raw accelerator names are resolved, against a file of names with the key that is right."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from app.catalog import Catalog, Resolution
from app.domain.errors import BadInput
from app.market.accuracy.cells import figure, needs, read_table, squeezed, word

COLUMNS = ("raw", "provider_hint", "memory_hint_gb", "expected_key")
HONEST = ("ambiguous", "unknown")


def score(path: Path, catalog: Catalog) -> dict[str, Any]:
    """`rows`, `exact`, `wrong` (a key that is not the right one), `cautious` (ambiguous or unknown where another
    answer is right), `mistakes`, one for every row that is not exact, and `not_scored` (row → reason).

    Raises:
        BadInput: the file is missing or lacks a column.
    """
    columns, rows = read_table(path)
    needs(path, columns, COLUMNS)
    counts = {"rows": len(rows), "exact": 0, "wrong": 0, "cautious": 0}
    mistakes, not_scored = [], {}
    for index, row in enumerate(rows, start=1):
        try:
            memory = figure(row, "memory_hint_gb")
        except BadInput as error:
            not_scored[f"row {index}"] = error.message
            continue
        got = answer(catalog.resolve(row["raw"], word(row, "provider_hint") or None, memory_gb=memory))
        expected = row["expected_key"]
        if squeezed(got) == squeezed(expected):
            counts["exact"] += 1
            continue
        counts["cautious" if got in HONEST else "wrong"] += 1
        mistakes.append({"raw": row["raw"], "expected": expected, "got": got})
    return {**counts, "mistakes": mistakes, "not_scored": not_scored}


def answer(resolution: Resolution) -> str:
    """A resolution in the words of the cases: a key, `ambiguous` or `unknown`; a slice is no whole card."""
    if resolution.status == "known" and resolution.key is not None:
        return resolution.key
    return "ambiguous" if resolution.status == "ambiguous" else "unknown"
