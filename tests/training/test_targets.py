"""Adapter targets by the names people use."""

from __future__ import annotations

import pytest

from app.catalog import load_catalog
from app.domain.errors import BadInput
from app.domain.run import TrainingRun
from app.training.layout import Layout, Layouts
from app.training.recipe import recipe_for
from app.training.states import parts_of, states_of
from app.training.targets import adapter_parameters, expert_adapter_parameters, parse_targets

MODELS = load_catalog().models
LLAMA = MODELS["llama-3.2-3b"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("attention", ("q", "k", "v", "o")),
        ("q_proj, v_proj", ("q", "v")),
        ("all linear", ("q", "k", "v", "o", "gate", "up", "down")),
        ("c_attn,attn.c_proj,w1,w2", ("o", "gate", "up", "qkv")),
        ("mlp", ("gate", "up", "down")),
        ("qkv_proj, gate_up_proj", ("gate", "up", "qkv")),
        ("linear_qkv, linear_fc2", ("down", "qkv")),
        ("to_q, to_v, to_out.0", ("q", "v", "o")),
        ("w1, w2", ("gate", "up")),
        ("w1, w2, w3", ("gate", "up", "down")),
    ],
)
def test_targets_are_read_as_people_write_them(text: str, names: tuple[str, ...]) -> None:
    assert parse_targets(text, LLAMA) == names


@pytest.mark.parametrize("text", ["", " , ", "warp_core"])
def test_what_names_no_linear_is_refused(text: str) -> None:
    with pytest.raises(BadInput) as refused:
        parse_targets(text, LLAMA)
    assert refused.value.field == "lora_targets"


@pytest.mark.parametrize(
    ("rank", "targets", "parameters"),
    [(32, "q,v", 9_175_040), (64, "q,v", 18_350_080), (10, "mlp", 9_461_760)],
)
def test_adapters_have_as_many_parameters_as_peft_counts(rank: int, targets: str, parameters: int) -> None:
    assert adapter_parameters(LLAMA, rank, parse_targets(targets, LLAMA)) == parameters


def test_adapters_of_all_linears_meet_the_count_of_a_real_model() -> None:
    qwen = MODELS["qwen3-4b"]
    assert adapter_parameters(qwen, 16, parse_targets("all-linear", qwen)) == 33_030_144


def test_expert_parallelism_divides_the_adapters_of_experts_only() -> None:
    moe = MODELS["qwen3-30b-a3b"]
    run = TrainingRun(
        model="x", method="lora", framework="megatron", lora_rank=8, lora_targets="all-linear, experts"
    )
    recipe = recipe_for(moe, run)
    on_experts = expert_adapter_parameters(moe, 8, recipe.targets)
    kept = []
    for degree in (1, 2):
        layouts = Layouts.of(Layout(data_parallel=2, expert_parallel=degree))
        kept.append(states_of(moe, recipe, layouts, parts_of(moe, recipe, layouts, False)).optimizer[0])
    assert kept[0] - kept[1] == pytest.approx((recipe.master_bytes + recipe.state_bytes) * on_experts / 2)
