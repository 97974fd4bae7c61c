"""From allocated to reserved: what the caching allocator and the communication libraries hold besides."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from app.training.assumptions_memory import value_of
from app.training.layout import Layouts
from app.training.recipe import Recipe
from app.training.states import FULL

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Phases:
    """Terms at every moment of loading and of a step, arrays (moments, n), bytes."""

    weights: FloatArray
    gradients: FloatArray
    optimizer_states: FloatArray
    activations: FloatArray
    loss: FloatArray
    buffers: FloatArray

    @property
    def total(self) -> FloatArray:
        """All terms at each moment, (moments, n)."""
        return sum((getattr(self, f.name) for f in fields(self)), np.zeros_like(self.weights))

    def split(self) -> tuple[Phases, Phases]:
        """Loading alone, and the phases of a training step."""
        parts = [
            {f.name: getattr(self, f.name)[rows] for f in fields(self)} for rows in (slice(1), slice(1, None))
        ]
        return Phases(**parts[0]), Phases(**parts[1])


def communicators(layouts: Layouts) -> FloatArray:
    """Parallel dimensions in use: each has a communicator of its own."""
    degrees = (
        layouts.data_parallel * layouts.context_parallel,
        layouts.tensor_parallel,
        layouts.pipeline_parallel,
    )
    used: FloatArray = np.stack([degree > 1 for degree in degrees]).sum(axis=0).astype(np.float64)
    return used


def reserved_bytes(recipe: Recipe, layouts: Layouts, phases: Phases) -> FloatArray:
    """What the caching allocator holds. Resident memory rounds up a little, what comes and goes fragments.
    Under full sharding gathered weights and reduced gradients live in streams of their own, whose memory the
    compute stream cannot reuse: they add up even where they do not exist at the same time. Loading comes before all
    that, in the compute stream."""
    loading, training = phases.split()
    sharded = (layouts.sharding >= FULL) & (layouts.world_size > layouts.tensor_parallel)
    side = training.gradients + training.buffers
    resident = value_of("reserved.resident") * (training.weights + training.optimizer_states)
    moving = value_of("reserved.dynamic") if recipe.tight else value_of("reserved.dynamic.old")
    factor = np.where(sharded, np.maximum(moving, value_of("reserved.sharded")), moving)
    dynamic = factor * (training.activations + training.loss)
    together = (resident + dynamic + value_of("reserved.resident") * side).max(axis=0)
    apart = (resident + dynamic).max(axis=0) + side.max(axis=0)
    loaded = value_of("reserved.resident") * loading.total.max(axis=0)
    streams = value_of("reserved.fsdp1") if recipe.first_fsdp else 1.0
    held: FloatArray = np.maximum(np.where(sharded, streams * apart, together), loaded)
    return held
