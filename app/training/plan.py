"""The search: for each cluster the fastest layout that fits.

Memory depends on the run and its layout only (design rule 7): it is computed once per layout, compared with
every cluster that has that many accelerators, and time is computed only for the pairs that survive.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

import numpy as np

from app.domain.hardware import Cluster
from app.domain.model import ModelShape
from app.domain.run import TrainingRun
from app.training.assumptions_fit import LINK_WORTH, PIPELINE_WORTH, PLAIN_WITHIN
from app.training.calibration import Correction
from app.training.candidates import check
from app.training.layout import FloatArray, IntArray, Layout, Layouts
from app.training.machine import machines_of
from app.training.memory import MemoryTable, memory_of
from app.training.recipe import Recipe
from app.training.space import BoolArray, Pairs, Space, leanest, pairs_that_fit, tight_limit
from app.training.throughput import BOUNDS, TimeTable, time_of

Fit = Literal["fits", "tight", "does_not_fit"]
SECONDS = tuple(f.name for f in fields(TimeTable) if f.name.endswith("_s") and "tokens" not in f.name)
RATES = (*(f.name for f in fields(TimeTable) if "tokens_per_s" in f.name), "mfu")


@dataclass(frozen=True, slots=True)
class Plan:
    """What the search found on one cluster.

    `layout` with its `memory` (GiB per accelerator) and `time` is the fastest that fits, None where nothing
    does. `link_ok`: its exposed communication stays under the run's limit. `leanest` is the layout that needs
    least memory, `need_gib` its high edge; None where the run cannot be laid over the cluster at all.
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


def search(
    shape: ModelShape,
    run: TrainingRun,
    recipe: Recipe,
    clusters: Sequence[Cluster],
    correction: Correction | None = None,
) -> list[Plan]:
    """The fastest layout that fits, for each cluster, in the clusters' order.

    A layout that fits at the high edge comes before one that is tight, one whose exposed
    communication stays under `run.link_share_limit` before one that does not, if it reaches LINK_WORTH of the best
    rate; a pipeline has to be PIPELINE_WORTH faster; among the fastest within PLAIN_WITHIN the plainest wins (fewest kinds of parallelism, then least
    sharding and recomputation, then least memory). `correction` from one's own trial scales memory and rates.

    Raises:
        BadInput: a fixed setting that no hardware could run.
    """
    check(shape, run)
    if not clusters:
        return []
    space = Space.of(shape, run, clusters)
    memory = _corrected(memory_of(shape, recipe, space.layouts), correction)
    pairs = pairs_that_fit(space, memory.high)
    machines = machines_of(*clusters).take(pairs.cluster)
    time = time_of(shape, recipe, space.layouts.take(pairs.layout), machines)
    found = _Found(space, pairs, memory, time, run.link_share_limit, correction)
    chosen = _choose(found)
    return [_plan(found, index, chosen.get(index)) for index in range(len(clusters))]


def leanest_layout(
    shape: ModelShape,
    run: TrainingRun,
    recipe: Recipe,
    cluster: Cluster,
    correction: Correction | None = None,
) -> tuple[Layout, float] | None:
    """The layout that needs least memory on `cluster` and its high edge, GiB per accelerator; None = none exists.

    Raises:
        BadInput: a fixed setting that no hardware could run.
    """
    check(shape, run)
    space = Space.of(shape, run, (cluster,))
    high = _corrected(memory_of(shape, recipe, space.layouts), correction).high
    at = leanest(space, 0, high)
    return None if at is None else (space.layouts.row(at), float(high[at]))


def fit_of(high_gib: float, usable_gib: float) -> Fit:
    """The verdict on memory alone, against what the driver reports (design rule 8).

    It fits where the high edge of the band does; it is tight where the band straddles the card: the expected value
    fits, the high edge does not.
    """
    if high_gib <= usable_gib:
        return "fits"
    return "tight" if high_gib <= tight_limit(usable_gib) else "does_not_fit"


@dataclass(frozen=True, slots=True)
class _Found:
    """Memory of every layout of the space, and the time of every pair that fits."""

    space: Space
    pairs: Pairs
    memory: MemoryTable
    time: TimeTable
    link_share_limit: float
    correction: Correction | None

    @property
    def slow_link(self) -> BoolArray:
        """Pairs that wait for communication longer than the run allows."""
        return self.time.exposed_communication_s > self.link_share_limit * self.time.step_s


def _choose(found: _Found) -> dict[int, int]:
    """Cluster → index of its best pair."""
    space, pairs, high = found.space, found.pairs, found.memory.high
    owner = pairs.cluster
    piped = space.layouts.pipeline_parallel[pairs.layout] > 1
    worth = found.time.tokens_per_s * np.where(piped, 1 - PIPELINE_WORTH.value, 1.0)
    tight = high[pairs.layout] > space.usable[owner]
    evades = worth < LINK_WORTH.value * _best(worth, 2 * owner + tight)
    rank = tight + 2 * (found.slow_link | evades)
    alive = rank == -_best(-rank.astype(np.float64), owner)
    alive &= worth >= (1 - PLAIN_WITHIN.value) * _best(np.where(alive, worth, 0.0), owner)
    rows = np.flatnonzero(alive)
    layout = pairs.layout[rows]
    order = np.lexsort((layout, high[layout], _elaboration(space.layouts.take(layout)), owner[rows]))
    rows = rows[order]
    owners, first = np.unique(owner[rows], return_index=True)
    return {int(one): int(rows[at]) for one, at in zip(owners, first, strict=True)}


def _best(values: FloatArray, group: IntArray) -> FloatArray:
    """For each row the largest value of its group."""
    best = np.full(int(group.max(initial=-1)) + 1, -np.inf)
    np.maximum.at(best, group, values)
    return best[group]


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


def _plan(found: _Found, index: int, pair: int | None) -> Plan:
    space, high = found.space, found.memory.high
    cluster = space.clusters[index]
    lean = leanest(space, index, high)
    if lean is None:
        return Plan(cluster, "does_not_fit")
    least, need = space.layouts.row(lean), float(high[lean])
    if pair is None:
        return Plan(cluster, "does_not_fit", leanest=least, need_gib=need)
    at = int(found.pairs.layout[pair])
    clock = _corrected_clock(figures(found.time, pair), found.correction, cluster.node.accelerator.key)
    return Plan(
        cluster=cluster,
        fit=fit_of(float(high[at]), float(space.usable[index])),
        layout=space.layouts.row(at),
        memory=figures(found.memory, at),
        time=clock,
        bound=BOUNDS[int(clock["bound"])],
        link_ok=not found.slow_link[pair],
        leanest=least,
        need_gib=need,
    )


def _corrected(memory: MemoryTable, correction: Correction | None) -> MemoryTable:
    """Device memory and its band as the trial has it; the terms stay what the formulas say."""
    if correction is None:
        return memory
    return replace(
        memory, **{name: getattr(memory, name) * correction.memory for name in ("device", "low", "high")}
    )


def _corrected_clock(clock: dict[str, float], correction: Correction | None, key: str) -> dict[str, float]:
    if correction is None:
        return clock
    factor = correction.speed_for(key)
    faster = {name: value * factor for name, value in clock.items() if name in RATES}
    return clock | faster | {name: value / factor for name, value in clock.items() if name in SECONDS}


def figures(table: Any, index: int) -> dict[str, float]:
    """One row of a struct of arrays as floats by name."""
    return {f.name: float(getattr(table, f.name)[index]) for f in fields(table)}
