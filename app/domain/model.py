"""The shape of a model: everything that parameters, memory and FLOPs are computed from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Modality = Literal["decoder", "encoder", "encoder-decoder", "vision", "diffusion", "cnn", "parameters-only"]


@dataclass(frozen=True, slots=True)
class ModelShape:
    """Dimensions of a transformer (or a published footprint where structure is not known).

    Sizes are element counts. `experts` 0 = dense. MLA models set the `*_lora_rank` and `*_head_dim` fields.
    `stated_parameters` is the publisher's total: used only where the structure cannot be recounted
    (`modality` diffusion, cnn, parameters-only), otherwise a check.
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
