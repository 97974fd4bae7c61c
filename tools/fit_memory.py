"""Refit the memory estimate's constants with whole sources left out, and say how well it predicts those.

    python -m tools.fit_memory CASES.csv [--passes N] [--publish]

For every source (column `group`) all fitted constants start from the middle of their range and are fitted by
coordinate search to the quality-A rows of the other sources; then the held-out rows are scored. Prints one line a
source and the pooled errors; `--publish` puts the latter on `/methods`. Constants are changed by hand, with their
source, in app/training/assumptions_memory.py.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from app.catalog import load_catalog
from app.market.accuracy.cells import quality_of
from app.market.accuracy.memory import cases_of, predicted, read_rows, scored_case
from app.market.accuracy.memory_cases import Case
from app.market.accuracy.publish import figures_of, record
from app.market.accuracy.summary import Scored, summarise
from app.training import assumptions_memory
from app.training.activations import layer_bytes
from app.training.memory import breakdown

STEPS = 5
HELD_OUT = "memory, constants refitted without the source scored"
PUBLISHED = (
    "rows", "scored", "median_abs_error", "p90_abs_error", "bias", "within_10", "within_20", "band_coverage",
)  # fmt: skip
FITTED = tuple(
    assumption
    for assumption in assumptions_memory.ASSUMPTIONS
    if not assumption.name.startswith("band") and assumption.confidence != "high"
)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("cases", type=Path)
    parser.add_argument("--passes", type=int, default=1)
    parser.add_argument("--publish", action="store_true")
    arguments = parser.parse_args()
    rows = [row for row in read_rows(arguments.cases) if quality_of(row) == "A"]
    models = load_catalog().models
    by_source: dict[str, list[Case]] = {}
    for row in rows:
        cases, _ = cases_of([row], models)
        by_source.setdefault(row.get("group") or "", []).extend(
            c for c in cases if c.measured_gib is not None
        )
    everything = [case for cases in by_source.values() for case in cases]
    report("in sample", errors(everything, {}))
    pooled: list[Scored] = []
    for source, held_out in sorted(by_source.items()):
        if not held_out:
            continue
        rest = [case for name, cases in by_source.items() if name != source for case in cases]
        with changed(fit(rest, arguments.passes)):
            scored = [scored_case(case) for case in held_out]
        report(f"without {source}", _signed(scored))
        pooled.extend(scored)
    report("pooled, held out", _signed(pooled))
    low, high = np.quantile(1 / (1 + _signed(pooled)), (0.05, 0.95))
    print(f"measured ÷ predicted, 5th to 95th percentile held out: {low:.3f} to {high:.3f}")
    if arguments.publish:
        figures = figures_of(summarise(pooled, ()))
        record({HELD_OUT: {name: figures[name] for name in PUBLISHED}}, datetime.now(UTC).date())


def _signed(rows: Sequence[Scored]) -> np.ndarray:
    return np.asarray([row.error for row in rows], dtype=float)


def fit(cases: Sequence[Case], passes: int) -> dict[str, float]:
    """Constants that predict `cases` best, each within its range, from the middle of the ranges."""
    values = {assumption.name: (assumption.low + assumption.high) / 2 for assumption in FITTED}
    best = loss(errors(cases, values))
    for _ in range(passes):
        for assumption in FITTED:
            for value in np.linspace(assumption.low, assumption.high, STEPS):
                trial = values | {assumption.name: float(value)}
                found = loss(errors(cases, trial))
                if found < best - 1e-9:
                    best, values = found, trial
    return values


def errors(cases: Sequence[Case], values: Mapping[str, float]) -> np.ndarray:
    """Signed relative errors of `cases` with `values` in place of the constants."""
    with changed(values):
        found = []
        for case in cases:
            figures = breakdown(case.shape, case.recipe, case.layout)
            found.append(predicted(figures, case) / (case.measured_gib or np.nan) - 1)
    return np.asarray(found)


def loss(found: np.ndarray) -> float:
    """Mean absolute error without the wildest tenth: smooth enough for a search, deaf to a few odd rows."""
    absolute = np.sort(np.abs(found))
    return float(absolute[: max(1, int(0.9 * absolute.size))].mean())


@contextmanager
def changed(values: Mapping[str, float]) -> Iterator[None]:
    """The constants replaced for a while."""
    before = dict(assumptions_memory.VALUES)
    assumptions_memory.VALUES.update(values)
    layer_bytes.cache_clear()
    try:
        yield
    finally:
        assumptions_memory.VALUES.update(before)
        layer_bytes.cache_clear()


def report(name: str, found: np.ndarray) -> None:
    """One line: rows, median and 90th percentile of the absolute error, bias."""
    absolute = np.abs(found)
    print(
        f"{name:32s} {found.size:4d} rows  median {np.median(absolute):6.1%}  "
        f"p90 {np.quantile(absolute, 0.9):6.1%}  bias {np.median(found):+6.1%}",
        flush=True,
    )


if __name__ == "__main__":
    main()
