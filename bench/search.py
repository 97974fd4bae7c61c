"""How long a full search takes, in processor time: one run over every accelerator at 1, 2, 4 and 8 per node.

    python -m bench.search [MODEL] [REPEATS]

Baseline ("scalar loop"): the same formulas called for one layout and one machine at a time, timed on a sample of
the clusters and scaled to all of them.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from statistics import median
from time import process_time

from app.catalog import load_catalog
from app.catalog.shapes import shape_of
from app.domain.hardware import Cluster, Fabric, Host, IntraNodeLink, Node
from app.domain.run import TrainingRun
from app.training.candidates import enumerate_layouts
from app.training.layout import Layouts
from app.training.machine import machines_of
from app.training.memory import memory_of
from app.training.plan import search
from app.training.recipe import recipe_for
from app.training.throughput import time_of

COUNTS = (1, 2, 4, 8)
SAMPLE = 12
TARGET_MS = 150.0


def clusters() -> list[Cluster]:
    """Every accelerator of the catalog as a node of each size."""
    found = []
    for card in load_catalog().accelerators.values():
        for count in COUNTS:
            kind = "none" if count == 1 else card.link or f"pcie{card.pcie_generation or 4}"
            domain = count if card.link else 1
            link = IntraNodeLink(kind, card.link_gbytes_per_s, domain, None)
            node = Node(card, count, link, Host(None, None, None))
            found.append(Cluster(node, 1, Fabric(None, None, None)))
    return found


def vectorised_ms(run: TrainingRun, shapes: Sequence[Cluster], repeats: int) -> float:
    """Median milliseconds of one search."""
    model = shape_of(run, load_catalog())
    times = []
    for _ in range(repeats + 1):
        start = process_time()
        search(model, run, recipe_for(model, run), shapes)
        times.append(1000 * (process_time() - start))
    return median(times[1:])


def scalar_ms(run: TrainingRun, shapes: Sequence[Cluster]) -> float:
    """Milliseconds of the scalar loop, scaled from a sample."""
    model = shape_of(run, load_catalog())
    recipe = recipe_for(model, run)
    sample = shapes[:: max(len(shapes) // SAMPLE, 1)]
    start = process_time()
    for cluster in sample:
        machine = machines_of(cluster)
        layouts = enumerate_layouts(model, run, int(cluster.node.count), 1)
        for index in range(len(layouts)):
            one = Layouts.of(layouts.row(index))
            if memory_of(model, recipe, one).high[0] <= cluster.node.accelerator.usable_gib:
                time_of(model, recipe, one, machine)
    return 1000 * (process_time() - start) * len(shapes) / len(sample)


def main(arguments: Sequence[str]) -> int:
    """Print the figures; 1 where the target is missed."""
    name = arguments[0] if arguments else "llama-3.1-8b"
    repeats = int(arguments[1]) if len(arguments) > 1 else 9
    run, shapes = TrainingRun(model=name), clusters()
    fast, slow = vectorised_ms(run, shapes, repeats), scalar_ms(run, shapes)
    print(f"{len(shapes)} hardware shapes, {name}, full fine-tune")
    print(f"search        {fast:8.1f} ms (target {TARGET_MS:.0f} ms)")
    print(f"scalar loop   {slow:8.0f} ms ({slow / fast:.0f} times as long; scaled from {SAMPLE} shapes)")
    return int(fast > TARGET_MS)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
