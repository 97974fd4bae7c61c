"""Step time and speed of a run: compute + exposed communication + pipeline bubble + optimizer + synchronisation.

`time_of` serves thousands of (layout, machine) pairs at once; `breakdown` explains one of them, from the same
figures. Formulas: the methods page; constants: assumptions_time.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal

import numpy as np
import numpy.typing as npt

from app.domain.hardware import Cluster
from app.domain.model import ModelShape
from app.domain.sentence import N_, Sentence
from app.training.assumptions_time import BAND, DEFAULTS, MIXTURE_BAND, SOFTWARE, Constants
from app.training.communication import CommunicationTime, communication_time
from app.training.compute import ComputeTime, Workload, compute_time, model_flops_per_token
from app.training.layout import Layout, Layouts
from app.training.machine import Machines, machines_of
from app.training.recipe import Recipe
from app.training.time_terms import TimeTerm, terms_of
from app.training.workload import workload_of

FloatArray = npt.NDArray[np.float64]
Bound = Literal["compute", "memory", "link", "fabric", "launch"]
BOUNDS: tuple[Bound, ...] = ("compute", "memory", "link", "fabric", "launch")

BOUND_SENTENCES: dict[Bound, str] = {
    "compute": N_("Arithmetic sets the pace: {share} of the step is matrix products and attention."),
    "memory": N_("Memory bandwidth sets the pace: {share} of the step moves weights and activations."),
    "link": N_("The link between accelerators of a node sets the pace: {share} of the step waits for it."),
    "fabric": N_("The network between nodes sets the pace: {share} of the step waits for it."),
    "launch": N_(
        "Too little work at a time: {share} of the step launches kernels; a larger micro-batch helps."
    ),
}


@dataclass(frozen=True, slots=True)
class TimeTable:
    """Speed of many pairs, shape (n,). `tokens_per_s*` and their edges in tokens per second, `mfu` a share of the
    peak of the precision, `*_s` in seconds per optimizer step; `bound` indexes BOUNDS."""

    tokens_per_s: FloatArray
    tokens_per_s_per_accelerator: FloatArray
    low_tokens_per_s: FloatArray
    high_tokens_per_s: FloatArray
    mfu: FloatArray
    step_s: FloatArray
    compute_s: FloatArray
    communication_s: FloatArray
    exposed_communication_s: FloatArray
    bubble_s: FloatArray
    optimizer_s: FloatArray
    memory_bound: npt.NDArray[np.bool_]
    bound: npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class TimeBreakdown:
    """One pair: the row of the table as floats, `terms`, and what bounds it as a sentence."""

    tokens_per_s: float
    tokens_per_s_per_accelerator: float
    low_tokens_per_s: float
    high_tokens_per_s: float
    mfu: float
    step_s: float
    compute_s: float
    communication_s: float
    exposed_communication_s: float
    bubble_s: float
    optimizer_s: float
    memory_bound: bool
    bound: Bound
    why: Sentence
    terms: tuple[TimeTerm, ...]


def time_of(shape: ModelShape, recipe: Recipe, layouts: Layouts, machines: Machines) -> TimeTable:
    """Speed of each layout on the machine of the same row (one machine serves all layouts).

    Shapes: layouts (n,), machines (n,) or (1,). Raises ValueError where the lengths do not agree.
    """
    machines = aligned(machines, len(layouts))
    return _table(*_parts(workload_of(shape, recipe), layouts, machines, DEFAULTS))


def time_of_work(
    work: Workload, layouts: Layouts, machines: Machines, constants: Constants = DEFAULTS
) -> TimeTable:
    """The same for a workload whose figures are given, one per row or one for all."""
    return _table(*_parts(work, layouts, aligned(machines, len(layouts)), constants))


def breakdown(shape: ModelShape, recipe: Recipe, layout: Layout, cluster: Cluster) -> TimeBreakdown:
    """Every term of one step on one cluster."""
    parts = _parts(workload_of(shape, recipe), Layouts.of(layout), machines_of(cluster), DEFAULTS)
    table = _table(*parts)
    row = {f.name: getattr(table, f.name)[0].item() for f in fields(table)}
    bound = BOUNDS[row["bound"]]
    share = _groups(parts[3], parts[4])[row["bound"]][0] / row["step_s"]
    why = Sentence(BOUND_SENTENCES[bound], {"share": f"{share:.0%}"})
    return TimeBreakdown(**{**row, "bound": bound}, why=why, terms=terms_of(parts[3], parts[4]))


def aligned(machines: Machines, rows: int) -> Machines:
    """Machines repeated to `rows` where there is one; raises ValueError where lengths do not agree."""
    if len(machines) == rows:
        return machines
    if len(machines) != 1:
        raise ValueError(f"{len(machines)} machines do not go with {rows} layouts")
    return machines.take(np.zeros(rows, dtype=np.int64))


_Parts = tuple[Workload, Layouts, Machines, ComputeTime, CommunicationTime]


def _parts(work: Workload, layouts: Layouts, machines: Machines, constants: Constants) -> _Parts:
    compute = compute_time(work, layouts, machines, constants)
    return work, layouts, machines, compute, communication_time(work, layouts, machines, compute, constants)


def _table(
    work: Workload, layouts: Layouts, machines: Machines, compute: ComputeTime, links: CommunicationTime
) -> TimeTable:
    exposed = links.exposed_tensor + links.exposed_data + links.exposed_other + links.offload + links.sync
    step = compute.busy + exposed + links.bubble + compute.optimizer + compute.fixed
    rate = (
        layouts.data_parallel
        * layouts.micro_batch_size
        * layouts.gradient_accumulation
        * work.sequence
        / step
    )
    per_accelerator = rate / layouts.world_size
    peak = np.take_along_axis(machines.flops, np.broadcast_to(work.precision, (len(step),))[:, None], axis=1)[
        :, 0
    ]
    low, high = _band(work)
    groups = np.stack(_groups(compute, links))
    return TimeTable(
        tokens_per_s=rate,
        tokens_per_s_per_accelerator=per_accelerator,
        low_tokens_per_s=rate * low,
        high_tokens_per_s=rate * high,
        mfu=per_accelerator * model_flops_per_token(work) / np.maximum(peak, 1.0),
        step_s=step,
        compute_s=compute.busy,
        communication_s=links.tensor
        + links.data
        + links.context
        + links.expert
        + links.stages
        + links.offload,
        exposed_communication_s=exposed,
        bubble_s=links.bubble,
        optimizer_s=compute.optimizer + compute.fixed,
        memory_bound=groups[1] > groups[0],
        bound=np.argmax(groups, axis=0),
    )


def _band(work: Workload) -> tuple[FloatArray, FloatArray]:
    edges = np.asarray([BAND[name] for name in SOFTWARE])[work.software]
    edges = edges * np.where(np.asarray(work.experts_per_token)[..., None] > 0, MIXTURE_BAND, 1.0)
    return edges[..., 0], edges[..., 1]


def _groups(compute: ComputeTime, links: CommunicationTime) -> tuple[FloatArray, ...]:
    """Seconds that each of BOUNDS is answerable for."""
    work = compute.linear + compute.attention + compute.traffic + compute.dequantise
    waits = links.exposed_tensor + links.exposed_data + links.exposed_other
    return (
        compute.linear + compute.attention,
        compute.traffic + compute.dequantise + compute.optimizer,
        np.where(links.fabric, 0.0, waits) + links.offload,
        np.where(links.fabric, waits, 0.0) + links.sync,
        np.where(compute.launch > work, compute.busy, 0.0) + compute.fixed,
    )
