"""Loading and wrapping: what lies on the accelerator beside the resting weights before the first step."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from app.domain.model import ModelShape
from app.training.assumptions_memory import value_of
from app.training.layout import Layouts
from app.training.parameters import mlp_linears, projections
from app.training.recipe import Recipe
from app.training.states import FULL, GRADIENTS, Parts

FloatArray = npt.NDArray[np.float64]


def loading_bytes(shape: ModelShape, recipe: Recipe, layouts: Layouts, parts: Parts) -> FloatArray:
    """Bytes beside the resting weights at the peak of loading and wrapping, arrays (n,).

    What of the unsharded model exists at once is a habit of the framework (`Profile.wraps`); a quantised base adds
    the 16-bit copy of the linear that is being quantised; DDP broadcasts the weights in buckets (docs/memory_model.md §2).
    """
    whole = recipe.weight_bytes * (parts.dense + parts.routed + parts.outer)
    tensor = _largest_tensor(shape, recipe, layouts)
    unit = np.maximum(recipe.weight_bytes * parts.unit, recipe.outer_bytes * parts.outer)
    at_once = {"tensors": tensor, "units": unit, "whole": whole}[recipe.wraps]
    sharded = (layouts.sharding >= FULL) & ((parts.group > 1) | (layouts.cpu_offload > 0))
    replicated = (layouts.data_parallel * layouts.context_parallel > 1) & (layouts.sharding < GRADIENTS)
    broadcast = np.where(replicated, np.minimum(value_of("bucket.broadcast") * 2**30, whole), 0.0)
    beside = np.where(sharded, at_once, broadcast)
    return np.maximum(beside, tensor) if recipe.quantises_on_device else beside


def _largest_tensor(shape: ModelShape, recipe: Recipe, layouts: Layouts) -> FloatArray:
    """The largest single weight as the checkpoint holds it: a linear, or the embedding."""
    if not shape.hidden_size:
        return np.zeros(len(layouts))
    linears = projections(shape) | mlp_linears(shape, shape.ffn_hidden_size)
    largest = max(*(wide * out for wide, out in linears.values()), shape.vocab_size * shape.hidden_size)
    return recipe.weight_bytes * largest / layouts.tensor_parallel
