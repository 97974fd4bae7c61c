"""Activations over a layout: what is stored for all layers in flight, and one layer's working set."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from app.domain.model import ModelShape
from app.training.activations import LayerBytes, layer_bytes, top_bytes
from app.training.footprints import CHECKPOINTED_SHARE, kept_values
from app.training.layout import CHECKPOINTINGS, Layouts
from app.training.parameters import expert_layers
from app.training.recipe import Recipe

FloatArray = npt.NDArray[np.float64]

WHOLE = CHECKPOINTINGS.index("full")
OFFLOADED_IN_FLIGHT = 2.0
ENCODER_POSITIONS = {"Whisper": 1500}
"""Whisper's encoder always reads thirty seconds of sound (docs/memory_model.md §3.2)."""


@dataclass(frozen=True, slots=True)
class _Kind:
    """One kind of layer: its bytes per token it reads, its `share` of all layers, the `tokens` it reads per token of the
    run, and how many of them (`context`) one attention sees. `reached_last`: the backward pass may end in it (an
    encoder-decoder's ends in the encoder, when all gradients exist)."""

    bytes: LayerBytes
    share: float
    tokens: float
    context: float
    reached_last: bool = True


@dataclass(frozen=True, slots=True)
class Stored:
    """Bytes on one accelerator, arrays (n,). `kept`: for the backward pass, all layers in flight; `recomputed`:
    what the first layer of the backward pass adds; `layer`: the last one's whole working set."""

    kept: FloatArray
    recomputed: FloatArray
    layer: FloatArray


def stored_of(shape: ModelShape, recipe: Recipe, layouts: Layouts, tokens: FloatArray, last: bool) -> Stored:
    """Stored bytes of the first or last stage, from `tokens` per micro-batch and accelerator. Recomputing a layer
    adds what checkpointing had dropped of it."""
    if not shape.layers or shape.modality == "cnn" or not shape.hidden_size:
        return _published(shape, recipe, layouts)
    kept = full = dropped = work = np.zeros_like(tokens)
    for kind in _kinds(shape, recipe):
        whole, stays = _layer(kind, layouts)
        kept = kept + kind.share * stays
        full = np.where(kind.reached_last, np.maximum(full, whole), full)
        dropped = np.maximum(dropped, whole - stays)
        busy = kind.tokens * max(kind.bytes.work, kind.bytes.work_scores * kind.context)
        work = np.maximum(work, busy / layouts.tensor_parallel)
    flying = _layers_in_flight(shape, layouts, last)
    if recipe.activation_offload:
        flying = np.minimum(flying, OFFLOADED_IN_FLIGHT)
    top = top_bytes(shape, recipe) / _sequence_split(layouts)
    top = np.where((layouts.pipeline_parallel > 1) & (not last), 0.0, top)
    return Stored((kept * flying + top) * tokens, (dropped + work) * tokens, (full + work) * tokens)


def _kinds(shape: ModelShape, recipe: Recipe) -> list[_Kind]:
    length = float(recipe.sequence_length)
    if shape.encoder_layers:
        seen = float(ENCODER_POSITIONS.get(shape.family, length))
        part = shape.encoder_layers / shape.layers
        encoder, decoder = (layer_bytes(shape, recipe, False, crossed) for crossed in (0.0, seen / length))
        return [_Kind(encoder, part, seen / length, seen), _Kind(decoder, 1 - part, 1.0, length, False)]
    sparse = expert_layers(shape) / shape.layers
    shares = ((False, 1 - sparse), (True, sparse))
    return [
        _Kind(layer_bytes(shape, recipe, expert), share, 1.0, length) for expert, share in shares if share > 0
    ]


def _layer(kind: _Kind, layouts: Layouts) -> tuple[FloatArray, FloatArray]:
    """One layer whole, and what checkpointing leaves of it; bytes per token of the run."""
    one = kind.bytes
    tensor = layouts.tensor_parallel.astype(np.float64)
    split = _sequence_split(layouts)
    full = one.whole / split + (one.split + one.scores * kind.context) / tensor
    entry = np.minimum(one.entry / split, full)
    scores = one.scores * kind.context / tensor
    some = full - scores if one.selective is None else entry + one.selective / tensor
    selective = np.clip(some, entry, full)
    return kind.tokens * full, kind.tokens * np.choose(layouts.checkpointing, [full, selective, entry])


def _sequence_split(layouts: Layouts) -> FloatArray:
    return np.where(layouts.sequence_parallel > 0, layouts.tensor_parallel, 1).astype(np.float64)


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


def _published(shape: ModelShape, recipe: Recipe, layouts: Layouts) -> Stored:
    """Feature maps by published footprint; recomputation needs as much again as checkpointing keeps."""
    whole = kept_values(shape) * recipe.compute_bytes * layouts.micro_batch_size
    checkpointed = layouts.checkpointing == WHOLE
    kept = np.where(checkpointed, CHECKPOINTED_SHARE, 1.0) * whole
    again = np.where(checkpointed, CHECKPOINTED_SHARE, 0.0) * whole
    return Stored(kept, again, again)
