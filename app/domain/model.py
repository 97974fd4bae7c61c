"""The shape of a model: everything that parameters, memory and FLOPs are computed from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from app.domain.sentence import Sentence

Modality = Literal["decoder", "encoder", "encoder-decoder", "vision", "diffusion", "cnn", "parameters-only"]


@dataclass(frozen=True, slots=True)
class ModelShape:
    """Dimensions of a transformer (or a published footprint where structure is not known).

    Sizes are element counts. `experts` 0 = dense. MLA models set the `*_lora_rank` and `*_head_dim` fields.
    `layers` counts every layer; with `encoder_layers` it includes them. `dense_layers` of a mixture of experts
    have an ordinary feed-forward part of `ffn_hidden_size`; the others have `experts` of
    `moe_ffn_hidden_size` and a shared part of `shared_ffn_hidden_size` (0: `shared_experts` routed ones).

    `attention_bias`: on the query, key and value projections; `output_bias`: on the attention output;
    `mlp_bias`: on the feed-forward projections. `norm_vectors`: parameters
    of one norm, in hidden sizes (None: 1 for rms, 2 for layer). `norms_per_layer`: 1 for a parallel block,
    4 with norms before and after both parts. `qk_norm`: of one head; `qk_norm_wide`: of all heads at once.
    `learned_positions`: rows of a position table. `extra_parameters`: what none of these count (pooler, head bias,
    token types, position bias, sinks, patch embedding, a second tower).

    `stated_parameters` is the publisher's total: used only where the structure cannot be recounted
    (`recounted` False, and `modality` diffusion, cnn, parameters-only), otherwise a check.
    `assumed` names fields that were derived or typical, not given.
    """

    key: str
    name: str
    modality: Modality = "decoder"
    family: str = ""
    layers: int = 0
    hidden_size: int = 0
    attention_heads: int = 0
    kv_heads: int = 0
    head_dim: int = 0
    ffn_hidden_size: int = 0
    vocab_size: int = 0
    tied_embeddings: bool = False
    gated_mlp: bool = True
    experts: int = 0
    experts_per_token: int = 0
    shared_experts: int = 0
    moe_ffn_hidden_size: int = 0
    dense_layers: int = 0
    encoder_layers: int = 0
    learned_positions: int = 0
    norm: Literal["rms", "layer"] = "rms"
    attention_bias: bool = False
    mlp_bias: bool = False
    qk_norm: bool = False
    output_bias: bool = False
    norm_vectors: int | None = None
    norms_per_layer: int = 2
    final_norm: bool = True
    qk_norm_wide: bool = False
    shared_ffn_hidden_size: int = 0
    extra_parameters: int = 0
    recounted: bool = True
    q_lora_rank: int = 0
    kv_lora_rank: int = 0
    qk_rope_head_dim: int = 0
    qk_nope_head_dim: int = 0
    v_head_dim: int = 0
    soft_capping: bool = False
    max_context: int | None = None
    stated_parameters: int | None = None
    stated_active_parameters: int | None = None
    licence: str = ""
    source: str = ""
    assumed: tuple[str | Sentence, ...] = field(default=(), hash=False)
    notes: str = ""
