"""Activations kept for the backward pass, and the working set of one layer. Bytes per token and layer.

Derived from what PyTorch saves for each operation (checked against steps run on fake tensors, see
tools/measure_fake.py); Korthikanti 2022 gives the same counts for GPT with dropout.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from app.domain.model import ModelShape
from app.training.assumptions_memory import value_of
from app.training.norms import norm_bytes, one_norm
from app.training.parameters import attention_widths, expert_width, shared_width, soft_capped
from app.training.recipe import Recipe
from app.training.targets import target_linears

PLAIN_SCORES = 12.0
FUSED_QKV = ("GPT-NeoX", "Pythia", "Qwen 1", "Phi", "ModernBERT")
"""Rotation makes new queries and keys, while the values keep the storage of all three alive, unless they are copied
for grouped queries."""
PLAIN_SOFTMAX = ("BERT", "RoBERTa", "DeBERTa", "GPT-2", "T5", "Whisper", "wav2vec2", "Falcon", "gpt-oss")
"""Whose code in Transformers takes the softmax in the format of the scores; all others in fp32."""
COMPOSED_GELU = ("GPT-2", "GPT-J", "Phi", "T5")
COMPOSED_STEPS = 3.0
RELATIVE_POSITIONS = {"DeBERTa": 512}
"""Positions that content is compared with beside the tokens: one product each way (He 2021)."""
HEADS_FIRST = ("Whisper", "GPT-NeoX", "Pythia", "Phi", "GLM", "StableLM")
"""Queries are laid out by head (made contiguous, or put together after a partial rotation), and so is what attention
returns: the output projection copies it."""
FEED_FORWARD_DROPOUT = ("T5",)
"""Dropout before the second product of the feed-forward part as well."""
LAYER_SCALED = ("DINOv2",)
"""Both parts of a layer are multiplied by a trained vector, which keeps what it multiplies."""


@dataclass(frozen=True, slots=True)
class LayerBytes:
    """One layer, bytes per token. `whole`: norms and layer inputs (divided by tensor parallel only with
    sequence parallel); `split`: attention and feed-forward (always divided); `scores`: bytes per token and
    context token of eager attention; `entry`: the layer's input, all that full checkpointing keeps;
    `selective`: what selective checkpointing keeps
    beside the entry (every second matrix product and the attention output, torchtitan; compiled code drops the
    last product, which nothing reads again); None: all but the scores (Megatron recomputes the core attention);
    `work` and
    `work_scores` (per token and context token): gradients alive at once in backward.
    `inner_mlp`: the part of `split` inside the feed-forward."""

    whole: float
    split: float
    scores: float
    entry: float
    selective: float | None
    work: float
    work_scores: float


@lru_cache(maxsize=4096)
def layer_bytes(shape: ModelShape, recipe: Recipe, expert_layer: bool, crossed: float = 0.0) -> LayerBytes:
    """What one layer of `shape` (its structure filled in) keeps under `recipe`. `crossed`: tokens of the encoder that
    a decoder's second attention reads, per token of the decoder."""
    e = recipe.compute_bytes
    hidden = shape.hidden_size
    query, key, value, output = attention_widths(shape)
    width = _mlp_width(shape, expert_layer)
    norms, inputs = norm_bytes(shape, recipe), _linear_inputs(shape, recipe, expert_layer)
    attention = _attention(shape, recipe)
    mlp = _mlp(shape, recipe, width) + _dispatch(shape, recipe, expert_layer)
    scaled = 2.0 if shape.family in LAYER_SCALED else 0.0
    mlp += (recipe.inner_copies + scaled) * e * hidden + _quantised_copies(shape, recipe, width)
    adapters = _adapter_inputs(shape, recipe, expert_layer)
    unread = 0 if recipe.compiled else hidden
    kept = e * (unread + query + value + width + output) + 4.0 * shape.attention_heads
    scores = _scores(shape, recipe)
    if crossed:
        norms += norms / shape.norms_per_layer
        inputs += _crossing_inputs(shape, recipe, inputs, crossed)
        attention += _attention(shape, recipe) + e * (key + value) * (crossed - 1)
        scores *= 1 + crossed
    return LayerBytes(
        whole=norms + inputs,
        split=attention + mlp + adapters,
        scores=scores,
        work_scores=value_of("backward.scores") * shape.attention_heads
        if recipe.attention == "eager"
        else 0.0,
        entry=recipe.residual_bytes * hidden,
        selective=kept if recipe.selective == "products" else None,
        work=value_of("backward.work") * e * max(width * (2 if shape.gated_mlp else 1), query + key + value),
    )


