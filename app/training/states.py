"""Bytes of weights, gradients and optimizer states, and what of them lies on one accelerator."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from app.domain.model import ModelShape
from app.training.layout import SHARDINGS, Layouts
from app.training.parameters import count, expert_layers, structure
from app.training.recipe import Recipe
from app.training.targets import expert_adapter_parameters

FloatArray = npt.NDArray[np.float64]

OPTIMIZER, GRADIENTS, FULL, HYBRID = (
    SHARDINGS.index(s) for s in ("optimizer", "gradients", "full", "hybrid")
)


@dataclass(frozen=True, slots=True)
class Parts:
    """Parameters on one accelerator of a stage after tensor, pipeline and expert parallel, before sharding;
    arrays (n,). `dense` without the routed experts, `routed` those; `outer` embedding and head of this stage;
    `unit` one layer as it is gathered; `group` ranks that states are sharded over, `expert_group` those that
    share the routed experts of this rank."""

    dense: FloatArray
    routed: FloatArray
    outer: FloatArray
    unit: FloatArray
    group: FloatArray
    expert_group: FloatArray
    stage_share: FloatArray


@dataclass(frozen=True, slots=True)
class States:
    """Bytes on one accelerator, arrays (n,). `weights`, `gradients`, `optimizer` as they rest; `gradient_entry`
    the part of the gradients that exists before the backward pass; `step` temporaries of the optimizer step;
    `head_gradient` the first gradient of the backward pass; `late_gradient` the embedding's, the last, and `repeated` the
    second one of tied weights, both when no layer is at work any more; `early_gradients` and `master`: gradient buffers and master copies that exist before the first step."""

    weights: FloatArray
    gradients: FloatArray
    optimizer: FloatArray
    gradient_entry: FloatArray
    step: FloatArray
    head_gradient: FloatArray
    late_gradient: FloatArray
    repeated: FloatArray
    early_gradients: FloatArray
    master: FloatArray


def parts_of(shape: ModelShape, recipe: Recipe, layouts: Layouts, last: bool) -> Parts:
    """The parameters of the first or the last pipeline stage."""
    sizes = count(shape)
    filled = structure(shape)
    tensor = layouts.tensor_parallel.astype(np.float64)
    stages = layouts.pipeline_parallel.astype(np.float64)
    expert = layouts.expert_parallel.astype(np.float64)
    layers = max(1, filled.layers)
    share = np.minimum(1.0, np.ceil(layers / stages) / layers)
    routed = float(sizes.routed * expert_layers(filled))
    unit_routed = sizes.routed if sizes.expert_layer > sizes.dense_layer else 0
    outer = _outer(shape, recipe, stages, last)
    group = _group(layouts)
    return Parts(
        dense=share * (sizes.blocks - routed) / tensor,
        routed=share * routed / (tensor * expert),
        outer=outer / tensor,
        unit=(sizes.per_layer - unit_routed + unit_routed / expert) / tensor,
        group=group,
        expert_group=np.maximum(1.0, group / expert),
        stage_share=share,
    )


def _outer(shape: ModelShape, recipe: Recipe, stages: FloatArray, last: bool) -> FloatArray:
    """Embedding and head of a stage; tied weights live on the first and the last stage."""
    sizes = count(shape)
    twice = recipe.unties_embeddings and shape.tied_embeddings
    head = sizes.head or (sizes.embedding if twice else 0)
    single = float(sizes.embedding + head)
    split = float((sizes.head or sizes.embedding) if last else sizes.embedding)
    return np.where(stages > 1, split, single)


def _group(layouts: Layouts) -> FloatArray:
    over = layouts.data_parallel * layouts.context_parallel
    return np.where(layouts.sharding == HYBRID, layouts.shard_group, over).astype(np.float64)


def states_of(shape: ModelShape, recipe: Recipe, layouts: Layouts, parts: Parts) -> States:
    """Resident bytes by recipe and sharding (docs/memory_model.md §3.1, §3.4). DeepSpeed's fp32 gradient partition moves to
    the host with the optimizer (ZeRO-Offload)."""
    trained = _trained(shape, recipe, parts)
    gradients = _gradients(recipe, layouts, parts, trained)
    head = _outer_gradient(recipe, parts, layouts.sharding)
    on_device = np.where(layouts.cpu_offload > 0, 0.0, 1.0)
    rest = on_device if recipe.offloads == "all" else np.ones_like(on_device)
    kept = _over(parts, layouts.sharding >= OPTIMIZER, *trained)
    at_home = on_device if recipe.partition_bytes else rest
    accumulates = (layouts.gradient_accumulation > 1) | recipe.keeps_gradients
    return States(
        weights=_weights(shape, recipe, layouts, parts, trained) * rest,
        gradients=gradients * at_home,
        optimizer=(recipe.master_bytes + recipe.state_bytes) * kept * on_device,
        gradient_entry=np.where(accumulates, gradients, 0.0) * at_home,
        step=recipe.step_copies * recipe.state_bytes / 2 * kept * on_device,
        head_gradient=np.minimum(head, gradients) * at_home,
        late_gradient=_late(shape, recipe, parts, layouts) * at_home,
        repeated=head * float(shape.tied_embeddings) * (layouts.pipeline_parallel == 1) * rest,
        early_gradients=gradients * float(recipe.keeps_gradients) * at_home,
        master=recipe.master_bytes * kept * on_device,
    )


def _weights(
    shape: ModelShape, recipe: Recipe, layouts: Layouts, parts: Parts, trained: tuple[FloatArray, FloatArray]
) -> FloatArray:
    """Base weights and adapters. Where fp32 shards are gathered in 16 bit and only gradients are sharded, the
    gathered copy stays (FSDP without resharding)."""
    fully = layouts.sharding >= FULL
    block, outer = _weight_bytes(shape, recipe)
    weights = _over(parts, fully, block * parts.dense + outer * parts.outer, block * parts.routed)
    if recipe.weight_bytes > recipe.compute_bytes and not recipe.autocast and not recipe.frozen:
        whole = block * (parts.dense + parts.routed) + outer * parts.outer
        gathered = recipe.compute_bytes * (parts.dense + parts.routed + parts.outer)
        weights = np.where(layouts.sharding == GRADIENTS, whole / parts.group + gathered, weights)
    return weights + _over(parts, fully, *(recipe.adapter_bytes * part for part in trained))


def _gradients(
    recipe: Recipe, layouts: Layouts, parts: Parts, trained: tuple[FloatArray, FloatArray]
) -> FloatArray:
    """Gradients as they rest. DeepSpeed reduces in buckets into an fp32 partition and holds no others from ZeRO-2
    on; an optimizer in backward needs one tensor at a time, the largest."""
    divided = layouts.sharding >= GRADIENTS
    gradients = _over(parts, divided, *(recipe.gradient_bytes * part for part in trained))
    if recipe.partition_bytes:
        partition = recipe.partition_bytes * _over(parts, layouts.sharding >= OPTIMIZER, *trained)
        gradients = np.where(divided, 0.0, gradients) + partition
    if not recipe.optimizer_in_backward:
        return gradients
    largest = recipe.gradient_bytes * np.maximum(parts.outer / 2, parts.unit / 4)
    return np.minimum(gradients, largest)


def _over(parts: Parts, divided: npt.NDArray[np.bool_], dense: FloatArray, routed: FloatArray) -> FloatArray:
    split = dense / parts.group + routed / parts.expert_group
    return np.where(divided, split, dense + routed)


def _weight_bytes(shape: ModelShape, recipe: Recipe) -> tuple[float, float]:
    """Bytes per parameter of blocks, and of embedding and head together."""
    if recipe.quantised_bytes is None:
        return recipe.weight_bytes, recipe.outer_bytes
    sizes = count(shape)
    linear = min(1.0, sizes.linear / max(1, sizes.blocks))
    block = linear * recipe.quantised_bytes + (1 - linear) * recipe.outer_bytes
    if not recipe.quantises_head:
        return block, recipe.outer_bytes
    head = sizes.head or (sizes.embedding if recipe.unties_embeddings else 0)
    together = max(1, sizes.embedding + head)
    return block, (sizes.embedding * recipe.outer_bytes + head * recipe.quantised_bytes) / together


def _trained(shape: ModelShape, recipe: Recipe, parts: Parts) -> tuple[FloatArray, FloatArray]:
    if not recipe.frozen:
        return parts.dense + parts.outer, parts.routed
    experts = expert_adapter_parameters(structure(shape), recipe.rank, recipe.targets)
    if recipe.stated_trainable is not None:
        experts = min(experts, recipe.stated_trainable)
    routed = experts * parts.stage_share * parts.expert_group / parts.group
    return (recipe.trainable_parameters(shape) - experts) * parts.stage_share, routed


def _outer_gradient(recipe: Recipe, parts: Parts, sharding: npt.NDArray[np.int64]) -> FloatArray:
    """The gradient of the head, the first that a backward pass makes; a classifier's is small."""
    if (recipe.frozen and not recipe.trains_outer) or recipe.loss == "classifier":
        return np.zeros_like(parts.outer)
    whole = recipe.gradient_bytes * parts.outer
    return np.where(sharding >= GRADIENTS, whole / parts.group, whole)


def _late(shape: ModelShape, recipe: Recipe, parts: Parts, layouts: Layouts) -> FloatArray:
    """The gradient of an embedding that no head shares, where it is whole and new in every backward pass; under full
    sharding the shard of all that is in the root unit."""
    shared = shape.tied_embeddings and recipe.loss != "classifier"
    if recipe.frozen or recipe.optimizer_in_backward or recipe.keeps_gradients or shared:
        return np.zeros_like(parts.outer)
    sizes = count(shape)
    share = sizes.embedding / max(1, sizes.embedding + sizes.head)
    fresh = (layouts.gradient_accumulation == 1) & (layouts.pipeline_parallel == 1)
    outer = recipe.gradient_bytes * parts.outer
    late = np.where(layouts.sharding < GRADIENTS, outer * share, 0.0)
    return np.where(fresh, np.where(layouts.sharding >= FULL, outer / parts.group, late), 0.0)
