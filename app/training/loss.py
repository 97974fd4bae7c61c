"""Logits and cross entropy: bytes per token at the peak of the loss."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from app.domain.model import ModelShape
from app.domain.sentence import N_
from app.training.assumptions_memory import value_of
from app.training.layout import Layouts
from app.training.parameters import soft_capped
from app.training.profiles import Loss
from app.training.recipe import Recipe

FloatArray = npt.NDArray[np.float64]

CHUNKS = 8.0
FUSED_WIDTHS = 6.0

WHOLE_LOGITS: tuple[Loss, ...] = ("full", "returned", "compiled", "loss-compiled")
SPLIT_BY_TENSOR: tuple[Loss, ...] = ("loss-parallel", "vocab-parallel", "vocab-fused")
NAMES: Mapping[Loss, str] = {
    "full": N_("cross entropy in fp32 over all logits"),
    "half": N_("cross entropy in 16 bit over all logits"),
    "returned": N_("cross entropy in fp32 with the logits returned"),
    "compiled": N_("cross entropy compiled with the model"),
    "loss-compiled": N_("cross entropy compiled by itself"),
    "chunked": N_("cross entropy in chunks of the sequence"),
    "chunked-128": N_("cross entropy in chunks of 128 tokens"),
    "fused": N_("cross entropy fused with the head"),
    "in-place": N_("cross entropy in place"),
    "loss-parallel": N_("cross entropy over the vocabulary split by tensor parallel (DTensor)"),
    "vocab-parallel": N_("cross entropy over the vocabulary split by tensor parallel (Megatron)"),
    "vocab-fused": N_("cross entropy over the split vocabulary in one kernel (Megatron)"),
    "classifier": N_("classifier head"),
}


def loss_bytes(shape: ModelShape, recipe: Recipe, tokens: FloatArray, layouts: Layouts) -> FloatArray:
    """Bytes alive at the loss, shape (n,), from `tokens` per micro-batch and accelerator."""
    if recipe.loss == "classifier" or not shape.vocab_size:
        return np.zeros_like(tokens)
    if recipe.loss == "fused":
        return FUSED_WIDTHS * tokens * shape.hidden_size
    elements = tokens * shape.vocab_size
    if recipe.loss in SPLIT_BY_TENSOR:
        elements = elements / layouts.tensor_parallel
    capped = recipe.compute_bytes if soft_capped(shape) and recipe.loss in WHOLE_LOGITS else 0.0
    if _narrow(shape, recipe):
        return value_of("loss.narrow") * elements
    return (bytes_per_logit(recipe) + capped) * elements


def _narrow(shape: ModelShape, recipe: Recipe) -> bool:
    """Encoder-decoders of Transformers take the loss in the format of the logits; autocast makes that fp32."""
    half = recipe.compute_bytes < 4 and not recipe.autocast
    return (
        shape.modality == "encoder-decoder" and recipe.transformers and half and recipe.loss in WHOLE_LOGITS
    )


def bytes_per_logit(recipe: Recipe) -> float:
    """Bytes per element of the logits at the peak."""
    if recipe.loss == "chunked":
        kept = 0.0 if recipe.frozen else value_of("loss.chunked.kept")
        return kept + value_of("loss.full") / CHUNKS
    return value_of(f"loss.{recipe.loss}")
