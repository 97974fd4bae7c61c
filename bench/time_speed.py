"""How fast step time and cost are computed, in processor time.

    python -m bench.time_speed [ROWS]

Baseline ("scalar loop"): the same formulas called for one pair or offer at a time, on a sample, scaled. Prints the
median of five, microseconds per row.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from statistics import median
from time import process_time

import numpy as np

from app.catalog import load_catalog
from app.domain.hardware import Cluster, Fabric, Host, IntraNodeLink, Node
from app.domain.run import TrainingRun
from app.training.cost import BillingTerms, Work, breakdown, cost_of, prices_of
from app.training.layout import Layout, Layouts
from app.training.machine import machines_of
from app.training.recipe import recipe_for
from app.training.throughput import breakdown as time_breakdown
from app.training.throughput import time_of

SAMPLE = 200


def main(rows: int) -> None:
    catalog = load_catalog()
    run = TrainingRun(model="llama-3.1-8b")
    shape = catalog.model("llama-3.1-8b")
    recipe = recipe_for(shape, run)
    clusters = [_cluster(one.key, one.link_gbytes_per_s) for one in catalog.accelerators.values()]
    layout = Layout(data_parallel=8, sharding="full", shard_group=8, gradient_accumulation=8)
    machines = machines_of(*clusters).take(np.arange(rows) % len(clusters))
    layouts = Layouts.of(layout).take(np.zeros(rows, dtype=np.int64))
    rates = time_of(shape, recipe, layouts, machines)
    _report("step time, all at once", rows, lambda: time_of(shape, recipe, layouts, machines))
    sample = [clusters[i % len(clusters)] for i in range(SAMPLE)]
    _report(
        "step time, one by one", SAMPLE, lambda: [time_breakdown(shape, recipe, layout, c) for c in sample]
    )
    work = Work(
        tokens=1e9,
        tokens_per_s=rates.tokens_per_s,
        low_tokens_per_s=rates.low_tokens_per_s,
        high_tokens_per_s=rates.high_tokens_per_s,
        state_gb=112.0,
        deadline_hours=100.0,
    )
    ones = np.ones(rows)
    prices = prices_of([BillingTerms()] * rows, 20.0 * ones, ones, 8 * ones, np.arange(rows) % 2 == 0)
    _report("cost, all at once", rows, lambda: cost_of(work, prices))
    _report(
        "cost, one by one", SAMPLE, lambda: [breakdown(work, prices, i) for i in range(min(SAMPLE, rows))]
    )


def _cluster(key: str, link: float | None) -> Cluster:
    accelerator = load_catalog().accelerators[key]
    kind = accelerator.link or "pcie4"
    return Cluster(
        Node(accelerator, 8, IntraNodeLink(kind, link, 8, True), Host(None, None, None)),
        1,
        Fabric(None, None, None),
    )


def _report(name: str, rows: int, work: Callable[[], object]) -> None:
    def once() -> float:
        start = process_time()
        work()
        return process_time() - start

    once()
    print(f"{name:28s} {median(once() for _ in range(5)) / rows * 1e6:10.2f} µs a row ({rows} rows)")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
