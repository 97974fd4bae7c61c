"""Parameters recounted from the shape, split by what memory and FLOPs treat differently."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from app.domain.model import ModelShape

STRUCTURELESS = ("diffusion", "cnn", "parameters-only")
TYPICAL_VOCABULARY = 128_256
TYPICAL_HEAD = 128


@dataclass(frozen=True, slots=True)
class ParameterCount:
    """Parameters as counts. `dense_layer` and `expert_layer` are one layer without and with experts (norms
    included); `routed` are the routed experts of one expert layer; `linear` the weights in matrix products
    (those a 4-bit base quantises), without embedding and head; `active` those that one token meets, and
    `matmul_active` the part of them in matrix products, head included."""

    total: int
    embedding: int
    head: int
    blocks: int
    dense_layer: int
    expert_layer: int
    routed: int
    linear: int
    active: int
    matmul_active: int

    @property
    def per_layer(self) -> int:
        """Parameters of the largest kind of layer."""
        return max(self.dense_layer, self.expert_layer)


@lru_cache(maxsize=4096)
def structure(shape: ModelShape) -> ModelShape:
    """The shape with what is missing filled in by what is typical of its size.

    A bare parameter count N becomes a decoder of N ≈ 12·L·h² with L = h/128 (Kaplan 2020, table of shapes).
    """
    if shape.layers and shape.hidden_size:
        heads = shape.attention_heads or max(1, shape.hidden_size // (shape.head_dim or TYPICAL_HEAD))
        return replace(
            shape,
            attention_heads=heads,
            kv_heads=shape.kv_heads or heads,
            head_dim=shape.head_dim or max(1, shape.hidden_size // heads),
            ffn_hidden_size=shape.ffn_hidden_size or 4 * shape.hidden_size,
        )
    total = shape.stated_parameters or 0
    if shape.modality != "parameters-only":
        return shape
    hidden = max(TYPICAL_HEAD, round((total * TYPICAL_HEAD / 12) ** (1 / 3) / TYPICAL_HEAD) * TYPICAL_HEAD)
    heads = max(1, hidden // TYPICAL_HEAD)
    return replace(
        shape,
        layers=heads,
        hidden_size=hidden,
        attention_heads=heads,
        kv_heads=max(1, heads // 4),
        head_dim=TYPICAL_HEAD,
        ffn_hidden_size=int(3.5 * hidden),
        vocab_size=min(TYPICAL_VOCABULARY, total // (4 * hidden)),
    )


def attention_widths(shape: ModelShape) -> tuple[int, int, int, int]:
    """Elements per token of query, key, value and attention output; MLA expands keys to every head."""
    if shape.kv_lora_rank:
        wide = shape.attention_heads * (shape.qk_nope_head_dim + shape.qk_rope_head_dim)
        value = shape.attention_heads * shape.v_head_dim
        return wide, wide, value, value
    query = shape.attention_heads * shape.head_dim
    key = shape.kv_heads * shape.head_dim
    return query, key, key, query


def projections(shape: ModelShape) -> dict[str, tuple[int, int]]:
    """(in, out) of the linears of one layer's attention, by the names that adapters use."""
    hidden = shape.hidden_size
    query, key, value, output = attention_widths(shape)
    if not shape.kv_lora_rank:
        return {"q": (hidden, query), "k": (hidden, key), "v": (hidden, value), "o": (output, hidden)}
    latent, rope = shape.kv_lora_rank, shape.qk_rope_head_dim
    up = shape.attention_heads * (shape.qk_nope_head_dim + shape.v_head_dim)
    linears = {"kv_a": (hidden, latent + rope), "kv_b": (latent, up), "o": (output, hidden)}
    if shape.q_lora_rank:
        return linears | {"q_a": (hidden, shape.q_lora_rank), "q_b": (shape.q_lora_rank, query)}
    return linears | {"q": (hidden, query)}


def mlp_linears(shape: ModelShape, width: int) -> dict[str, tuple[int, int]]:
    """(in, out) of the linears of a feed-forward part of `width`."""
    hidden = shape.hidden_size
    linears = {"up": (hidden, width), "down": (width, hidden)}
    return linears | {"gate": (hidden, width)} if shape.gated_mlp else linears


def shared_width(shape: ModelShape) -> int:
    """Width of the part of an expert layer that every token passes."""
    return shape.shared_ffn_hidden_size or shape.shared_experts * expert_width(shape)


def expert_width(shape: ModelShape) -> int:
    """Width of one routed expert."""
    return shape.moe_ffn_hidden_size or shape.ffn_hidden_size


