"""Rows are read by their header, in the spellings of their sources."""

from __future__ import annotations

import pytest

from app.catalog import load_catalog
from app.domain.errors import BadInput
from app.market.accuracy.memory_cases import case_of
from app.market.accuracy.memory_oracle import oracle_case_of
from app.market.accuracy.memory_shapes import modality_of, shape_of
from app.market.accuracy.memory_words import (
    LOSSES,
    QUANTISATIONS,
    SHARDINGS,
    checkpointing_of,
    first,
    number,
)
from app.training.parameters import count

MODELS = load_catalog().models
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
    ],
)
def test_spellings_of_sources_are_understood(text: str, choices: object, meaning: str) -> None:
    assert first(text, choices, "nothing") == meaning  # type: ignore[arg-type, misc]


@pytest.mark.parametrize(
    ("text", "kind"), [("full (k-bit preparation)", "full"), ("selective op", "selective"), ("", "none")]
)
def test_checkpointing_is_read_from_its_first_word(text: str, kind: str) -> None:
    assert checkpointing_of(text)[0] == kind


@pytest.mark.parametrize("text", ["", "many", "nan", "inf", None])
def test_what_is_no_number_is_unknown(text: str | None) -> None:
    assert number({"x": text}, "x") is None


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


def test_a_name_says_what_kind_of_model_it_is() -> None:
    assert modality_of("Faster R-CNN R-50-FPN") == "cnn"
    assert modality_of("BERT large") == "encoder"
    assert modality_of("FLUX.1 dev") == "diffusion"
    assert modality_of("Llama 3.1 8B") == "decoder"


def test_a_model_without_shape_or_size_is_refused() -> None:
    with pytest.raises(BadInput):
        shape_of({"model": "mystery"}, MODELS)


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
