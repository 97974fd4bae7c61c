"""Workload: a model and a recipe become figures per token."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.training.assumptions_time import SOFTWARE
from app.training.machine import PRECISIONS
from app.training.recipe import recipe_for
from app.training.workload import workload_of
from tests.training.clusters import LLAMA_8B, run


def test_llama_8b_is_what_its_publisher_says() -> None:
    found = workload_of(LLAMA_8B, recipe_for(LLAMA_8B, run()))
    assert found.linear == found.stored == found.trained == pytest.approx(8.03e9, rel=0.001)
    assert found.attention_width == 4096 and found.kv_width == 1024
    assert found.backward == 2.0 and found.span == 0.5


@pytest.mark.parametrize(
    ("precision", "index"),
    [("bf16-mixed", "bf16"), ("fp16-mixed", "fp16"), ("fp32", "fp32"), ("fp8-mixed", "fp8")],
)
def test_precision_picks_the_peak(precision: str, index: str) -> None:
    assert workload_of(
        LLAMA_8B, recipe_for(LLAMA_8B, run(precision=precision))
    ).precision == PRECISIONS.index(index)


def test_qlora_trains_little_and_moves_packed_weights() -> None:
    found = workload_of(LLAMA_8B, recipe_for(LLAMA_8B, run(method="qlora")))
    assert found.quantised == found.frozen == found.backward == 1.0
    assert found.trained < 0.02 * found.stored
    assert found.weight_bytes < 1.0


def test_a_mixture_computes_with_its_active_experts_only() -> None:
    mixture = replace(LLAMA_8B, experts=8, experts_per_token=2, moe_ffn_hidden_size=14336)
    found = workload_of(mixture, recipe_for(mixture, run()))
    assert found.linear < 0.4 * found.stored
    assert found.experts_per_token == 2.0


def test_software_class_follows_the_framework() -> None:
    classes = {
        name: SOFTWARE[int(workload_of(LLAMA_8B, recipe_for(LLAMA_8B, run(framework=name))).software)]
        for name in ("megatron", "torchtitan", "hf-trainer")
    }
    assert classes == {"megatron": "megatron", "torchtitan": "fsdp", "hf-trainer": "eager"}
