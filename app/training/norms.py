"""What the norms of one layer keep for the backward pass, by how their code is written."""

from __future__ import annotations

from app.domain.model import ModelShape
from app.training.parameters import attention_widths
from app.training.recipe import Recipe

FP32_NORMS = ("Gemma", "OLMo 2", "gpt-oss")
"""Multiply by their weight in fp32."""
KEEPS_NARROW = ("T5",)
"""Square an fp32 copy, but scale the input itself."""
FP32_LAYER_NORMS = ("OLMo",)
"""Layer norms without weights, over an fp32 copy."""
SIDE_BY_SIDE = ("GPT-NeoX", "Pythia", "Falcon")
"""Both parts of a layer read the same stream: their norms keep one input together."""
WRITTEN_OUT = ("Cohere",)
"""Layer norms of plain operations: the fp32 deviation is squared and scaled."""


def norm_bytes(shape: ModelShape, recipe: Recipe) -> float:
    """Bytes per token that the norms of one layer keep, those of queries and keys included."""
    inputs = 1 if shape.family in SIDE_BY_SIDE else shape.norms_per_layer
    return one_norm(shape, recipe) * shape.hidden_size * inputs + _of_queries_and_keys(shape, recipe)


def one_norm(shape: ModelShape, recipe: Recipe) -> float:
    """Bytes per element that a norm of the stream keeps: written out it keeps fp32 copies and, where its weight is
    trained, the normalised tensor; native and fused norms keep their input (code of Transformers 5)."""
    if not _written_out(shape, recipe):
        copies = recipe.transformers and shape.family in FP32_LAYER_NORMS
        return 4.0 if copies else recipe.residual_bytes
    if shape.family in WRITTEN_OUT:
        return 8.0 + (0.0 if recipe.frozen else 4.0)
    narrow = recipe.transformers and shape.family in KEEPS_NARROW and recipe.residual_bytes < 4
    normalised = 0.0 if recipe.frozen else 4.0 if _in_fp32(shape) else recipe.residual_bytes
    return 4.0 + normalised + (recipe.residual_bytes if narrow else 0.0)


def _of_queries_and_keys(shape: ModelShape, recipe: Recipe) -> float:
    if not (shape.qk_norm or shape.qk_norm_wide):
        return 0.0
    query, key, _, _ = attention_widths(shape)
    if not _written_out(shape, recipe):
        return recipe.compute_bytes * (query + key)
    trained = 0.0 if recipe.frozen else 4.0 if _in_fp32(shape) else recipe.compute_bytes
    return (4.0 + trained) * (query + key)


def _written_out(shape: ModelShape, recipe: Recipe) -> bool:
    plain = shape.norm == "rms" or (recipe.transformers and shape.family in WRITTEN_OUT)
    return plain and recipe.norm == "eager" and not recipe.compiled


def _in_fp32(shape: ModelShape) -> bool:
    return shape.family.startswith(FP32_NORMS)
