"""Rows are read by their header, in the spellings of their sources."""

from __future__ import annotations

import pytest

from app.catalog import load_catalog
from app.domain.errors import BadInput
from app.market.accuracy.memory_cases import case_of
from app.market.accuracy.memory_oracle import oracle_case_of
from app.market.accuracy.memory_shapes import modality_of, shape_of
from app.market.accuracy.memory_words import (
    FRAMEWORKS,
    LOSSES,
    LOW_BIT_STATES,
    QUANTISATIONS,
    SHARDINGS,
    STATES,
    checkpointing_of,
    first,
)
from app.training.parameters import count

MODELS = load_catalog().models
LLAMA = MODELS["llama-3.1-8b"]
ROW = {
    "id": "X", "model_key": "llama-3.1-8b", "layers": "32", "method": "lora", "lora_targets": "q,v", "lora_r": "8",
    "seq_len": "1024", "micro_batch": "2", "weight_dtype": "bf16", "optim_bytes_per_param": "4", "framework": "torchtune",
}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "choices", "meaning"),
    [
        ("fsdp1 shard_grad_op", SHARDINGS, "gradients"),
        ("zero-1+tp+pp", SHARDINGS, "optimizer"),
        ("fsdp2+tp", SHARDINGS, "full"),
        ("bnb nf4 dq", QUANTISATIONS, "nf4-double"),
        ("fused, vocab-parallel", LOSSES, "vocab-fused"),
        ("full, vocab-parallel", LOSSES, "vocab-parallel"),
        ("ZeRO stage 3", SHARDINGS, "full"),
        ("zero_2", SHARDINGS, "gradients"),
        ("FULL_SHARD", SHARDINGS, "full"),
        ("bnb 4-bit double quant", QUANTISATIONS, "nf4-double"),
        ("AWQ int4", QUANTISATIONS, "gptq"),
        ("8bit", QUANTISATIONS, "int8"),
        ("Liger FLCE", LOSSES, "fused"),
        ("vocab parallel", LOSSES, "vocab-parallel"),
        ("Lit-GPT", FRAMEWORKS, "litgpt"),
        ("lion_8bit", LOW_BIT_STATES, 1.0),
        ("SGD with momentum", STATES, 1.0),
    ],
)
def test_spellings_of_sources_are_understood(text: str, choices: object, meaning: str) -> None:
    assert first(text, choices, "nothing") == meaning  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("full (k-bit preparation)", "full"),
        ("selective op", "selective"),
        ("", "none"),
        ("off", "none"),
        ("true", "full"),
        ("per block", "full"),
        ("mlp level 2", "none"),
        ("every 2nd layer", "selective"),
    ],
)
def test_checkpointing_is_read_from_its_first_word(text: str, kind: str) -> None:
    assert checkpointing_of(text)[0] == kind


@pytest.mark.parametrize(
    ("change", "same_as"),
    [
        ({"method": "QLoRA"}, {"method": "qlora", "base_quant": "nf4 dq"}),
        ({"method": "rsLoRA"}, {"method": "lora"}),
        ({"weight_dtype": "bfloat16"}, {"weight_dtype": "bf16"}),
        (
            {"weight_dtype": "fp32, bf16 autocast"},
            {"weight_dtype": "fp32", "precision_extra": "bf16 autocast"},
        ),
        ({"attention": "sdpa (math)"}, {"attention": "eager"}),
        ({"cpu_offload": "optimizer states"}, {"cpu_offload": "optimizer"}),
        ({"cpu_offload": "none"}, {"cpu_offload": ""}),
        ({"gpus": "8", "sharding": "FSDP2"}, {"gpus": "8", "dp": "8", "sharding": "FULL_SHARD"}),
        ({"sharding": "ZeRO-3 offload", "dp": "2"}, {"sharding": "ZeRO 3", "dp": "2", "cpu_offload": "yes"}),
        ({"lora_targets": "wq,wv,antenna"}, {"lora_targets": "q_proj,v_proj"}),
    ],
)
def test_two_spellings_of_one_run_are_one_case(change: dict[str, str], same_as: dict[str, str]) -> None:
    one, other = (case_of(ROW | cells, MODELS) for cells in (change, same_as))
    assert (one.recipe, one.layout) == (other.recipe, other.layout)


def test_a_pipeline_without_stated_micro_batches_is_filled() -> None:
    assert case_of(ROW | {"pp": "4", "gpus": "4"}, MODELS).layout.gradient_accumulation == 4


