"""Gathered units, communication buffers and scratch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from app.domain.model import ModelShape
from app.training.assumptions_memory import value_of
from app.training.layout import CHECKPOINTINGS, Layouts
from app.training.parameters import attention_widths, mlp_linears, projections
from app.training.recipe import Recipe
from app.training.states import FULL, GRADIENTS, HYBRID, OPTIMIZER, Parts

FloatArray = npt.NDArray[np.float64]

WHOLE = CHECKPOINTINGS.index("full")


@dataclass(frozen=True, slots=True)
class Buffers:
    """Bytes on one accelerator, arrays (n,): while the loss runs, while layers run forward, while they run
    backward, when the backward pass ends (`root`), and `always`."""

    loss: FloatArray
    forward: FloatArray
    backward: FloatArray
    root: FloatArray
    always: FloatArray


def buffers_of(
    shape: ModelShape, recipe: Recipe, layouts: Layouts, parts: Parts, tokens: FloatArray
) -> Buffers:
    """Buffers by sharding: FSDP gathers two layers, and for the loss the head and the layer that the backward pass begins
    with (checked: FSDP2 over a fake group); gradients of a layer exist once whole and once
    in the format they are reduced in (§3.4); DeepSpeed and DDP keep buckets; a quantised weight is
    dequantised one at a time."""
    sharding = layouts.sharding
    group = np.maximum(parts.group, 1.0)
    fully = ((sharding == FULL) | (sharding == HYBRID)) & ((group > 1) | (layouts.cpu_offload > 0))
    element = recipe.compute_bytes if recipe.quantised_bytes is None else recipe.quantised_bytes
    layer, outer = element * parts.unit, recipe.compute_bytes * parts.outer
    trained = 0.0 if recipe.frozen else 1.0
    unit_gradient = trained * (recipe.compute_bytes + recipe.gradient_bytes) * parts.unit
    staged = fully & ((layouts.pipeline_parallel > 1) | recipe.gathers_whole)
    unsharded = value_of("fsdp1.unsharded") if recipe.gathers_whole else 1.0
    whole = parts.dense + parts.routed + parts.outer
    gathered = np.where(staged, element * whole, 0.0)
    gradients = np.where(staged, trained * unsharded * recipe.gradient_bytes * whole, 0.0)
    gathered = gathered + np.where(layouts.gradient_accumulation > 1, gradients, 0.0)
    always = gathered + _buckets(recipe, layouts, whole) + _scratch(shape, recipe, layouts)
    context = _context(shape, recipe, layouts, tokens)
    cast = _casts(shape, recipe, layouts, parts, tokens)
    return Buffers(
        loss=np.where(fully & ~staged, outer + layer, 0.0) + cast,
        forward=np.where(fully & ~staged, 2 * layer, 0.0) + context,
        backward=np.where(fully & ~staged, 2 * layer + unit_gradient, 0.0)
        + np.where(layouts.gradient_accumulation > 1, 0.0, gradients)
        + context,
        root=np.where(fully & ~staged, trained * _root(shape, recipe, parts), 0.0),
        always=always,
    )


def _root(shape: ModelShape, recipe: Recipe, parts: Parts) -> FloatArray:
    """FSDP reduces the gradients of embedding and head last: they exist whole, and once more in the format they are
    reduced in (checked: FSDP2 over a fake group of 8). DeepSpeed reduces each in its bucket."""
    if recipe.bucket_elements:
        return np.zeros_like(parts.outer)
    apart = recipe.splits_outer and not shape.tied_embeddings
    return (recipe.compute_bytes + recipe.gradient_bytes) * parts.outer * (0.5 if apart else 1.0)


def _casts(
    shape: ModelShape, recipe: Recipe, layouts: Layouts, parts: Parts, tokens: FloatArray
) -> FloatArray:
    """Autocast keeps the 16-bit copy of every weight that the graph refers to. Under full checkpointing the copies
    of the blocks go when the forward pass ends, when the gradient of the logits is not there yet; those of frozen
    weights, which it does not cache, go with each block."""
    if not recipe.autocast:
        return np.zeros_like(parts.dense)
    blocks = recipe.compute_bytes * (parts.dense + parts.routed)
    logits = recipe.compute_bytes * tokens * shape.vocab_size
    left = 0.0 if recipe.frozen else np.maximum(0.0, blocks - logits)
    blocks = np.where(layouts.checkpointing == WHOLE, left, blocks)
    head = parts.outer * (1.0 if shape.tied_embeddings else 0.5)
    return blocks + (0.0 if recipe.loss == "classifier" else recipe.compute_bytes * head)


def _buckets(recipe: Recipe, layouts: Layouts, whole: FloatArray) -> FloatArray:
    """DeepSpeed's buckets hold up to 5e8 elements each; DDP's 25 MB twice, or a copy of all gradients
    without bucket views."""
    parallel = layouts.data_parallel * layouts.context_parallel > 1
    plain = np.where(parallel & (layouts.sharding < GRADIENTS), value_of("bucket.ddp") * 2**30, 0.0)
    if recipe.bucket_copies and not recipe.frozen:
        copies = parallel & (layouts.sharding < GRADIENTS)
        plain = np.where(copies, recipe.gradient_bytes * whole, plain)
    if not recipe.bucket_elements or recipe.frozen:
        return plain
    bucket = 2 * np.minimum(recipe.bucket_elements, whole) * recipe.compute_bytes
    return np.where(layouts.sharding >= OPTIMIZER, bucket, plain)


def _scratch(shape: ModelShape, recipe: Recipe, layouts: Layouts) -> FloatArray:
    """cuBLAS workspace, and one weight dequantised."""
    workspace = np.full(len(layouts), value_of("workspace") * 2**30)
    if recipe.quantised_bytes is None or not shape.hidden_size:
        return workspace
    linears = projections(shape) | mlp_linears(shape, shape.ffn_hidden_size)
    largest = 2 * max(wide * out for wide, out in linears.values())
    if recipe.quantises_head:
        largest = max(largest, shape.vocab_size * shape.hidden_size)
    return workspace + recipe.compute_bytes * largest / layouts.tensor_parallel


def _context(shape: ModelShape, recipe: Recipe, layouts: Layouts, tokens: FloatArray) -> FloatArray:
    """Keys and values that travel the ring of context parallel, and the whole sequence that sequence parallel
    gathers before each linear."""
    _, key, value, _ = attention_widths(shape) if shape.hidden_size else (0, 0, 0, 0)
    ring = np.where(layouts.context_parallel > 1, 2.0 * recipe.compute_bytes * tokens * (key + value), 0.0)
    gather = (layouts.tensor_parallel > 1) & (layouts.sequence_parallel > 0)
    ring = ring / layouts.tensor_parallel
    return ring + np.where(gather, 2.0 * recipe.compute_bytes * tokens * shape.hidden_size, 0.0)
