"""Fields of published config.json files and the parameter count of the published weights."""

from __future__ import annotations

from typing import Any

Config = dict[str, Any]


def stack(
    kind: str, hidden: int, ffn: int, layers: int, heads: int, kv: int | None, vocab: int, **more: Any
) -> Config:
    """A config in the names that most architectures share."""
    config = {
        "model_type": kind,
        "hidden_size": hidden,
        "intermediate_size": ffn,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "vocab_size": vocab,
        **more,
    }
    return config if kv is None else config | {"num_key_value_heads": kv}


UNTIED = {"tie_word_embeddings": False}
LLAMA = stack(
    "llama", 4096, 14336, 32, 32, 8, 128256, **UNTIED, max_position_embeddings=131072, head_dim=None
)

PUBLISHED: dict[str, tuple[Config, int]] = {
    "llama-3.1-8b": (LLAMA, 8_030_261_248),
    "mistral-7b": (stack("mistral", 4096, 14336, 32, 32, 8, 32000, **UNTIED), 7_241_732_096),
    "qwen-7b": (stack("qwen", 4096, 22016, 32, 32, None, 151936, **UNTIED, kv_channels=128), 7_721_324_544),
    "qwen2.5-7b": (stack("qwen2", 3584, 18944, 28, 28, 4, 152064, **UNTIED), 7_615_616_512),
    "qwen1.5-moe": (
        stack(
            "qwen2_moe", 2048, 5632, 24, 16, 16, 151936, **UNTIED, moe_intermediate_size=1408,
            shared_expert_intermediate_size=5632, num_experts=60, num_experts_per_tok=4, decoder_sparse_step=1,
        ),
        14_315_784_192,
    ),
    "qwen3-8b": (stack("qwen3", 4096, 12288, 36, 32, 8, 151936, **UNTIED, head_dim=128, attention_bias=False), 8_190_735_360),
    "qwen3-30b-a3b": (
        stack(
            "qwen3_moe", 2048, 6144, 48, 32, 4, 151936, **UNTIED, head_dim=128, moe_intermediate_size=768,
            num_experts=128, num_experts_per_tok=8, decoder_sparse_step=1, mlp_only_layers=[],
        ),
        30_532_122_624,
    ),
    "mixtral-8x7b": (
        stack("mixtral", 4096, 14336, 32, 32, 8, 32000, **UNTIED, num_local_experts=8, num_experts_per_tok=2),
        46_702_792_704,
    ),
    "gemma-2b": (stack("gemma", 2048, 16384, 18, 8, 1, 256000, head_dim=256), 2_506_172_416),
    "gemma-2-2b": (stack("gemma2", 2304, 9216, 26, 8, 4, 256000, head_dim=256), 2_614_341_888),
    "gemma-3-1b": (stack("gemma3_text", 1152, 6912, 26, 4, 1, 262144, head_dim=256), 999_885_952),
    "phi-2": (stack("phi", 2560, 10240, 32, 32, None, 51200, **UNTIED), 2_779_683_840),
    "phi-4": (stack("phi3", 5120, 17920, 40, 40, 10, 100352, **UNTIED), 14_659_507_200),
    "gpt2": (
        {"model_type": "gpt2", "n_embd": 768, "n_head": 12, "n_layer": 12, "n_positions": 1024, "n_inner": None, "vocab_size": 50257},
        124_439_808,
    ),
    "gpt-j-6b": (
        {"model_type": "gptj", "n_embd": 4096, "n_head": 16, "n_layer": 28, "vocab_size": 50400, **UNTIED},
        6_050_882_784,
    ),
    "pythia-1b": (stack("gpt_neox", 2048, 8192, 16, 8, None, 50304, **UNTIED), 1_011_781_632),
    "opt-1.3b": (
        stack("opt", 2048, 0, 24, 32, None, 50272, ffn_dim=8192, max_position_embeddings=2048) | {"intermediate_size": None},
        1_315_758_080,
    ),
    "bloom-7b1": ({"model_type": "bloom", "hidden_size": 4096, "n_layer": 30, "n_head": 32, "vocab_size": 250880}, 7_069_016_064),
    "falcon-7b": (
        {
            "model_type": "falcon", "hidden_size": 4544, "num_hidden_layers": 32, "num_attention_heads": 71,
            "multi_query": True, "new_decoder_architecture": False, "parallel_attn": True, "bias": False, "vocab_size": 65024,
        },
        6_921_720_704,
    ),
    "falcon-40b": (
        {
            "model_type": "falcon", "hidden_size": 8192, "num_hidden_layers": 60, "num_attention_heads": 128,
            "num_kv_heads": 8, "new_decoder_architecture": True, "parallel_attn": True, "bias": False, "vocab_size": 65024,
        },
        41_303_293_952,
    ),
    "mpt-7b": (
        {"model_type": "mpt", "d_model": 4096, "n_heads": 32, "n_layers": 32, "expansion_ratio": 4, "vocab_size": 50432},
        6_649_286_656,
    ),
    "dbrx": (
        {
            "model_type": "dbrx", "d_model": 6144, "n_heads": 48, "n_layers": 40, "vocab_size": 100352, **UNTIED,
            "attn_config": {"kv_n_heads": 8},
            "ffn_config": {"ffn_hidden_size": 10752, "moe_num_experts": 16, "moe_top_k": 4},
        },
        131_596_523_520,
    ),
    "olmo-2-7b": (stack("olmo2", 4096, 11008, 32, 32, None, 100352, **UNTIED), 7_298_617_344),
    "starcoder2-15b": (stack("starcoder2", 6144, 24576, 40, 48, 4, 49152, **UNTIED, use_bias=True), 15_957_889_024),
    "deepseek-v3": (
        stack(
            "deepseek_v3", 7168, 18432, 61, 128, 128, 129280, **UNTIED, moe_intermediate_size=2048,
            n_routed_experts=256, num_experts_per_tok=8, n_shared_experts=1, first_k_dense_replace=3, q_lora_rank=1536,
            kv_lora_rank=512, qk_rope_head_dim=64, qk_nope_head_dim=128, v_head_dim=128,
        ),
        671_026_419_200,
    ),
    "gpt-oss-20b": (
        stack(
            "gpt_oss", 2880, 2880, 24, 64, 8, 201088, **UNTIED, head_dim=64, num_local_experts=32,
            num_experts_per_tok=4, attention_bias=True,
        ),
        20_914_757_184,
    ),
    "chatglm3-6b": (
        {
            "model_type": "chatglm", "hidden_size": 4096, "ffn_hidden_size": 13696, "num_layers": 28,
            "num_attention_heads": 32, "multi_query_attention": True, "multi_query_group_num": 2, "kv_channels": 128,
            "padded_vocab_size": 65024, "add_qkv_bias": True, **UNTIED,
        },
        6_243_584_000,
    ),
    "bert-base": (stack("bert", 768, 3072, 12, 12, None, 30522, max_position_embeddings=512), 109_482_240),
    "distilbert-base": (
        {
            "model_type": "distilbert", "dim": 768, "hidden_dim": 3072, "n_layers": 6, "n_heads": 12,
            "vocab_size": 30522, "max_position_embeddings": 512,
        },
        66_362_880,
    ),
    "deberta-v3-base": (stack("deberta-v2", 768, 3072, 12, 12, None, 128100, max_position_embeddings=512), 183_831_552),
    "modernbert-base": (
        stack("modernbert", 768, 1152, 22, 12, None, 50368, max_position_embeddings=8192, attention_bias=False, mlp_bias=False),
        149_014_272,
    ),
    "t5-small": (
        {
            "model_type": "t5", "d_model": 512, "d_ff": 2048, "d_kv": 64, "num_layers": 6, "num_heads": 8,
            "num_decoder_layers": 6, "vocab_size": 32128,
        },
        60_506_624,
    ),
    "flan-t5-base": (
        {
            "model_type": "t5", "d_model": 768, "d_ff": 2048, "d_kv": 64, "num_layers": 12, "num_heads": 12,
            "vocab_size": 32128, "feed_forward_proj": "gated-gelu", **UNTIED,
        },
        247_577_856,
    ),
    "whisper-tiny": (
        {
            "model_type": "whisper", "d_model": 384, "encoder_layers": 4, "decoder_layers": 4,
            "encoder_attention_heads": 6, "encoder_ffn_dim": 1536, "vocab_size": 51865, "max_target_positions": 448,
        },
        37_760_640,
    ),
    "vit-b-16": (
        {
            "model_type": "vit", "hidden_size": 768, "intermediate_size": 3072, "num_hidden_layers": 12,
            "num_attention_heads": 12, "image_size": 224, "patch_size": 16, "num_channels": 3,
            "id2label": {str(number): "label" for number in range(1000)},
        },
        86_567_656,
    ),
}  # fmt: skip