def test_hybrid_sharding_stays_within_a_node() -> None:
    layout = case_of(ROW | {"dp": "32", "sharding": "HSDP"}, MODELS).layout
    assert (layout.sharding, layout.shard_group) == ("hybrid", 8)


def test_a_stated_format_replaces_the_habit_of_the_framework() -> None:
    habit = case_of(ROW, MODELS).recipe
    stated = case_of(ROW | {"grad_dtype": "fp32", "optim_bytes_per_param": "8"}, MODELS).recipe
    assert (habit.adapter_bytes, stated.adapter_bytes) == (2, 4)
    assert stated.state_bytes == 8


def test_experts_without_a_catalog_come_from_total_and_active_parameters() -> None:
    row = {
        "model": "some MoE", "layers": "32", "hidden": "4096", "heads": "32", "kv_heads": "8", "head_dim": "128",
        "ffn": "14336", "vocab": "32000", "tied": "0", "gated": "1", "experts": "8", "params_b": "46.703",
        "active_params_b": "12.88",
    }  # fmt: skip
    shape = shape_of(row, {})
    assert shape.experts_per_token == 2
    assert count(shape).total == pytest.approx(46.703e9, rel=0.01)


@pytest.mark.parametrize("name", ["meta-llama/Llama-3.1-8B", "Llama 3.1 8B", "LLAMA-3.1-8B"])
def test_a_model_is_found_however_it_is_spelled(name: str) -> None:
    assert shape_of({"model": name}, MODELS) == LLAMA


@pytest.mark.parametrize("key", ["flan-t5-xl", "gpt2-large", "phi-3-mini", "falcon-7b"])
def test_a_model_that_the_catalog_lacks_takes_after_its_family(key: str) -> None:
    known = MODELS[key]
    columns = {
        "model": f"{known.family} of another size", "layers": known.layers, "hidden": known.hidden_size,
        "heads": known.attention_heads, "kv_heads": known.kv_heads, "head_dim": known.head_dim,
        "ffn": known.ffn_hidden_size, "vocab": known.vocab_size, "tied": int(known.tied_embeddings),
        "gated": int(known.gated_mlp),
    }  # fmt: skip
    row = ROW | {"model_key": ""} | {column: str(value) for column, value in columns.items()}
    others = {other: shape for other, shape in MODELS.items() if other != key}
    found = shape_of(row, others)
    assert (found.modality, found.encoder_layers, found.norm) == (
        known.modality,
        known.encoder_layers,
        known.norm,
    )
    assert count(found).total == pytest.approx(count(known).total, rel=0.01)


def test_a_name_says_what_kind_of_model_it_is() -> None:
    assert modality_of("Faster R-CNN R-50-FPN") == "cnn"
    assert modality_of("BERT large") == "encoder"
    assert modality_of("FLUX.1 dev") == "diffusion"
    assert modality_of("Llama 3.1 8B") == "decoder"


def test_a_model_without_shape_or_size_is_refused() -> None:
    with pytest.raises(BadInput):
        shape_of({"model": "mystery"}, MODELS)


ORACLE = {
    "model": "gpt2",
    "method": "full",
    "weights": "bf16",
    "micro_batch": "1",
    "seq_len": "64",
    "peak_bytes": "1e9",
}


@pytest.mark.parametrize(
    ("change", "same_as"),
    [
        ({"weights": "fp16"}, {"weights": "bf16"}),
        ({"weights": "fp16-amp"}, {"weights": "fp32-amp"}),
        ({"method": "lora", "lora_targets": "c_attn"}, {"method": "LoRA", "lora_targets": "qkv"}),
        ({"model": "openai-community/gpt2"}, {}),
    ],
)
def test_two_spellings_of_one_simulated_step_are_one_case(
    change: dict[str, str], same_as: dict[str, str]
) -> None:
    one, other = (oracle_case_of(ORACLE | cells, MODELS) for cells in (change, same_as))
    assert (one.recipe, one.shape) == (other.recipe, other.shape)


def test_an_oracle_row_of_an_unknown_model_is_scored_by_its_count() -> None:
    case = oracle_case_of(ORACLE | {"model": "nobody/knows", "params": "1000000000"}, MODELS)
    assert count(case.shape).total == pytest.approx(1e9, rel=0.1)


