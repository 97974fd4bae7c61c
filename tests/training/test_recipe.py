"""A recipe resolves a run to bytes by the habits of its framework."""

from __future__ import annotations

from typing import Any

import pytest

from app.catalog import load_catalog
from app.domain.errors import BadInput
from app.domain.run import TrainingRun
from app.training.recipe import Recipe, recipe_for

LLAMA = load_catalog().models["llama-3.1-8b"]
BERT = load_catalog().models["bert-base"]


def recipe(**settings: Any) -> Recipe:
    return recipe_for(LLAMA, TrainingRun(**{"model": "x", **settings}))


@pytest.mark.parametrize(
    ("framework", "precision", "each"),
    [
        ("pytorch-fsdp2", "bf16-mixed", (4, 4, 0, 8)),
        ("hf-trainer", "bf16-mixed", (4, 4, 0, 8)),
        ("hf-trainer", "fp32", (4, 4, 0, 8)),
        ("torchtune", "bf16-mixed", (2, 2, 0, 4)),
        ("axolotl", "bf16", (2, 2, 0, 4)),
        ("deepspeed", "bf16-mixed", (2, 2, 4, 8)),
        ("megatron", "bf16-mixed", (2, 4, 4, 8)),
    ],
)
def test_states_have_the_bytes_that_the_framework_gives_them(
    framework: str, precision: str, each: tuple[float, ...]
) -> None:
    found = recipe(framework=framework, precision=precision)
    assert (found.weight_bytes, found.gradient_bytes, found.master_bytes, found.state_bytes) == each


@pytest.mark.parametrize(
    ("optimizer", "each"), [("adamw-8bit", 2.03), ("adafactor", 0.05), ("sgd", 0.0), ("lion", 4.0)]
)
def test_optimizers_differ_in_their_states(optimizer: str, each: float) -> None:
    assert recipe(optimizer=optimizer).state_bytes == each


def test_adapters_are_fp32_under_peft_and_16_bit_under_torchtune() -> None:
    assert recipe(method="lora", framework="hf-trainer").adapter_bytes == 4
    assert recipe(method="lora", framework="torchtune").adapter_bytes == 2


def test_a_quantised_base_leaves_embedding_and_head_wide_under_transformers() -> None:
    found = recipe(method="qlora", framework="hf-trainer")
    assert found.quantised_bytes == pytest.approx(0.516, abs=0.001)
    assert found.outer_bytes == 4


def test_only_adapters_are_trained_with_lora() -> None:
    assert recipe(method="full").trainable_parameters(LLAMA) == 8_030_261_248
    assert recipe(method="lora").trainable_parameters(LLAMA) < 0.01 * 8_030_261_248


def test_the_loss_follows_framework_wish_and_model() -> None:
    assert recipe(framework="unsloth").loss == "fused"
    assert recipe(framework="unsloth", loss="full").loss == "full"
    assert recipe(framework="megatron").loss == "vocab-parallel"
    assert recipe_for(BERT, TrainingRun(model="x")).loss == "classifier"


def test_a_sequence_beyond_reason_is_refused() -> None:
    with pytest.raises(BadInput) as refused:
        TrainingRun.from_fields({"model": "x", "sequence_length": 10**9})
    assert refused.value.field == "sequence_length"