# With a second tower, whose size is counted from its own config, within one percent.
TOWERS: dict[str, tuple[Config, int]] = {
    "clip-vit-b-32": (
        {
            "model_type": "clip",
            "vision_config": {"hidden_size": 768, "intermediate_size": 3072, "num_hidden_layers": 12, "num_attention_heads": 12, "image_size": 224, "patch_size": 32},
            "text_config": {"hidden_size": 512, "intermediate_size": 2048, "num_hidden_layers": 12, "num_attention_heads": 8, "vocab_size": 49408, "max_position_embeddings": 77},
        },
        151_277_313,
    ),
    "gemma-3-4b": (
        {
            "model_type": "gemma3",
            "text_config": {"hidden_size": 2560, "intermediate_size": 10240, "num_hidden_layers": 34, "num_attention_heads": 8, "num_key_value_heads": 4, "head_dim": 256, "vocab_size": 262208},
            "vision_config": {"hidden_size": 1152, "intermediate_size": 4304, "num_hidden_layers": 27, "num_attention_heads": 16, "image_size": 896, "patch_size": 14},
        },
        4_300_079_472,
    ),
    "llama-4-scout": (
        {
            "model_type": "llama4",
            "text_config": {"hidden_size": 5120, "intermediate_size": 8192, "intermediate_size_mlp": 16384, "num_hidden_layers": 48, "num_attention_heads": 40, "num_key_value_heads": 8, "head_dim": 128, "vocab_size": 202048, "num_local_experts": 16, "num_experts_per_tok": 1, "interleave_moe_layer_step": 1},
            "vision_config": {"hidden_size": 1408, "intermediate_size": 5632, "num_hidden_layers": 34, "num_attention_heads": 16, "image_size": 336, "patch_size": 14},
        },
        108_641_793_536,
    ),
}  # fmt: skip