def top_bytes(shape: ModelShape, recipe: Recipe) -> float:
    """What the final norm and the head keep, bytes per token; a frozen head keeps nothing."""
    one = one_norm(shape, recipe) * shape.hidden_size
    return one + (0.0 if recipe.frozen else recipe.compute_bytes * shape.hidden_size)


def _crossing_inputs(shape: ModelShape, recipe: Recipe, inputs: float, crossed: float) -> float:
    """Inputs of a decoder's second attention: one norm's output, and under autocast what the encoder made, cast for
    keys and for values in every layer."""
    if not recipe.autocast or recipe.frozen:
        return inputs / 2
    return recipe.compute_bytes * shape.hidden_size * (1 + 2 * crossed)


def _mlp_width(shape: ModelShape, expert_layer: bool) -> int:
    if not expert_layer:
        return shape.ffn_hidden_size
    return shape.experts_per_token * expert_width(shape) + shared_width(shape)


def _linear_inputs(shape: ModelShape, recipe: Recipe, expert_layer: bool) -> float:
    """The normalised inputs of the attention and feed-forward linears, kept where a weight gradient needs them.
    Autocast casts the fp32 stream again for every linear."""
    e, hidden = recipe.compute_bytes, shape.hidden_size
    blocks = 1 if shape.norms_per_layer == 1 else 2
    if recipe.autocast and not recipe.frozen:
        fused = shape.norm == "layer" and shape.modality == "decoder"
        return e * hidden * ((1 if fused else 3) + (2 if shape.gated_mlp else 1))
    if not recipe.frozen:
        return blocks * e * hidden
    if recipe.fused_adapters or _keeps_every_input(recipe):
        return blocks * e * hidden
    names = target_linears(shape, recipe.targets, expert_layer)
    touched = bool(set(names) & {"q", "k", "v", "qkv", "q_a", "kv_a"}) + bool(set(names) & {"gate", "up"})
    return min(touched, blocks) * e * hidden if _shares_input(recipe) else 0.0


def _keeps_every_input(recipe: Recipe) -> bool:
    """bitsandbytes keeps the input of every quantised linear; fused kernels do not."""
    return recipe.quantised_bytes is not None and not recipe.fused_adapters


def _shares_input(recipe: Recipe) -> bool:
    """Adapters keep the very input of their linear: no cast, no dropout in between."""
    narrow = recipe.adapter_bytes <= recipe.compute_bytes and not recipe.adapter_dropout
    return recipe.fused_adapters or (narrow and not recipe.autocast)


def _attention(shape: ModelShape, recipe: Recipe) -> float:
    """Query, key, value, output and the log-sum-exp of flash attention. Keys and values are repeated for every
    query head by eager code and by implementations without grouped queries."""
    e = recipe.compute_bytes
    query, key, value, output = attention_widths(shape)
    copied = recipe.repeats_keys or recipe.attention == "eager"
    if copied:
        key = value = query if not shape.kv_lora_rank else key
    masks = _mask_bytes(recipe) * shape.hidden_size * 2 if recipe.dropout else 0.0
    fused = shape.family in FUSED_QKV and (shape.family != "Phi" or shape.gated_mlp)
    if recipe.transformers and fused and not (copied and shape.kv_heads < shape.attention_heads):
        masks += e * (query + key)
    masks += _relative(shape, recipe)
    if recipe.transformers and shape.family in HEADS_FIRST and recipe.attention == "sdpa":
        masks += e * _input_of(recipe, "o", output)
    if recipe.attention == "eager":
        return e * (query + key + value + _input_of(recipe, "o", output)) + masks
    if _plain_products(shape, recipe):
        return e * output + 4.0 * (query + key + value) + masks
    return e * (query + key + value + output) + 4.0 * shape.attention_heads + masks


def _relative(shape: ModelShape, recipe: Recipe) -> float:
    """Content against positions, both ways, and the positions' own queries and keys, repeated for every sequence."""
    positions = RELATIVE_POSITIONS.get(shape.family, 0)
    repeated = positions * shape.hidden_size / recipe.sequence_length
    return 2.0 * recipe.compute_bytes * (shape.attention_heads * positions + repeated)


def _mask_bytes(recipe: Recipe) -> float:
    """A dropout mask: one byte on accelerators, the format of its tensor in the reference kernels."""
    return recipe.compute_bytes if recipe.reference_kernels else 1.0


def _plain_products(shape: ModelShape, recipe: Recipe) -> bool:
    """The reference kernels of fused attention know no dropout: plain products in fp32 take their place."""
    return recipe.reference_kernels and _drops_scores(shape, recipe) and recipe.attention == "sdpa"


