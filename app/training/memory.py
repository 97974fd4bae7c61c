"""Peak memory of one accelerator: the maximum over loading and the phases of a training step.

    load      weights (+ gradient buffers and master copies made then) + what is not sharded yet
    forward   weights + optimizer + stored activations + loss (+ gradients that accumulate)
    backward  weights + optimizer + gradients + one layer's working set + buffers
    step      weights + optimizer + gradients + temporaries of the optimizer

Bad input is refused by `recipe.recipe_for`; here every figure is arithmetic. All sizes GiB per accelerator.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from app.domain.model import ModelShape
from app.domain.sentence import N_, Sentence
from app.domain.units import GIB
from app.training.allocator import Phases, communicators, reserved_bytes
from app.training.assumptions_memory import value_of
from app.training.buffers import Buffers, buffers_of
from app.training.layout import CHECKPOINTED, Layout, Layouts
from app.training.loading import loading_bytes
from app.training.loss import NAMES, loss_bytes
from app.training.parameters import structure
from app.training.recipe import Recipe
from app.training.states import GRADIENTS, States, parts_of, states_of
from app.training.stored import Stored, stored_of

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

PHASES = ("load", "forward", "backward", "step")
MOMENTS = ("load", "forward", "backward", "backward", "step")
"""The phase of each moment that is reckoned: the backward pass is looked at in its last layer and at its very end."""
_PHASE_OF = np.asarray([PHASES.index(phase) for phase in MOMENTS])


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
    formula: Sentence
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


def memory_of(shape: ModelShape, recipe: Recipe, layouts: Layouts) -> MemoryTable:
    """The peak of every layout, vectorised."""
    return _table(recipe, layouts, _phases_of(structure(shape), recipe, layouts))


def breakdown(shape: ModelShape, recipe: Recipe, layout: Layout) -> MemoryBreakdown:
    """The same figures for one layout, with every term."""
    layouts = Layouts.of(layout)
    phases = _phases_of(structure(shape), recipe, layouts)
    table = _table(recipe, layouts, phases)
    figures: dict[str, Any] = {f.name: float(getattr(table, f.name)[0]) for f in fields(table)}
    peak = int(table.peak_phase[0])
    totals = phases.total[:, 0] / GIB
    figures["peak_phase"] = PHASES[peak]
    figures["phases"] = {name: float(totals[i == _PHASE_OF].max()) for i, name in enumerate(PHASES)}
    return MemoryBreakdown(**figures, terms=_terms(recipe, figures, layout))


def _phases_of(shape: ModelShape, recipe: Recipe, layouts: Layouts) -> Phases:
    """The phases of every layout. FSDP gathers in 16 bit what autocast elsewhere casts at each use (accelerate's
    MixedPrecision policy)."""
    phases = _worst_stage(shape, recipe, layouts)
    gathers = (layouts.sharding >= GRADIENTS) & (layouts.world_size > layouts.tensor_parallel)
    if not recipe.autocast or not gathers.any():
        return phases
    policy = replace(recipe, autocast=False, residual_bytes=recipe.compute_bytes)
    return _where(gathers, _worst_stage(shape, policy, layouts), phases)


def _worst_stage(shape: ModelShape, recipe: Recipe, layouts: Layouts) -> Phases:
    """The phases of the first or the last pipeline stage, whichever reserves more."""
    first = _phases(shape, recipe, layouts, last=False)
    if not (layouts.pipeline_parallel > 1).any():
        return first
    last = _phases(shape, recipe, layouts, last=True)
    held = [reserved_bytes(recipe, layouts, stage) for stage in (first, last)]
    return _where(held[0] >= held[1], first, last)


def _where(condition: npt.NDArray[np.bool_], one: Phases, other: Phases) -> Phases:
    chosen = {
        f.name: np.where(condition, getattr(one, f.name), getattr(other, f.name)) for f in fields(Phases)
    }
    return Phases(**chosen)


def _phases(shape: ModelShape, recipe: Recipe, layouts: Layouts, last: bool) -> Phases:
    tokens = layouts.micro_batch_size * recipe.sequence_length / layouts.context_parallel.astype(np.float64)
    parts = parts_of(shape, recipe, layouts, last)
    states = states_of(shape, recipe, layouts, parts)
    buffers = buffers_of(shape, recipe, layouts, parts, tokens)
    stored = stored_of(shape, recipe, layouts, tokens, last)
    loss = loss_bytes(shape, recipe, tokens, layouts)
    if not last:
        loss = np.where(layouts.pipeline_parallel > 1, 0.0, loss)
    loading = loading_bytes(shape, recipe, layouts, parts)
    return _assemble(states, buffers, stored, loss, loading, layouts.sharding >= GRADIENTS)


def _assemble(
    states: States,
    buffers: Buffers,
    stored: Stored,
    loss: FloatArray,
    loading: FloatArray,
    sharded: npt.NDArray[np.bool_],
) -> Phases:
    """Every moment. While all activations are stored, either the loss or the first layer of the backward
    pass (with the head's gradient) is the larger; they do not overlap. Nor do the last layer of the backward pass and
    the gradient of the embedding, which comes after it; under sharding that of the whole root unit."""
    zero = np.zeros_like(loss)
    entry = states.gradient_entry
    begin = np.maximum(entry, states.head_gradient)
    at_loss = loss + buffers.loss + entry >= stored.recomputed + buffers.forward + begin
    activations = stored.kept + np.where(at_loss, 0.0, stored.recomputed)
    moving = buffers.always + np.where(at_loss, buffers.loss, buffers.forward)
    gradients = np.where(at_loss, entry, begin)
    complete = states.gradients + states.repeated
    in_layer = np.where(sharded, complete, states.gradients - states.late_gradient)
    last = complete - np.where(sharded, states.late_gradient, 0.0)
    return Phases(
        weights=np.stack([states.weights] * len(MOMENTS)),
        gradients=np.stack([states.early_gradients, gradients, in_layer, last, states.gradients]),
        optimizer_states=np.stack(
            [states.master, *[states.optimizer] * 3, states.optimizer + states.step],
        ),
        activations=np.stack([zero, activations, stored.layer, zero, zero]),
        loss=np.stack([zero, np.where(at_loss, loss, 0.0), zero, zero, zero]),
        buffers=np.stack(
            [
                loading,
                moving,
                buffers.always + buffers.backward,
                buffers.always + buffers.root,
                buffers.always,
            ]
        ),
    )


def _table(recipe: Recipe, layouts: Layouts, phases: Phases) -> MemoryTable:
    moment = phases.total.argmax(axis=0)
    at = moment[None, :]
    terms = {f.name: np.take_along_axis(getattr(phases, f.name), at, 0)[0] / GIB for f in fields(phases)}
    allocated = sum(terms.values(), np.zeros(len(layouts)))
    reserved = np.maximum(allocated, reserved_bytes(recipe, layouts, phases) / GIB)
    distributed = value_of("nccl") * communicators(layouts)
    device = reserved + recipe.context_gib + distributed + recipe.extra_gib
    return MemoryTable(
        **terms,
        overhead=device - allocated,
        peak_allocated=allocated,
        peak_reserved=reserved,
        device=device,
        low=device * value_of("band.low"),
        high=device * value_of("band.high"),
        peak_phase=_PHASE_OF[moment].astype(np.int64),
    )


_FORMULAS = (
    (
        "weights",
        N_("parameters × bytes per weight ÷ tensor, pipeline, expert and shard degrees"),
        "§3.1, §3.4",
    ),
    (
        "gradients",
        N_("trained parameters × bytes per gradient ÷ shard degrees, as far as they exist"),
        "§3.1",
    ),
    ("optimizer_states", N_("trained parameters × (master + states) ÷ shard degrees"), "§3.1"),
    (
        "activations",
        N_("tokens × layers in flight × bytes per token and layer, and one layer's working set"),
        "§3.2",
    ),
    ("loss", N_("tokens × vocabulary × bytes per logit"), "§3.3"),
    ("buffers", N_("gathered layers, buckets, rings and scratch"), "§3.4"),
    ("overhead", N_("CUDA context, communication libraries, and reserved but unused memory"), "§3.5"),
)


TERMS = tuple(name.replace("_", " ") for name, _, _ in _FORMULAS)
"""The terms of memory as people read them."""


def _terms(recipe: Recipe, figures: dict[str, Any], layout: Layout) -> tuple[Term, ...]:
    kernels = {"checkpointing": CHECKPOINTED[layout.checkpointing], "attention": recipe.attention}
    notes: dict[str, object] = {
        "loss": NAMES[recipe.loss],
        "activations": Sentence("{checkpointing}, {attention} attention", kernels),
    }
    if figures["peak_phase"] == "load":
        notes["buffers"] = N_("here what is not sharded yet, and the linear that is being quantised")
    return tuple(
        Term(name, float(figures[name]), _with_note(formula, notes.get(name)),
             f"docs/memory_model.md {source}", str(figures["peak_phase"]))
        for name, formula, source in _FORMULAS
    )  # fmt: skip


def _with_note(formula: str, note: object) -> Sentence:
    return Sentence("{formula} ({note})", {"formula": formula, "note": note}) if note else Sentence(formula)
