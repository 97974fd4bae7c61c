"""How far the speed model lies from published throughput, beside simpler rules, in the JSON of design.md §7."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import fields
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from app.catalog import Catalog
from app.market.accuracy.summary import Scored, summarise
from app.market.accuracy.throughput_cases import Case, read_cases
from app.training.compute import Workload
from app.training.layout import Layouts
from app.training.machine import machines_of
from app.training.throughput import TimeTable, time_of_work
from app.training.work import realised_share

FloatArray = npt.NDArray[np.float64]
FLAT_MFU = 0.4
CLEAR_DIFFERENCE = 0.15
PEERS = Path(__file__).with_name("throughput_peers.csv")


def score(path: Path, catalog: Catalog) -> dict[str, Any]:
    """Score every case of a CSV file in the columns of `cases/throughput_measured.csv`.

    The measure is tokens per second and accelerator. Beside the keys of every accuracy report: `flat_40_mfu` (the
    rule 40 % of peak ÷ 6 N on the same rows), `order` (pairs of one source that differ by more than 15 %: how many
    are ranked right), `whole_runs` (accelerator-hours of whole runs, realised share included), `peers` (figures
    published for other estimators) and `not_scored` (id → reason).

    Raises:
        BadInput: the file cannot be read or lacks a column.
    """
    cases, skipped = read_cases(path, catalog.accelerators.values())
    steady = [case for case in cases if not case.is_total]
    runs = [case for case in cases if case.is_total]
    table = predict(steady)
    rows = _rows(steady, table)
    reasons = [*skipped.values(), *("whole run: see whole_runs" for _ in runs)]
    flat = [_with_prediction(row, value) for row, value in zip(rows, flat_rule(steady), strict=True)]
    return {
        **summarise(rows, reasons),
        "flat_40_mfu": _brief(summarise(flat, ())),
        "order": order(steady, table.tokens_per_s_per_accelerator),
        "whole_runs": whole_runs(runs),
        "peers": _peers(),
        "not_scored": skipped,
    }


def predict(cases: Sequence[Case]) -> TimeTable:
    """Speed of each case, all at once."""
    work = Workload(**{f.name: _column(cases, f.name) for f in fields(Workload)})
    return time_of_work(
        work, Layouts.of(*(case.layout for case in cases)), machines_of(*(case.cluster for case in cases))
    )


def flat_rule(cases: Sequence[Case]) -> list[float]:
    """Tokens per second and accelerator by the common rule: 40 % of the precision's peak ÷ 6 N."""
    peaks = machines_of(*(case.cluster for case in cases)).flops
    values = []
    for case, peak in zip(cases, peaks, strict=True):
        values.append(FLAT_MFU * float(peak[int(case.work.precision)]) / (6.0 * float(case.work.linear)))
    return values


def order(cases: Sequence[Case], predicted: FloatArray) -> dict[str, Any]:
    """Of pairs in the same source whose measured rates differ by more than 15 %, how many are ranked right.

    A pair is two rows of one source and one model, so that the question is which configuration is faster.
    """
    members: dict[tuple[str, str], list[int]] = {}
    for index, case in enumerate(cases):
        members.setdefault((case.source, case.model), []).append(index)
    pairs = right = 0
    for rows in members.values():
        for a, b in combinations(rows, 2):
            slow, fast = sorted((a, b), key=lambda i: cases[i].measured)
            if cases[fast].measured > (1 + CLEAR_DIFFERENCE) * cases[slow].measured:
                pairs += 1
                right += bool(predicted[fast] > predicted[slow])
    return {"pairs": pairs, "right": right, "share": right / pairs if pairs else None}


def whole_runs(cases: Sequence[Case]) -> dict[str, Any]:
    """Accelerator-hours of whole runs: predicted with the realised share, against the published figure."""
    if not cases:
        return {"rows": 0, "median_abs_error": None, "predictions": []}
    steady = predict(cases).tokens_per_s_per_accelerator
    tokens = np.asarray([case.total_tokens for case in cases])
    hours = tokens / steady / 3600.0
    hours = hours / realised_share(hours)
    measured = tokens / np.asarray([case.measured for case in cases]) / 3600.0
    errors = hours / measured - 1.0
    rows = [
        {"id": case.id, "predicted": float(p), "measured": float(m), "error": float(e)}
        for case, p, m, e in zip(cases, hours, measured, errors, strict=True)
    ]
    return {"rows": len(cases), "median_abs_error": float(np.median(np.abs(errors))), "predictions": rows}


def _column(cases: Sequence[Case], name: str) -> npt.NDArray[Any]:
    kind = np.int64 if name in ("precision", "software") else np.float64
    return np.asarray([getattr(case.work, name) for case in cases], dtype=kind)


def _rows(cases: Sequence[Case], table: TimeTable) -> list[Scored]:
    rate = table.tokens_per_s_per_accelerator
    low, high = (
        rate * table.low_tokens_per_s / table.tokens_per_s,
        rate * table.high_tokens_per_s / table.tokens_per_s,
    )
    return [
        Scored(
            id=case.id,
            predicted=float(rate[i]),
            low=float(low[i]),
            high=float(high[i]),
            measured=case.measured,
            quality=case.quality,
            groups=case.groups,
        )
        for i, case in enumerate(cases)
    ]


def _with_prediction(row: Scored, value: float) -> Scored:
    return Scored(row.id, value, value, value, row.measured, row.quality, row.groups)


def _brief(report: dict[str, Any]) -> dict[str, Any]:
    keys = ("scored", "median_abs_error", "p90_abs_error", "bias", "within_10", "within_20", "groups")
    return {key: report[key] for key in keys}


def _peers() -> list[dict[str, Any]]:
    """Published figures of other estimators; None where a source does not give one."""
    numbers = ("rows", "median_abs_error", "p90_abs_error")
    with PEERS.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return [{**row, **{name: float(row[name]) if row[name] else None for name in numbers}} for row in rows]