@lru_cache(maxsize=4096)
def count(shape: ModelShape) -> ParameterCount:
    """Parameters of `shape`: exact where the structure is known, else the publisher's total spread evenly.

    Counts weights, biases, norms, embedding, position table and head; decoders of encoder-decoders have a
    second attention. Every count in parameters.
    """
    shape = structure(shape)
    if not shape.layers or not shape.hidden_size:
        return _uncounted(shape.stated_parameters or 0)
    embedding = (shape.vocab_size + shape.learned_positions) * shape.hidden_size
    head = 0 if shape.tied_embeddings else shape.vocab_size * shape.hidden_size
    attention = _size(projections(shape))
    norms = _norms(shape)
    dense = attention + _size(mlp_linears(shape, shape.ffn_hidden_size)) + norms + _biases(shape)
    routed, fixed = _experts(shape)
    expert = attention + routed + fixed + norms + _biases(shape) if shape.experts else 0
    layers, sparse = shape.layers, _expert_layers(shape)
    crossed = max(0, layers - shape.encoder_layers) if shape.encoder_layers else 0
    extra = shape.extra_parameters + (_norm(shape) if shape.final_norm else 0)
    blocks = (layers - sparse) * dense + sparse * expert + crossed * (attention + _norm(shape)) + extra
    if shape.stated_parameters and (not shape.recounted or shape.modality in STRUCTURELESS):
        return _spread(shape, embedding, head, dense, expert, routed, blocks)
    return _counted(shape, embedding, head, dense, expert, routed, blocks)


def _counted(
    shape: ModelShape, embedding: int, head: int, dense: int, expert: int, routed: int, blocks: int
) -> ParameterCount:
    layers, sparse = max(1, shape.layers), _expert_layers(shape)
    idle = routed * (1 - shape.experts_per_token / shape.experts) if shape.experts else 0.0
    small = layers * (_norms(shape) + _biases(shape))
    active = blocks - sparse * idle
    product = 0 if shape.modality in ("encoder", "vision") else shape.vocab_size * shape.hidden_size
    return ParameterCount(
        total=embedding + head + blocks,
        embedding=embedding,
        head=head,
        blocks=blocks,
        dense_layer=dense if sparse < layers else 0,
        expert_layer=expert,
        routed=routed,
        linear=max(0, blocks - small),
        active=round(active + embedding + head),
        matmul_active=round(max(0.0, active - small) + product),
    )


def _spread(
    shape: ModelShape, embedding: int, head: int, dense: int, expert: int, routed: int, blocks: int
) -> ParameterCount:
    """The stated total where the recount misses parts: every part of the blocks scaled alike."""
    left = max(1, (shape.stated_parameters or 0) - embedding - head)
    share = left / max(1, blocks)
    return _counted(
        shape, embedding, head, round(dense * share), round(expert * share), round(routed * share), left
    )


def _uncounted(total: int) -> ParameterCount:
    return ParameterCount(total, 0, 0, total, total, 0, 0, total, total, total)


def _experts(shape: ModelShape) -> tuple[int, int]:
    """Routed experts of one layer, and its shared expert and router."""
    if not shape.experts:
        return 0, 0
    routed = shape.experts * _size(mlp_linears(shape, expert_width(shape)))
    shared = shared_width(shape)
    fixed = _size(mlp_linears(shape, shared)) if shared else 0
    return routed, fixed + shape.hidden_size * shape.experts


def soft_capped(shape: ModelShape) -> bool:
    """Scores and logits pass a tanh (Gemma 2)."""
    return shape.soft_capping or shape.family == "Gemma 2"


def expert_layers(shape: ModelShape) -> int:
    """Layers that hold experts."""
    return _expert_layers(shape)


def _expert_layers(shape: ModelShape) -> int:
    return max(0, shape.layers - shape.dense_layers) if shape.experts else 0


def _size(linears: dict[str, tuple[int, int]]) -> int:
    return sum(wide * out for wide, out in linears.values())


def _norm(shape: ModelShape) -> int:
    vectors = shape.norm_vectors
    return shape.hidden_size * ((1 if shape.norm == "rms" else 2) if vectors is None else vectors)


def _norms(shape: ModelShape) -> int:
    query, key, _, _ = attention_widths(shape)
    head = 2 * shape.head_dim if shape.qk_norm else 0
    wide = query + key if shape.qk_norm_wide else 0
    latent = shape.q_lora_rank + shape.kv_lora_rank
    return shape.norms_per_layer * _norm(shape) + head + wide + latent


def _biases(shape: ModelShape) -> int:
    query, key, value, _ = attention_widths(shape)
    hidden = shape.hidden_size
    attention = query + key + value if shape.attention_bias else 0
    output = hidden if shape.output_bias else 0
    mlp = (hidden + shape.ffn_hidden_size * (2 if shape.gated_mlp else 1)) if shape.mlp_bias else 0
    return attention + output + mlp
