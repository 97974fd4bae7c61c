"""The case files in other people's spelling: the same table must give the same figures."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Mapping
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from app.catalog import load_catalog
from app.market.accuracy.publish import SCORES, figures_of

Table = list[dict[str, str]]
PROSE = {"id", "group", "source", "notes", "note", "raw", "raw_value", "provenance", "torch"}
"""Columns that are read by people only, or (ids, raw names) as they stand."""
BLANKS = ("n/a", "NA", "None", "?", "-", "unknown")


def is_number(text: str) -> bool:
    return re.fullmatch(r"-?\d+(\.\d+)?", text) is not None


def each_cell(rows: Table, change: Callable[[str], str]) -> Table:
    return [{name: cell if name in PROSE else change(cell) for name, cell in row.items()} for row in rows]


def shouted(rows: Table) -> Table:
    return [
        {f" {name.upper().replace('_', ' ')} ": cell for name, cell in row.items()}
        for row in each_cell(rows, lambda cell: f"  {cell.upper()} ")
    ]


def whispered(rows: Table) -> Table:
    return each_cell(rows, str.lower)


def underscored(rows: Table) -> Table:
    return each_cell(rows, lambda cell: cell if is_number(cell) else cell.replace(" ", "_"))


def spaced(rows: Table) -> Table:
    """Models are looked up by name, and a name's hyphens are its own."""
    return [
        row
        | {
            name: re.sub(r"[_-]", "  ", row[name])
            for name in ("kind", "method", "weight_dtype", "optimizer", "sharding", "precision", "act_ckpt", "quality",
                         "attention", "ce_impl", "grad_dtype", "pp_schedule", "framework", "activation_checkpointing",
                         "expected_key", "provider_hint", "checkpointing", "weights", "base_quant", "cpu_offload")
            if name in row
        }
        for row in rows
    ]  # fmt: skip


def blanks_in_words(rows: Table) -> Table:
    """Only where blank and `none` are not two answers."""
    words = cycle(BLANKS)
    two_answers = {"sharding", "activation_checkpointing", "expected_key"}
    return [
        {
            name: cell or ("" if name in PROSE or name in two_answers else next(words))
            for name, cell in row.items()
        }
        for row in rows
    ]


def decimal_commas(rows: Table) -> Table:
    return each_cell(rows, lambda cell: cell.replace(".", ",") if is_number(cell) else cell)


def one_id(rows: Table) -> Table:
    return [{name: "X1" if name == "id" else cell for name, cell in row.items()} for row in rows]


def scored(name: str, path: Path) -> dict[str, Any]:
    """The figures that hold however the table is spelled: groups are called as their cells are."""
    figures = figures_of(SCORES[name][1](path, load_catalog()))
    flat = figures.get("flat_40_mfu", {})
    return {
        key: value
        for key, value in {**figures, "flat_40_mfu": {**flat, "groups": 0}}.items()
        if key != "groups"
    }


@pytest.fixture(scope="module")
def original(shared_dir: Path) -> Mapping[str, dict[str, Any]]:
    return {name: scored(name, shared_dir / "cases" / file) for name, (file, _) in SCORES.items()}


@pytest.mark.shared
@pytest.mark.parametrize(
    "perturbed", [shouted, whispered, underscored, spaced, blanks_in_words, decimal_commas, one_id]
)
@pytest.mark.parametrize("name", SCORES)
def test_another_spelling_of_the_same_table_gives_the_same_figures(
    name: str,
    perturbed: Callable[[Table], Table],
    original: Mapping[str, dict[str, Any]],
    shared_dir: Path,
    tmp_path: Path,
) -> None:
    with (shared_dir / "cases" / SCORES[name][0]).open(newline="", encoding="utf-8") as file:
        rows = perturbed(list(csv.DictReader(file)))
    path = tmp_path / "cases.csv"
    with path.open("w", newline="", encoding="utf-8-sig") as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter=";" if perturbed is decimal_commas else ",")
        writer.writeheader()
        writer.writerows(rows)
    assert scored(name, path) == original[name]
