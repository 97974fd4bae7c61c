"""The search: for each cluster the fastest layout that fits.

Memory depends on the run and its layout only (design rule 7): it is computed once per layout, compared with
every cluster that has that many accelerators, and time is computed only for the pairs that survive.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from app.domain.hardware import Cluster, Node
from app.domain.model import ModelShape
from app.domain.run import TrainingRun
from app.training.assumptions_fit import BUS_TENSOR_DEGREE, FITS_SHARE, PIPELINE_WORTH, PLAIN_WITHIN
from app.training.candidates import check, enumerate_layouts
from app.training.layout import FloatArray, IntArray, Layout, Layouts
from app.training.machine import machines_of
from app.training.memory import memory_of
from app.training.recipe import Recipe
from app.training.throughput import BOUNDS, TimeTable, time_of

Fit = Literal["fits", "tight", "does_not_fit"]
BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Plan:
    """What the search found on one cluster.

    `layout` with its `memory` (GiB per accelerator) and `time` is the fastest that fits, None where nothing
    does. `link_ok`: its exposed communication stays under the run's limit. `leanest` is the layout that needs
    least memory, `need_gib` its high edge; None where the run cannot be laid over the cluster at all, and then
    `tensor_wanted` is the smallest tensor-parallel degree that a fixed setting asks for beyond the link domain.
    """

    cluster: Cluster
    fit: Fit
    layout: Layout | None = None
    memory: Mapping[str, float] | None = None
    time: Mapping[str, float] | None = None
    bound: str | None = None
    link_ok: bool = True
    leanest: Layout | None = None
    need_gib: float | None = None
    tensor_wanted: int | None = None

    @property
    def usable_gib(self) -> float:
        """GiB of one accelerator that a job is judged against."""
        return self.cluster.node.accelerator.usable_gib

    @property
    def headroom_gib(self) -> float | None:
        """GiB left at the high edge; negative where it does not fit, None where nothing could be laid out."""
        need = self.memory["high"] if self.memory is not None else self.need_gib
        return None if need is None else self.usable_gib - need

    @property
    def exposed_share(self) -> float | None:
        """Share of a step that waits for communication."""
        return None if self.time is None else self.time["exposed_communication_s"] / self.time["step_s"]


def search(shape: ModelShape, run: TrainingRun, recipe: Recipe, clusters: Sequence[Cluster]) -> list[Plan]:
    """The fastest layout that fits, for each cluster, in the clusters' order.

    A layout that fits at FITS_SHARE of the memory comes before one that is tight, one whose exposed
    communication stays under `run.link_share_limit` before one that does not; a pipeline has to be PIPELINE_WORTH
    faster; among the fastest within PLAIN_WITHIN the plainest wins (fewest kinds of parallelism, then least sharding and recomputation, then
    least memory).

    Raises:
        BadInput: a fixed setting that no hardware could run.
    """
    check(shape, run)
    if not clusters:
        return []
    space = _Space.of(shape, run, clusters)
    memory = memory_of(shape, recipe, space.layouts)
    high = memory.high
    pairs = _pairs_that_fit(space, high)
    machines = machines_of(*clusters)
    time = time_of(shape, recipe, space.layouts.take(pairs.layout), machines.take(pairs.cluster))
    chosen = _choose(space, pairs, high, time, run.link_share_limit)
    return [_plan(space, i, chosen.get(i), pairs, memory, time, run) for i in range(len(clusters))]


def leanest_layout(
    shape: ModelShape, run: TrainingRun, recipe: Recipe, cluster: Cluster
) -> tuple[Layout, float] | None:
    """The layout that needs least memory on `cluster` and its high edge, GiB per accelerator; None = none exists.

    Raises:
        BadInput: a fixed setting that no hardware could run.
    """
    check(shape, run)
    space = _Space.of(shape, run, (cluster,))
    high = memory_of(shape, recipe, space.layouts).high
    at = _leanest(space, 0, high)
    return None if at is None else (space.layouts.row(at), float(high[at]))


def fit_of(high_gib: float, usable_gib: float) -> Fit:
    """The verdict on memory alone (design rule 8): at the high edge, against what the driver reports."""
    if high_gib <= FITS_SHARE.value * usable_gib:
        return "fits"
    return "tight" if high_gib <= usable_gib else "does_not_fit"


@dataclass(frozen=True, slots=True)
class _Space:
    """Layouts of every distinct (accelerators per node, nodes), and for each cluster its slice of them."""

    clusters: Sequence[Cluster]
    layouts: Layouts
    start: IntArray
    stop: IntArray
    usable: FloatArray
    tensor_cap: IntArray

    @classmethod
    def of(cls, shape: ModelShape, run: TrainingRun, clusters: Sequence[Cluster]) -> _Space:
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
class _Pairs:
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


def _pairs_that_fit(space: _Space, high: FloatArray) -> _Pairs:
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
        tight = allowed & (high[part] <= space.usable[i])
        fits = tight & (high[part] <= FITS_SHARE.value * space.usable[i])
        keep = (
            _last_of_family(tight, ends_family[part])
            | _last_of_family(fits, ends_family[part])
            | (tight & piped[part])
        )
        found = np.flatnonzero(keep) + start
        rows_layout.append(found)
        rows_cluster.append(np.full_like(found, i))
    return _Pairs(np.concatenate(rows_cluster), np.concatenate(rows_layout))


def _last_of_family(ok: BoolArray, ends_family: BoolArray) -> BoolArray:
    following = np.append(ok[1:], False) & ~ends_family
    return ok & ~following


def _choose(
    space: _Space, pairs: _Pairs, high: FloatArray, time: TimeTable, link_share_limit: float
) -> dict[int, int]:
    """Cluster → index of its best pair."""
    if not len(pairs.cluster):
        return {}
    clusters = len(space.clusters)
    tight = high[pairs.layout] > FITS_SHARE.value * space.usable[pairs.cluster]
    slow_link = time.exposed_communication_s > link_share_limit * time.step_s
    rank = tight + 2 * slow_link
    best_rank = np.full(clusters, 9)
    np.minimum.at(best_rank, pairs.cluster, rank)
    alive = rank == best_rank[pairs.cluster]
    piped = space.layouts.pipeline_parallel[pairs.layout] > 1
    worth = time.tokens_per_s * np.where(piped, 1 - PIPELINE_WORTH.value, 1.0)
    best_worth = np.zeros(clusters)
    np.maximum.at(best_worth, pairs.cluster[alive], worth[alive])
    alive &= worth >= (1 - PLAIN_WITHIN.value) * best_worth[pairs.cluster]
    rows = np.flatnonzero(alive)
    layout = pairs.layout[rows]
    order = np.lexsort((layout, high[layout], _elaboration(space.layouts.take(layout)), pairs.cluster[rows]))
    rows = rows[order]
    owners, first = np.unique(pairs.cluster[rows], return_index=True)
    return {int(owner): int(rows[at]) for owner, at in zip(owners, first, strict=True)}


def _elaboration(layouts: Layouts) -> IntArray:
    """How much there is to set up; 0 = plain data parallel without recomputation."""
    kinds = sum(
        weight * (degree > 1)
        for weight, degree in (
            (40, layouts.pipeline_parallel),
            (30, layouts.expert_parallel),
            (20, layouts.context_parallel),
            (20, layouts.tensor_parallel),
        )
    )
    return np.asarray(kinds + 3 * layouts.sharding + layouts.checkpointing, dtype=np.int64)


def _plan(
    space: _Space, index: int, pair: int | None, pairs: _Pairs, memory: Any, time: TimeTable, run: TrainingRun
) -> Plan:
    cluster, usable = space.clusters[index], float(space.usable[index])
    leanest = _leanest(space, index, memory.high)
    if leanest is None:
        return Plan(cluster, "does_not_fit", tensor_wanted=run.tensor_parallel)
    lean, need = space.layouts.row(leanest), float(memory.high[leanest])
    if pair is None:
        return Plan(cluster, "does_not_fit", leanest=lean, need_gib=need)
    at = int(pairs.layout[pair])
    clock = figures(time, pair)
    return Plan(
        cluster=cluster,
        fit=fit_of(float(memory.high[at]), usable),
        layout=space.layouts.row(at),
        memory=figures(memory, at),
        time=clock,
        bound=BOUNDS[int(clock["bound"])],
        link_ok=clock["exposed_communication_s"] <= run.link_share_limit * clock["step_s"],
        leanest=lean,
        need_gib=need,
    )


def _leanest(space: _Space, index: int, high: FloatArray) -> int | None:
    start, stop = int(space.start[index]), int(space.stop[index])
    allowed = np.flatnonzero(space.layouts.tensor_parallel[start:stop] <= space.tensor_cap[index])
    if not len(allowed):
        return None
    return start + int(allowed[np.argmin(high[start:stop][allowed])])


def figures(table: Any, index: int) -> dict[str, float]:
    """One row of a struct of arrays as floats by name."""
    return {f.name: float(getattr(table, f.name)[index]) for f in fields(table)}
