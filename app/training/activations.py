"""Activations kept for the backward pass, and the working set of one layer. Bytes per token and layer.

Derived from what PyTorch saves for each operation (checked against steps run on fake tensors, see
tools/measure_fake.py); Korthikanti 2022 gives the same counts for GPT with dropout.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from app.domain.model import ModelShape
from app.training.assumptions_memory import value_of
from app.training.parameters import attention_widths, expert_width, shared_width
from app.training.recipe import Recipe
from app.training.targets import target_linears


@dataclass(frozen=True, slots=True)
class LayerBytes:
    """One layer, bytes per token. `whole`: norms and layer inputs (divided by tensor parallel only with
    sequence parallel); `split`: attention and feed-forward (always divided); `scores`: bytes per token and
    context token of eager attention; `entry`: the layer's input, all that full checkpointing keeps;
    `selective`: what selective checkpointing keeps of `split`; `work`: gradients alive at once in backward;
    `inner_mlp`: the part of `split` inside the feed-forward."""

    whole: float
    split: float
    scores: float
    entry: float
    selective: float
    work: float


@lru_cache(maxsize=4096)
def layer_bytes(shape: ModelShape, recipe: Recipe, expert_layer: bool) -> LayerBytes:
    """What one layer of `shape` (its structure filled in) keeps under `recipe`."""
    e = recipe.compute_bytes
    hidden = shape.hidden_size
    query, key, value, output = attention_widths(shape)
    width = _mlp_width(shape, expert_layer)
    norms, inputs = _norms(shape, recipe), _linear_inputs(shape, recipe, expert_layer)
    attention = _attention(shape, recipe)
    mlp = _mlp(shape, recipe, width) + _dispatch(shape, recipe, expert_layer)
    adapters = _adapter_inputs(shape, recipe, expert_layer)
    kept = e * (2 * hidden + query + key + value + width) + (output * e + 4 * shape.attention_heads)
    return LayerBytes(
        whole=norms + inputs,
        split=attention + mlp + adapters,
        scores=_scores(shape, recipe),
        entry=recipe.residual_bytes * hidden,
        selective=kept / 2 + e * output,
        work=value_of("backward.work") * e * max(width * (2 if shape.gated_mlp else 1), query + key + value),
    )


def _mlp_width(shape: ModelShape, expert_layer: bool) -> int:
    if not expert_layer:
        return shape.ffn_hidden_size
    return shape.experts_per_token * expert_width(shape) + shared_width(shape)


def _norms(shape: ModelShape, recipe: Recipe) -> float:
    """Inputs that the norms keep. The eager RMS norm keeps its fp32 copy and, where its weight is trained, the
    normalised tensor in the stream's format; native and fused norms keep their input."""
    e, hidden = recipe.residual_bytes, shape.hidden_size
    upcast = shape.norm == "rms" and recipe.norm == "eager" and not recipe.compiled
    one = (4.0 + (0.0 if recipe.frozen else recipe.compute_bytes)) if upcast else e
    extra = 0.0
    if shape.qk_norm or shape.qk_norm_wide:
        query, key, _, _ = attention_widths(shape)
        extra = one * (query + key)
    return one * hidden * shape.norms_per_layer + extra


def _linear_inputs(shape: ModelShape, recipe: Recipe, expert_layer: bool) -> float:
    """The normalised inputs of the attention and feed-forward linears, kept where a weight gradient needs them."""
    e, hidden = recipe.compute_bytes, shape.hidden_size
    blocks = 1 if shape.norms_per_layer == 1 else 2
    if not recipe.frozen:
        return blocks * e * hidden
    names = target_linears(shape, recipe.targets, expert_layer)
    shared = recipe.adapter_bytes <= recipe.compute_bytes
    touched = bool(set(names) & {"q", "k", "v", "qkv", "q_a", "kv_a"}) + bool(set(names) & {"gate", "up"})
    return min(touched, blocks) * e * hidden if shared else 0.0


def _attention(shape: ModelShape, recipe: Recipe) -> float:
    """Query, key, value, output and the log-sum-exp of flash attention; eager repeats keys for every query."""
    e = recipe.compute_bytes
    query, key, value, output = attention_widths(shape)
    if recipe.attention == "eager":
        return e * (query + 2 * query + _input_of(recipe, "o", output))
    return e * (query + key + value + output) + 4.0 * shape.attention_heads


def _scores(shape: ModelShape, recipe: Recipe) -> float:
    """Eager attention keeps the fp32 softmax and its copy in the compute format, per head and pair of tokens."""
    if recipe.attention != "eager":
        return 0.0
    return shape.attention_heads * (4.0 + (recipe.compute_bytes if recipe.compute_bytes < 4 else 0.0))


def _mlp(shape: ModelShape, recipe: Recipe, width: int) -> float:
    e = recipe.compute_bytes
    inner = 3.0 if shape.gated_mlp else float(max(0, 1 - recipe.mlp_recomputed // 2))
    if recipe.mlp_recomputed and not shape.gated_mlp:
        return e * width * inner
    return e * width * inner + e * _input_of(recipe, "down", width)


def _input_of(recipe: Recipe, name: str, width: int) -> float:
    """Elements of a linear's input that must be kept for its weight or adapter gradient."""
    if not recipe.frozen:
        return float(width)
    shared = recipe.adapter_bytes <= recipe.compute_bytes
    return float(width) if name in recipe.targets and shared else 0.0


def _dispatch(shape: ModelShape, recipe: Recipe, expert_layer: bool) -> float:
    """Routed copies of the tokens on their way into and out of the experts."""
    if not expert_layer:
        return 0.0
    return 2.0 * recipe.compute_bytes * shape.hidden_size * shape.experts_per_token


def _adapter_inputs(shape: ModelShape, recipe: Recipe, expert_layer: bool) -> float:
    """What adapters keep for themselves: the low-rank result, and their input again where it is cast (fp32
    adapters) or dropped out. Every targeted linear casts for itself."""
    if not recipe.frozen:
        return 0.0
    linears = target_linears(shape, recipe.targets, expert_layer)
    low_rank = recipe.rank * len(linears) * recipe.compute_bytes
    if recipe.adapter_bytes <= recipe.compute_bytes:
        return float(low_rank)
    return float(low_rank + recipe.adapter_bytes * sum(wide for wide, _ in linears.values()))