def test_an_oracle_row_of_an_unknown_method_is_refused() -> None:
    row = {
        "model": "gpt2",
        "method": "distil",
        "weights": "bf16",
        "micro_batch": "1",
        "seq_len": "64",
        "peak_bytes": "1e9",
    }
    with pytest.raises(BadInput):
        oracle_case_of(row, MODELS)


@pytest.mark.parametrize(
    ("column", "value", "field"),
    [
        ("micro_batch", "-1", "micro_batch"),
        ("micro_batch", "0", "micro_batch"),
        ("dp", "-2", "dp"),
        ("tp", "-1", "tp"),
        ("tp", "64", "tensor_parallel"),
        ("pp", "0", "pp"),
        ("grad_accum", "-4", "grad_accum"),
        ("seq_len", "1e9", "sequence_length"),
        ("seq_len", "-5", "sequence_length"),
        ("measured_peak_gib", "-3", "measured_peak_gib"),
        ("lora_r", "-8", "lora_rank"),
        ("lora_targets", "antenna", "lora_targets"),
    ],
)
def test_a_row_with_an_impossible_figure_is_refused_by_the_name_of_its_column(
    column: str, value: str, field: str
) -> None:
    with pytest.raises(BadInput) as refused:
        case_of({**ROW, column: value}, MODELS)
    assert refused.value.field == field
    assert refused.value.message


def test_a_mixture_of_experts_without_layers_is_refused_not_divided_by_zero() -> None:
    row = {**ROW, "model_key": "", "layers": "0", "hidden": "4096", "experts": "8", "params_b": ""}
    with pytest.raises(BadInput) as refused:
        case_of(row, MODELS)
    assert refused.value.field == "model"


def test_projected_gradients_keep_states_of_their_rank_only() -> None:
    """GaLore at rank 1024 of 4096: a quarter of 8-bit states, and of a 16-bit projection (Zhao et al. 2024, table 1)."""
    row = {**ROW, "method": "pretrain (GaLore r1024)", "optim_bytes_per_param": "2"}
    assert case_of(row, MODELS).recipe.state_bytes == pytest.approx((2 + 2) / 4)
    assert case_of({**row, "method": "pretrain (Q-GaLore r1024)"}, MODELS).recipe.state_bytes < 0.7


@pytest.mark.parametrize(
    ("version", "kept"), [("4.1x, V100", True), ("2024", False), ("Nov 2021", True), ("", False)]
)
def test_gradients_stayed_between_steps_before_pytorch_2(version: str, kept: bool) -> None:
    row = ROW | {"method": "full", "framework": "transformers Trainer", "framework_version": version}
    assert case_of(row, MODELS).recipe.keeps_gradients is kept


@pytest.mark.parametrize(
    ("framework", "version", "copies"),
    [
        ("litgpt", "Oct 2023", False),
        ("Lit-GPT", "2023-06, torch 2.0", False),
        ("litgpt", "2024", True),
        ("litgpt", "", True),
        ("litgpt", "commit 2023abc (Jan 2025)", True),
    ],
)
def test_only_litgpt_of_2023_does_not_cast_what_goes_into_its_quantised_linears(
    framework: str, version: str, copies: bool
) -> None:
    row = ROW | {"method": "qlora", "framework": framework, "framework_version": version}
    assert (case_of(row, MODELS).recipe.quantised_copies > 0) is copies


@pytest.mark.parametrize(
    ("kind", "outcome"),
    [
        ("OOM", "oom"),
        ("out-of-memory", "oom"),
        (" Fits ", "fits"),
        ("Measured", "measured"),
        ("", "measured"),
    ],
)
def test_what_became_of_a_run_is_read_in_any_spelling(kind: str, outcome: str) -> None:
    assert case_of(ROW | {"kind": kind}, MODELS).outcome == outcome


def test_an_outcome_that_nobody_knows_is_refused() -> None:
    with pytest.raises(BadInput) as refused:
        case_of(ROW | {"kind": "perhaps"}, MODELS)
    assert refused.value.field == "kind"


@pytest.mark.parametrize(
    ("key", "length"), [("vit-l-16", 197), ("resnet-50", 1), ("sd-1.5", 1), ("flux.1-dev", 4096)]
)
def test_images_bring_their_length_along(key: str, length: int) -> None:
    row = {"model_key": key, "method": "full", "micro_batch": "8", "weight_dtype": "fp32"}
    assert case_of(row, MODELS).recipe.sequence_length == length
