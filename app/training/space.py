"""The pairs of layout and cluster that a search has to look at, and which of them hold the job.

Memory depends on the run and its layout only (design rule 7): layouts are enumerated once per distinct number of
accelerators and compared with every cluster of that size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from app.domain.hardware import Cluster, Node
from app.domain.model import ModelShape
from app.domain.run import TrainingRun
from app.training.assumptions_fit import BUS_TENSOR_DEGREE
from app.training.assumptions_memory import value_of
from app.training.candidates import enumerate_layouts
from app.training.layout import FloatArray, IntArray, Layouts

BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Space:
    """Layouts of every distinct (accelerators per node, nodes), and for each cluster its slice of them."""

    clusters: Sequence[Cluster]
    layouts: Layouts
    start: IntArray
    stop: IntArray
    usable: FloatArray
    tensor_cap: IntArray

    @classmethod
    def of(cls, shape: ModelShape, run: TrainingRun, clusters: Sequence[Cluster]) -> Space:
        """The space of a run over the clusters."""
        parts: list[Layouts] = []
        where: dict[tuple[int, int], tuple[int, int]] = {}
        for cluster in clusters:
            key = (max(int(cluster.node.count), 1), cluster.nodes)
            if key not in where:
                first = sum(map(len, parts))
                parts.append(_layouts_for(shape, run, *key))
                where[key] = (first, first + len(parts[-1]))
        spans = [where[(max(int(c.node.count), 1), c.nodes)] for c in clusters]
        return cls(
            clusters=clusters,
            layouts=_concatenate(parts),
            start=np.asarray([a for a, _ in spans], dtype=np.int64),
            stop=np.asarray([b for _, b in spans], dtype=np.int64),
            usable=np.asarray([c.node.accelerator.usable_gib for c in clusters], dtype=np.float64),
            tensor_cap=np.asarray([tensor_cap(c.node, c.nodes) for c in clusters], dtype=np.int64),
        )


@dataclass(frozen=True, slots=True)
class Pairs:
    """Row i: layout `layout[i]` on cluster `cluster[i]`; clusters ascending."""

    cluster: IntArray
    layout: IntArray


def tensor_cap(node: Node, nodes: int) -> int:
    """Most accelerators that one matrix product may be split over: the link domain, two on a plain bus."""
    world = max(int(node.count), 1) * nodes
    if node.link.kind is None or node.link.kind.startswith("pcie"):
        return min(world, max(int(node.count), 1), int(BUS_TENSOR_DEGREE.value))
    return min(world, max(node.link.domain_size, 1))


def _layouts_for(shape: ModelShape, run: TrainingRun, per_node: int, nodes: int) -> Layouts:
    """All layouts; where the global batch is too small for that many accelerators, those that leave some idle."""
    layouts = enumerate_layouts(shape, run, per_node, nodes)
    used = per_node
    while not len(layouts) and nodes == 1 and used > 1:
        used = 2 ** ((used - 1).bit_length() - 1)
        layouts = enumerate_layouts(shape, run, used, 1)
    return layouts


def _concatenate(parts: Sequence[Layouts]) -> Layouts:
    return Layouts(
        **{f.name: np.concatenate([getattr(part, f.name) for part in parts]) for f in fields(Layouts)}
    )


def tight_limit(usable_gib: float) -> float:
    """The high edge, GiB, up to which the expected value still fits in `usable_gib`."""
    return usable_gib * value_of("band.high")


def pairs_that_fit(space: Space, high: FloatArray) -> Pairs:
    """Pairs worth timing: per family of layouts the largest micro-batch that fits and the largest that is tight.

    A larger micro-batch is never slower (fewer launches and collectives, larger products) except under a
    pipeline, where it leaves fewer micro-batches to fill the bubble; there every size is kept.
    """
    layouts = space.layouts
    micro = layouts.micro_batch_size
    ends_family = np.append(micro[1:] <= micro[:-1], True)
    piped = layouts.pipeline_parallel > 1
    rows_cluster: list[IntArray] = []
    rows_layout: list[IntArray] = []
    for i, (start, stop) in enumerate(zip(space.start, space.stop, strict=True)):
        part = slice(start, stop)
        allowed = layouts.tensor_parallel[part] <= space.tensor_cap[i]
        tight = allowed & (high[part] <= tight_limit(float(space.usable[i])))
        fits = tight & (high[part] <= space.usable[i])
        keep = (
            _last_of_family(tight, ends_family[part])
            | _last_of_family(fits, ends_family[part])
            | (tight & piped[part])
        )
        found = np.flatnonzero(keep) + start
        rows_layout.append(found)
        rows_cluster.append(np.full_like(found, i))
    return Pairs(np.concatenate(rows_cluster), np.concatenate(rows_layout))


def _last_of_family(ok: BoolArray, ends_family: BoolArray) -> BoolArray:
    following = np.append(ok[1:], False) & ~ends_family
    return ok & ~following


def leanest(space: Space, index: int, high: FloatArray) -> int | None:
    """The layout that needs least memory on cluster number `index`; None where none can be laid over it."""
    start, stop = int(space.start[index]), int(space.stop[index])
    allowed = np.flatnonzero(space.layouts.tensor_parallel[start:stop] <= space.tensor_cap[index])
    if not len(allowed):
        return None
    return start + int(allowed[np.argmin(high[start:stop][allowed])])
