"""A Hugging Face config.json → ModelShape, for the usual architectures.

Field names and defaults are those of the transformers model code; what an architecture implies beyond its fields
stands in `data/architectures.toml`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from app.catalog.architectures import Architecture, read_architectures, with_traits
from app.catalog.config_fields import ConfigFields, bad
from app.catalog.files import DATA
from app.catalog.towers import classes, patch_count, patches, tower
from app.domain.model import ModelShape
from app.domain.sentence import N_

_FOUR_TIMES = (
    "gpt2",
    "gpt_bigcode",
    "gpt_neo",
    "gptj",
    "codegen",
    "bloom",
    "falcon",
    "RefinedWeb",
    "RefinedWebModel",
)
_LATENT = ("deepseek_v2", "deepseek_v3", "deepseek_v32", "kimi_k2")
_OF_EXPERTS = (*_LATENT, "mixtral", "dbrx", "gpt_oss")
_EXPERT_WIDTH_IS_FFN = (
    "mixtral",
    "phimoe",
    "gpt_oss",
    "olmoe",
    "granitemoe",
    "llama4",
    "llama4_text",
    "dbrx",
)
_QUERY_KEY_VALUE_ONLY = ("qwen2", "qwen2_moe", "chatglm", "glm", "glm4", "glm4_moe", "seed_oss", "qwen2_vl")
_MOST_LAYERS = 10_000


def shape_from_config(config: Mapping[str, Any]) -> ModelShape:
    """The shape that a config.json object describes.

    Raises:
        BadInput: field `config`; the sentence names the config's field that is missing, unknown or contradicts
            another, or the architecture that is not known.
    """
    if not isinstance(config, Mapping):
        raise bad("must be the object of a config.json")
    outer = ConfigFields(config)
    kind = outer.text("model_type")
    if not kind:
        raise bad("model_type is missing: it names the architecture")
    architecture = _architectures().get(kind)
    if architecture is None:
        raise bad("model_type {kind} is not known here; give the shape fields instead", kind=repr(kind[:60]))
    inner = outer.nested("text_config", "llm_config", "language_config")
    if architecture.extra == "clip":
        return _two_towers(outer, kind, architecture)
    fields = inner or outer
    shape = _shape(fields, kind, architecture, outer)
    return _with_tower(shape, outer) if architecture.extra == "vision" else shape


@cache
def _architectures() -> dict[str, Architecture]:
    return read_architectures(DATA)


def _shape(fields: ConfigFields, kind: str, architecture: Architecture, outer: ConfigFields) -> ModelShape:
    modality = architecture.traits.get("modality", "decoder")
    hidden = fields.needed("hidden_size")
    heads = fields.needed("attention_heads")
    layers, encoder_layers = _depth(fields, modality)
    values: dict[str, Any] = {
        **architecture.traits,
        **_latent_attention(fields, kind),
        "layers": layers,
        "encoder_layers": encoder_layers,
        "hidden_size": hidden,
        "attention_heads": heads,
        "kv_heads": _kv_heads(fields, kind, heads),
        "ffn_hidden_size": _ffn(fields, kind, hidden),
        "vocab_size": 0 if modality == "vision" else fields.needed("vocab_size"),
        "max_context": _context(fields, modality),
        **_biases(fields, kind, architecture),
        **_norms(fields, kind),
    }
    values["head_dim"] = _head_dim(fields, hidden, heads, values)
    values |= _embedding_and_gate(fields, outer, architecture)
    values |= _experts(fields, kind, layers, values["ffn_hidden_size"])
    name = outer.text("_name_or_path") or f"{kind} from config.json"
    shape = ModelShape(key="config", name=name, family=kind, source="the config.json given", **values)
    if architecture.extra == "vit":
        return replace(shape, extra_parameters=patches(fields, hidden) + classes(fields) * (hidden + 1))
    return with_traits(shape, architecture)


def _embedding_and_gate(
    fields: ConfigFields, outer: ConfigFields, architecture: Architecture
) -> dict[str, bool]:
    tied = [flag for part in (fields, outer) if (flag := part.flag("tie_word_embeddings")) is not None]
    found = {"tied_embeddings": tied[0] if tied else architecture.tied}
    gated = _gated(fields)
    return found if gated is None else found | {"gated_mlp": gated}


def _depth(fields: ConfigFields, modality: str) -> tuple[int, int]:
    """All layers, and those of the encoder of an encoder-decoder."""
    if modality == "encoder-decoder":
        most = _MOST_LAYERS // 2
        encoder = fields.whole("encoder_layers", most=most) or fields.needed("layers", most)
        names = ("decoder_layers", "num_decoder_layers")
        decoder = next((given for name in names if (given := fields.whole(name, most=most))), encoder)
        return encoder + decoder, encoder
    return fields.needed("layers", _MOST_LAYERS), 0


def _kv_heads(fields: ConfigFields, kind: str, heads: int) -> int:
    attention = fields.nested("attn_config")
    inner = attention.whole("kv_n_heads") if attention else None
    stated = inner or fields.whole("kv_heads")
    if kind in ("falcon", "RefinedWebModel", "RefinedWeb", "gpt_bigcode"):
        grouped = fields.flag("new_decoder_architecture") or kind == "RefinedWeb"
        shared = fields.flag("multi_query")
        stated = stated if grouped else (1 if shared is not False else heads)
    if kind == "chatglm" and not fields.flag("multi_query_attention"):
        stated = None
    kv_heads = stated or heads
    if heads % kv_heads:
        name = fields.spelling("kv_heads") or "kv_n_heads"
        whole = f"{fields.spelling('attention_heads')} {heads}"
        raise bad("{part} does not divide {whole}", part=f"{name} {kv_heads}", whole=whole)
    return kv_heads


def _head_dim(fields: ConfigFields, hidden: int, heads: int, values: Mapping[str, Any]) -> int:
    if values.get("kv_lora_rank"):
        return int(values["qk_nope_head_dim"] + values["qk_rope_head_dim"])
    stated = fields.whole("head_dim")
    if stated is None and hidden % heads:
        names = (fields.spelling("hidden_size"), fields.spelling("attention_heads"))
        text = N_("{whole} is not divisible by {part}, and head_dim is not given")
        raise bad(text, whole=f"{names[0]} {hidden}", part=f"{names[1]} {heads}")
    return stated or hidden // heads


def _ffn(fields: ConfigFields, kind: str, hidden: int) -> int:
    expert = fields.nested("ffn_config")
    stated = (expert.whole("ffn_hidden_size") if expert else None) or fields.whole("ffn_hidden_size")
    if kind in ("llama4", "llama4_text"):
        stated = fields.whole("intermediate_size_mlp") or stated
    ratio = fields.whole("expansion_ratio") or fields.whole("mlp_ratio")
    if stated is None and (ratio or kind in _FOUR_TIMES):
        return (ratio or 4) * hidden
    if stated is None:
        stated = fields.needed("ffn_hidden_size")
    return stated // 2 if kind == "qwen" else stated


def _context(fields: ConfigFields, modality: str) -> int | None:
    if modality != "vision":
        return fields.whole("max_context")
    return patch_count(fields) + 1


def _gated(fields: ConfigFields) -> bool | None:
    stated = fields.flag("is_gated_act")
    if stated is None and (projection := fields.text("feed_forward_proj")):
        return projection.startswith("gated")
    return stated


def _biases(fields: ConfigFields, kind: str, architecture: Architecture) -> dict[str, bool]:
    everywhere = [
        flag for name in ("use_bias", "bias", "enable_bias") if (flag := fields.flag(name)) is not None
    ]
    if everywhere and architecture.traits.get("modality", "decoder") == "decoder":
        return dict.fromkeys(("attention_bias", "output_bias", "mlp_bias"), everywhere[0])
    found = {}
    attention = fields.flag("attention_bias")
    if attention is None:
        attention = fields.flag("add_qkv_bias")
    if attention is not None:
        found["attention_bias"] = attention
        if kind not in _QUERY_KEY_VALUE_ONLY and "add_qkv_bias" not in fields:
            found["output_bias"] = attention
    if (output := fields.flag("attention_out_bias")) is not None:
        found["output_bias"] = output
    if (mlp := fields.flag("mlp_bias")) is not None:
        found["mlp_bias"] = mlp
    return found


def _norms(fields: ConfigFields, kind: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if (own := fields.flag("use_qk_norm")) is not None:
        found["qk_norm"] = own
    if kind in ("falcon", "RefinedWebModel", "stablelm"):
        parallel = (
            fields.flag("parallel_attn") if kind != "stablelm" else fields.flag("use_parallel_residual")
        )
        grouped = fields.flag("new_decoder_architecture") or False
        if parallel is not None or kind == "falcon":
            found["norms_per_layer"] = (
                1 if parallel is not False and not grouped and kind != "stablelm" else 2
            )
        if kind == "stablelm" and parallel:
            found["norms_per_layer"] = 1
    return found


def _latent_attention(fields: ConfigFields, kind: str) -> dict[str, int]:
    """Ranks and head sizes of multi-head latent attention (DeepSeek V2 and later)."""
    rank = fields.whole("kv_lora_rank")
    if rank is None and kind in _LATENT:
        raise bad("kv_lora_rank is missing although {kind} has latent attention", kind=kind)
    if rank is None:
        return {}
    names = ("qk_rope_head_dim", "qk_nope_head_dim", "v_head_dim")
    return {
        "kv_lora_rank": rank,
        "q_lora_rank": fields.whole("q_lora_rank") or 0,
        **{name: fields.needed(name) for name in names},
    }


def _experts(fields: ConfigFields, kind: str, layers: int, ffn: int) -> dict[str, int]:
    inner = fields.nested("ffn_config") or fields
    experts = inner.whole("experts", least=0)
    if experts is None and (kind in _OF_EXPERTS or "moe" in kind):
        raise bad(
            "the number of experts is missing although {kind} has them; 0 says that it is dense", kind=kind
        )
    if not experts or experts == 1:
        return {}
    chosen = inner.whole("experts_per_token") or inner.whole("top_k")
    if chosen is None:
        raise bad("num_experts_per_tok is missing although the config has experts")
    if chosen > experts:
        names = (inner.spelling("experts_per_token"), inner.spelling("experts"))
        raise bad("{part} is more than {whole}", part=f"{names[0]} {chosen}", whole=f"{names[1]} {experts}")
    width = fields.whole("moe_intermediate_size")
    if width is None and kind in _EXPERT_WIDTH_IS_FFN:
        width = fields.whole("intermediate_size") or ffn
    if width is None:
        raise bad("moe_intermediate_size is missing although the config has experts")
    return {
        "experts": experts,
        "experts_per_token": chosen,
        "moe_ffn_hidden_size": width,
        "shared_experts": 1 if kind.startswith("llama4") else fields.whole("shared_experts", least=0) or 0,
        "shared_ffn_hidden_size": fields.whole("shared_expert_intermediate_size", least=0) or 0,
        "dense_layers": _dense_layers(fields, layers),
    }


def _dense_layers(fields: ConfigFields, layers: int) -> int:
    """Layers without experts: the first ones, every second one, or those that are listed."""
    first = fields.whole("dense_layers", least=0) or 0
    step = fields.whole("decoder_sparse_step") or fields.whole("interleave_moe_layer_step") or 1
    dense = first + (layers - layers // step) + (fields.items("mlp_only_layers") or 0)
    if dense >= layers:
        raise bad(
            "{dense} of {layers} layers are dense, which leaves none for the experts",
            dense=dense,
            layers=layers,
        )
    return dense


def _with_tower(shape: ModelShape, outer: ConfigFields) -> ModelShape:
    """Adds the vision tower of a vision-language model; where its size is not in the config, says so."""
    vision = outer.nested("vision_config")
    if vision is None or vision.spelling("hidden_size") is None or vision.spelling("layers") is None:
        return replace(shape, assumed=(*shape.assumed, "vision tower: not in the config, not counted"))
    beside = tower(vision, 0) + patches(vision, vision.needed("hidden_size"))
    return replace(shape, extra_parameters=shape.extra_parameters + beside)


def _two_towers(outer: ConfigFields, kind: str, architecture: Architecture) -> ModelShape:
    """CLIP and its kin: the shape is the image tower's, the text tower is counted beside it."""
    vision, text = outer.nested("vision_config"), outer.nested("text_config")
    if vision is None or text is None:
        raise bad("vision_config and text_config must both be given")
    shape = _shape(vision, kind, replace(architecture, extra=None), outer)
    words = (text.whole("vocab_size") or 49408) + (text.whole("max_context") or 77)
    beside = tower(text, words) + patches(vision, shape.hidden_size)
    return replace(shape, extra_parameters=beside)