def _drops_scores(shape: ModelShape, recipe: Recipe) -> bool:
    """OPT drops out hidden states only."""
    return bool(recipe.dropout) and shape.family != "OPT"


def _scores(shape: ModelShape, recipe: Recipe) -> float:
    """Bytes per token and context token. Eager attention keeps the softmax (fp32 in most code and
    under autocast) and its copy in the compute format, with dropout the dropped copy and the mask, with
    soft-capping the tanh. The reference kernels of fused attention write a causal mask out once a layer."""
    e = recipe.compute_bytes
    if _plain_products(shape, recipe):
        return PLAIN_SCORES * shape.attention_heads
    if recipe.attention != "eager":
        masked = recipe.reference_kernels and recipe.attention == "sdpa" and shape.modality == "decoder"
        return e if masked else 0.0
    soft = 4.0 if _upcasts_softmax(shape, recipe) else e
    copy = e if soft > e else 0.0
    if _drops_scores(shape, recipe):
        copy = e + (e if recipe.reference_kernels else 1.0)
    return shape.attention_heads * (soft + copy + (e if soft_capped(shape) else 0.0))


def _upcasts_softmax(shape: ModelShape, recipe: Recipe) -> bool:
    if recipe.transformers and shape.family and not recipe.autocast:
        return shape.family not in PLAIN_SOFTMAX
    return shape.norm == "rms" or recipe.autocast


def _mlp(shape: ModelShape, recipe: Recipe, width: int) -> float:
    """Gate, its activation and up (gated), or the activation's input (none for OPT's ReLU, which keeps its output, the
    input of the next product); the tanh-GELU of some families is written out in plain operations by Transformers and
    keeps three tensors more. Compiled code recomputes the activation, but not the product, which a matrix product of
    the backward pass reads (functorch's min-cut partitioner)."""
    e = recipe.compute_bytes
    if recipe.mlp_recomputed and not shape.gated_mlp:
        return e * width * max(0, 1 - recipe.mlp_recomputed // 2)
    written_out = shape.family in COMPOSED_GELU and shape.gated_mlp == (shape.family == "T5")
    composed = written_out and recipe.transformers and recipe.norm == "eager"
    plain = 0.0 if shape.family == "OPT" else 1.0
    inner = (3.0 if shape.gated_mlp else plain) + (COMPOSED_STEPS if composed else 0.0)
    if (recipe.fused_adapters or recipe.compiled) and shape.gated_mlp:
        inner = 2.0
    mask = 0.0
    if recipe.dropout and shape.family in FEED_FORWARD_DROPOUT:
        mask = _mask_bytes(recipe) * width
    return e * width * inner + e * _input_of(recipe, "down", width) + mask


def _input_of(recipe: Recipe, name: str, width: int) -> float:
    """Elements of a linear's input that must be kept for its weight or adapter gradient."""
    if not recipe.frozen or _keeps_every_input(recipe):
        return float(width)
    if recipe.fused_adapters:
        return 0.0
    return float(width) if name in recipe.targets and _shares_input(recipe) else 0.0


def _quantised_copies(shape: ModelShape, recipe: Recipe, width: int) -> float:
    """Inputs that a quantised linear casts and keeps once more, whether it has an adapter or not."""
    if recipe.quantised_bytes is None:
        return 0.0
    return recipe.quantised_copies * (3 * shape.hidden_size + width)


def _dispatch(shape: ModelShape, recipe: Recipe, expert_layer: bool) -> float:
    """Routed copies of the tokens on their way into and out of the experts."""
    if not expert_layer:
        return 0.0
    return 2.0 * recipe.compute_bytes * shape.hidden_size * shape.experts_per_token


def _adapter_inputs(shape: ModelShape, recipe: Recipe, expert_layer: bool) -> float:
    """What adapters keep for themselves: the low-rank result, and their input again where it is cast (to fp32
    adapters, or by autocast) or dropped out. Every targeted linear casts for itself."""
    if not recipe.frozen:
        return 0.0
    linears = target_linears(shape, recipe.targets, expert_layer)
    low_rank = recipe.rank * len(linears) * recipe.compute_bytes
    inputs = sum(wide for wide, _ in linears.values())
    if recipe.inner_copies and {"q", "k", "v"} & set(linears):
        inputs -= shape.hidden_size * (len({"q", "k", "v"} & set(linears)) - 1)
    cast = recipe.compute_bytes if recipe.autocast else recipe.adapter_bytes
    kept = 0.0 if _shares_input(recipe) else cast + (1.0 if recipe.adapter_dropout else 0.0)
    return float(low_rank + kept * inputs)
