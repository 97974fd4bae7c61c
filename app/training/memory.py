"""Peak memory of one accelerator: the maximum over the phases of a training step.

    forward   weights + optimizer + stored activations + loss (+ gradients that accumulate)
    backward  weights + optimizer + gradients + one layer's working set + buffers
    step      weights + optimizer + gradients + temporaries of the optimizer

Bad input is refused by `recipe.recipe_for`; here every figure is arithmetic. All sizes GiB per accelerator.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from app.domain.model import ModelShape
from app.domain.units import GIB
from app.training.activations import layer_bytes, top_bytes
from app.training.assumptions_memory import value_of
from app.training.buffers import Buffers, buffers_of
from app.training.footprints import CHECKPOINTED_SHARE, kept_values
from app.training.layout import CHECKPOINTINGS, Layout, Layouts
from app.training.loss import NAMES, loss_bytes
from app.training.parameters import expert_layers, structure
from app.training.recipe import Recipe
from app.training.states import FULL, States, parts_of, states_of

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

PHASES = ("forward", "backward", "step")
NONE, SELECTIVE, WHOLE = (CHECKPOINTINGS.index(c) for c in ("none", "selective", "full"))


@dataclass(frozen=True, slots=True)
class MemoryTable:
    """GiB per accelerator, arrays (n,). `weights` … `buffers` are the terms of the peak phase and sum to
    `peak_allocated`; `overhead` = device − peak_allocated. `low` and `high` bound `device`. `peak_phase` indexes
    PHASES."""

    weights: FloatArray
    gradients: FloatArray
    optimizer_states: FloatArray
    activations: FloatArray
    loss: FloatArray
    buffers: FloatArray
    overhead: FloatArray
    peak_allocated: FloatArray
    peak_reserved: FloatArray
    device: FloatArray
    low: FloatArray
    high: FloatArray
    peak_phase: IntArray


@dataclass(frozen=True, slots=True)
class Term:
    """One term of the estimate: what it is, its size at the peak of `phase`, its formula and where that is from."""

    name: str
    gib: float
    formula: str
    source: str
    phase: str


@dataclass(frozen=True, slots=True)
class MemoryBreakdown:
    """The figures of MemoryTable for one layout, GiB; `phases` the allocated peak of each phase; `terms` every
    term of the peak phase."""

    weights: float
    gradients: float
    optimizer_states: float
    activations: float
    loss: float
    buffers: float
    overhead: float
    peak_allocated: float
    peak_reserved: float
    device: float
    low: float
    high: float
    peak_phase: str
    phases: dict[str, float]
    terms: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class _Phases:
    """Terms by phase, arrays (phases, n), bytes."""

    weights: FloatArray
    gradients: FloatArray
    optimizer_states: FloatArray
    activations: FloatArray
    loss: FloatArray
    buffers: FloatArray

    @property
    def total(self) -> FloatArray:
        return sum((getattr(self, f.name) for f in fields(self)), np.zeros_like(self.weights))


def memory_of(shape: ModelShape, recipe: Recipe, layouts: Layouts) -> MemoryTable:
    """The peak of every layout, vectorised."""
    return _table(recipe, layouts, _worst_stage(structure(shape), recipe, layouts))


def breakdown(shape: ModelShape, recipe: Recipe, layout: Layout) -> MemoryBreakdown:
    """The same figures for one layout, with every term."""
    layouts = Layouts.of(layout)
    phases = _worst_stage(structure(shape), recipe, layouts)
    table = _table(recipe, layouts, phases)
    figures: dict[str, Any] = {f.name: float(getattr(table, f.name)[0]) for f in fields(table)}
    peak = int(table.peak_phase[0])
    totals = phases.total[:, 0] / GIB
    figures["peak_phase"] = PHASES[peak]
    figures["phases"] = {name: float(total) for name, total in zip(PHASES, totals, strict=True)}
    return MemoryBreakdown(**figures, terms=_terms(recipe, figures, layout))


def _worst_stage(shape: ModelShape, recipe: Recipe, layouts: Layouts) -> _Phases:
    """The phases of the first or the last pipeline stage, whichever peaks higher."""
    first = _phases(shape, recipe, layouts, last=False)
    if not (layouts.pipeline_parallel > 1).any():
        return first
    last = _phases(shape, recipe, layouts, last=True)
    worse = first.total.max(axis=0) >= last.total.max(axis=0)
    chosen = {f.name: np.where(worse, getattr(first, f.name), getattr(last, f.name)) for f in fields(_Phases)}
    return _Phases(**chosen)


def _phases(shape: ModelShape, recipe: Recipe, layouts: Layouts, last: bool) -> _Phases:
    tokens = layouts.micro_batch_size * recipe.sequence_length / layouts.context_parallel.astype(np.float64)
    parts = parts_of(shape, recipe, layouts, last)
    states = states_of(shape, recipe, layouts, parts)
    buffers = buffers_of(shape, recipe, layouts, parts, tokens)
    stored, work = _activations(shape, recipe, layouts, tokens, last)
    loss = loss_bytes(shape, recipe, tokens, layouts)
    if not last:
        loss = np.where(layouts.pipeline_parallel > 1, 0.0, loss)
    return _assemble(recipe, states, buffers, stored, work, loss)


def _assemble(
    recipe: Recipe, states: States, buffers: Buffers, stored: FloatArray, work: FloatArray, loss: FloatArray
) -> _Phases:
    zero = np.zeros_like(stored)
    entry = states.gradient_entry
    at_loss = loss + buffers.loss >= work + buffers.forward + np.maximum(states.head_gradient - entry, 0)
    begin = np.maximum(entry, states.head_gradient)
    forward_gradient = np.where(at_loss, entry, begin)
    end = states.gradients + states.repeated
    return _Phases(
        weights=np.stack([states.weights, states.weights, states.weights]),
        gradients=np.stack([forward_gradient, end, states.gradients]),
        optimizer_states=np.stack([states.optimizer, states.optimizer, states.optimizer + states.step]),
        activations=np.stack([stored + np.where(at_loss, 0.0, work), work, zero]),
        loss=np.stack([np.where(at_loss, loss, 0.0), zero, zero]),
        buffers=np.stack(
            [
                buffers.always + np.where(at_loss, buffers.loss, buffers.forward),
                buffers.always + buffers.backward,
                buffers.always,
            ]
        ),
    )


def _activations(
    shape: ModelShape, recipe: Recipe, layouts: Layouts, tokens: FloatArray, last: bool
) -> tuple[FloatArray, FloatArray]:
    """Stored bytes of all layers in flight, and the working set of one layer in backward."""
    if not shape.layers or shape.modality == "cnn" or not shape.hidden_size:
        kept = kept_values(shape) * recipe.compute_bytes * layouts.micro_batch_size
        checkpointed = layouts.checkpointing == WHOLE
        share = np.where(checkpointed, CHECKPOINTED_SHARE, 1.0)
        return kept * share, np.where(checkpointed, kept * CHECKPOINTED_SHARE, 0.0)
    tensor = layouts.tensor_parallel.astype(np.float64)
    whole_split = np.where(layouts.sequence_parallel > 0, tensor, 1.0)
    sparse = expert_layers(shape) / shape.layers
    kinds = [(layer_bytes(shape, recipe, False), 1 - sparse), (layer_bytes(shape, recipe, True), sparse)]
    kept = np.zeros_like(tokens)
    work = np.zeros_like(tokens)
    for one, share in kinds:
        if not share:
            continue
        full = one.whole / whole_split + (one.split + one.scores * recipe.sequence_length) / tensor
        entry = one.entry / whole_split
        selective = entry + one.selective / tensor
        choices = [full, np.minimum(full, selective), np.minimum(full, entry)]
        kept += share * np.choose(layouts.checkpointing, choices)
        again = np.where(
            layouts.checkpointing == WHOLE, full, np.where(layouts.checkpointing == NONE, 0.0, full / 2)
        )
        work = np.maximum(work, again + one.work / tensor)
    flying = _layers_in_flight(shape, layouts, last)
    if recipe.activation_offload:
        flying = np.minimum(flying, 2.0)
    ends = top_bytes(shape, recipe) / whole_split
    top = np.where((layouts.pipeline_parallel > 1) & (not last), 0.0, ends)
    return (kept * flying + top) * tokens, work * tokens


def _layers_in_flight(shape: ModelShape, layouts: Layouts, last: bool) -> FloatArray:
    """Layers × micro-batches whose activations a stage holds: 1F1B keeps `stages` micro-batches on the first
    stage and one on the last; interleaving adds (pp − 1)/(pp·v) (Narayanan 2021)."""
    stages = layouts.pipeline_parallel.astype(np.float64)
    layers = np.ceil(shape.layers / stages)
    if last:
        return layers
    batches = np.minimum(stages, layouts.gradient_accumulation)
    virtual = np.maximum(layouts.virtual_stages, 1)
    return layers * batches * np.where(virtual > 1, 1 + (stages - 1) / (stages * virtual), 1.0)


def _table(recipe: Recipe, layouts: Layouts, phases: _Phases) -> MemoryTable:
    total = phases.total
    peak_phase = total.argmax(axis=0)
    at = peak_phase[None, :]
    terms = {f.name: np.take_along_axis(getattr(phases, f.name), at, 0)[0] / GIB for f in fields(phases)}
    allocated = sum(terms.values(), np.zeros(len(layouts)))
    reserved = np.maximum(allocated, _reserved(recipe, layouts, phases) / GIB)
    distributed = value_of("nccl") * _communicators(layouts)
    device = reserved + recipe.context_gib + distributed + recipe.extra_gib
    return MemoryTable(
        **terms,
        overhead=device - allocated,
        peak_allocated=allocated,
        peak_reserved=reserved,
        device=device,
        low=device * value_of("band.low"),
        high=device * value_of("band.high"),
        peak_phase=peak_phase.astype(np.int64),
    )


def _communicators(layouts: Layouts) -> FloatArray:
    """Parallel dimensions in use: each has a communicator of its own."""
    degrees = (
        layouts.data_parallel * layouts.context_parallel,
        layouts.tensor_parallel,
        layouts.pipeline_parallel,
    )
    return sum(((degree > 1).astype(np.float64) for degree in degrees), np.zeros(len(layouts)))


def _reserved(recipe: Recipe, layouts: Layouts, phases: _Phases) -> FloatArray:
    """What the caching allocator holds. Resident memory rounds up a little, what comes and goes fragments.
    Under full sharding gathered weights and reduced gradients live in streams of their own, whose memory the
    compute stream cannot reuse: they add up even where they do not exist at the same time."""
    sharded = (layouts.sharding >= FULL) & (layouts.world_size > layouts.tensor_parallel)
    side = phases.gradients + phases.buffers
    resident = value_of("reserved.resident") * (phases.weights + phases.optimizer_states)
    moving = value_of("reserved.dynamic") if recipe.tight else value_of("reserved.dynamic.old")
    factor = np.where(sharded, np.maximum(moving, value_of("reserved.sharded")), moving)
    dynamic = factor * (phases.activations + phases.loss)
    together = (resident + dynamic + value_of("reserved.resident") * side).max(axis=0)
    apart = (resident + dynamic).max(axis=0) + side.max(axis=0)
    return np.where(sharded, apart, together)


_FORMULAS = (
    ("weights", "parameters × bytes per weight ÷ tensor, pipeline, expert and shard degrees", "§3.1, §3.4"),
    ("gradients", "trained parameters × bytes per gradient ÷ shard degrees, as far as they exist", "§3.1"),
    ("optimizer_states", "trained parameters × (master + states) ÷ shard degrees", "§3.1"),
    (
        "activations",
        "tokens × layers in flight × bytes per token and layer, and one layer's working set",
        "§3.2",
    ),
    ("loss", "tokens × vocabulary × bytes per logit", "§3.3"),
    ("buffers", "gathered layers, buckets, rings and scratch", "§3.4"),
    ("overhead", "CUDA context, communication libraries, and reserved but unused memory", "§3.5"),
)


def _terms(recipe: Recipe, figures: dict[str, Any], layout: Layout) -> tuple[Term, ...]:
    notes = {
        "loss": NAMES[recipe.loss],
        "activations": f"{layout.checkpointing} checkpointing, {recipe.attention} attention",
    }
    return tuple(
        Term(name, float(figures[name]), f"{formula} ({notes[name]})" if name in notes else formula,
             f"memory model {source}", str(figures["peak_phase"]))
        for name, formula, source in _FORMULAS
    )  # fmt: skip
