"""`rackrate accuracy memory`: the memory estimate against measured peaks and out-of-memory reports."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from app.catalog import Catalog
from app.domain.errors import BadInput
from app.domain.model import ModelShape
from app.market.accuracy.cells import Row, quality_of, read_table
from app.market.accuracy.memory_cases import Case, case_of
from app.market.accuracy.memory_oracle import oracle_case_of
from app.market.accuracy.summary import Judgement, Scored, summarise
from app.training.memory import MemoryBreakdown, breakdown
from app.training.plan import fit_of

CARD_CLASSES_GB = (8, 12, 16, 24, 32, 40, 48, 80, 96, 141, 180, 288)
ORACLE_COLUMNS = frozenset({"peak_bytes", "checkpointing"})
MEASURED_COLUMNS = frozenset({"id", "method", "micro_batch"})


def score(path: Path, catalog: Catalog) -> dict[str, Any]:
    """Score the rows of a CSV file in the columns of `memory_measured.csv` or `memory_oracle.csv`.

    The JSON of design.md §7, with `not_scored` (id → reason), `too_small` (A rows sent to a smaller card class
    than they needed) and `rows_a`, `scored_a`.

    Raises:
        BadInput: the file cannot be read or has neither set of columns.
    """
    rows = read_rows(path)
    cases, reasons = cases_of(rows, catalog.models)
    scored = [scored_case(case) for case in cases]
    result = summarise(scored, reasons.values())
    headline = [row for row in rows if quality_of(row) == "A"]
    taken = {case.id for case in cases}
    return result | {
        "not_scored": reasons,
        "rows_a": len(headline),
        "scored_a": sum((row.get("id") or "") in taken for row in headline),
        "too_small": _too_small(scored),
    }


def read_rows(path: Path) -> list[dict[str, str]]:
    """Rows by header; raises BadInput where the file is not such a table."""
    columns, rows = read_table(path)
    if not any(set(columns) >= needed for needed in (ORACLE_COLUMNS, MEASURED_COLUMNS)):
        raise BadInput("file", f"{path.name} has neither the measured nor the oracle columns")
    return rows


def cases_of(rows: Iterable[Row], models: Mapping[str, ModelShape]) -> tuple[list[Case], dict[str, str]]:
    """The rows that can be taken, and why each of the others cannot (id → reason)."""
    cases, reasons = [], {}
    for index, row in enumerate(rows):
        identity = row.get("id") or f"row {index + 1}"
        reader = oracle_case_of if set(row) >= ORACLE_COLUMNS else case_of
        try:
            cases.append(reader(row, models))
        except BadInput as error:
            reasons[identity] = error.message
    return cases, reasons


def scored_case(case: Case) -> Scored:
    """The prediction of one case, in the metric that its source read."""
    figures = breakdown(case.shape, case.recipe, case.layout)
    value = predicted(figures, case)
    return Scored(
        id=case.id,
        predicted=value,
        low=value * figures.low / figures.device,
        high=value * figures.high / figures.device,
        measured=case.measured_gib if case.outcome == "measured" else None,
        quality=case.quality,
        groups=case.groups,
        outcome=case.outcome,
        verdict=verdict_of(figures, case),
    )


def verdict_of(figures: MemoryBreakdown, case: Case) -> Judgement | None:
    """Fits at the high edge of the band (design rule 8); does not fit where even the expected value is beyond what
    the driver reports; tight where the band straddles it. None: the card is not known."""
    if case.usable_gib is None:
        return None
    fit = fit_of(figures.high, case.usable_gib)
    return "tight" if fit == "does_not_fit" and case.recipe.paged else fit


def predicted(figures: MemoryBreakdown, case: Case) -> float:
    """Allocated, reserved or device, GiB; a paged optimizer spills what the card cannot hold."""
    names = {
        "allocated": figures.peak_allocated,
        "reserved": figures.peak_reserved,
        "device": figures.device,
    }
    value = names[case.metric]
    return min(value, case.usable_gib) if case.recipe.paged and case.usable_gib else value


def _too_small(rows: Iterable[Scored]) -> int:
    """A rows whose prediction picks a smaller card class than the measured peak needs."""
    return sum(
        _class(row.high) < _class(row.measured)
        for row in rows
        if row.measured is not None and row.quality == "A"
    )


def _class(gib: float) -> float:
    return next((size for size in CARD_CLASSES_GB if gib <= size), float("inf"))
