"""What the short codes in the source cells of the data stand for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from app.catalog.files import DATA, read_table

COLUMNS = ("code", "source", "weight")
_WORD = re.compile(r"\b[A-Z]{2,8}\b")


@dataclass(frozen=True, slots=True)
class Citation:
    """One source: its code, what it is, and how much it weighs (vendor, measured, secondary …)."""

    code: str
    source: str
    weight: str


@cache
def read_citations(folder: Path = DATA) -> Mapping[str, Citation]:
    """Every source by its code.

    Raises:
        CatalogError: the file is malformed.
    """
    rows = read_table(folder / "citations.csv", COLUMNS)
    found = [Citation(*(row.required(name) for name in COLUMNS)) for row in rows]
    return {one.code: one for one in found}


def cited_in(text: str) -> list[Citation]:
    """The sources that a cell names, in order of appearance."""
    known = read_citations()
    return [known[word] for word in dict.fromkeys(_WORD.findall(text)) if word in known]
