"""The candidates are every layout a person could type, and none that cannot run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.errors import BadInput
from app.domain.model import ModelShape
from app.domain.run import TrainingRun
from app.training.candidates import MOST_BATCH_ROUNDING, check, enumerate_layouts
from app.training.layout import CHECKPOINTINGS, SHARDINGS

LLAMA_8B = ModelShape(
    "llama", "Llama 8B", layers=32, hidden_size=4096, attention_heads=32, kv_heads=8, head_dim=128,
    ffn_hidden_size=14336, vocab_size=128256,
)  # fmt: skip
MIXTRAL = ModelShape(
    "mixtral", "Mixtral", layers=32, hidden_size=4096, attention_heads=32, kv_heads=8, head_dim=128,
    ffn_hidden_size=14336, vocab_size=32000, experts=8, experts_per_token=2,
)  # fmt: skip


def run(**fields: Any) -> TrainingRun:
    return TrainingRun.from_fields(fields)


@given(st.sampled_from([1, 2, 3, 4, 6, 8, 16]), st.sampled_from([1, 2, 3]), st.integers(1, 200))
def test_every_layout_uses_all_accelerators_and_about_the_asked_batch(
    per_node: int, nodes: int, batch: int
) -> None:
    layouts = enumerate_layouts(LLAMA_8B, run(global_batch_size=batch), per_node, nodes)
    assert (layouts.world_size == per_node * nodes).all()
    size = layouts.data_parallel * layouts.micro_batch_size * layouts.gradient_accumulation
    assert (size >= batch).all() and (size <= batch * MOST_BATCH_ROUNDING).all()
    assert (LLAMA_8B.attention_heads % layouts.tensor_parallel == 0).all()
    assert (layouts.gradient_accumulation >= layouts.pipeline_parallel).all()


def test_a_batch_that_divides_is_met_exactly() -> None:
    layouts = enumerate_layouts(LLAMA_8B, run(global_batch_size=64), 8, 1)
    assert (layouts.data_parallel * layouts.micro_batch_size * layouts.gradient_accumulation == 64).all()


def test_the_micro_batch_ascends_within_a_family() -> None:
    layouts = enumerate_layouts(LLAMA_8B, run(), 8, 1)
    falls = layouts.micro_batch_size[1:] <= layouts.micro_batch_size[:-1]
    same = np.ones(len(layouts) - 1, dtype=bool)
    for name in ("data_parallel", "tensor_parallel", "pipeline_parallel", "sharding", "checkpointing"):
        column = getattr(layouts, name)
        same &= column[1:] == column[:-1]
    assert (same == ~falls).all()


@pytest.mark.parametrize(
    ("fields", "column", "value"),
    [
        ({"tensor_parallel": 4}, "tensor_parallel", 4),
        ({"pipeline_parallel": 2}, "pipeline_parallel", 2),
        ({"context_parallel": 2}, "context_parallel", 2),
        ({"sharding": "full"}, "sharding", SHARDINGS.index("full")),
        ({"micro_batch_size": 3}, "micro_batch_size", 3),
        ({"activation_checkpointing": "full"}, "checkpointing", CHECKPOINTINGS.index("full")),
        ({"cpu_offload": True}, "cpu_offload", 1),
    ],
)
def test_what_the_run_fixes_is_honoured(fields: dict[str, Any], column: str, value: int) -> None:
    layouts = enumerate_layouts(LLAMA_8B, run(**fields), 8, 1)
    assert len(layouts) > 0
    assert (getattr(layouts, column) == value).all()


def test_experts_are_spread_only_where_they_divide() -> None:
    layouts = enumerate_layouts(MIXTRAL, run(), 8, 1)
    assert set(layouts.expert_parallel.tolist()) == {1, 2, 4, 8}
    assert set(enumerate_layouts(LLAMA_8B, run(), 8, 1).expert_parallel.tolist()) == {1}


def test_a_state_shard_of_hybrid_stays_inside_the_node() -> None:
    layouts = enumerate_layouts(LLAMA_8B, run(), 8, 4)
    hybrid = layouts.take(layouts.sharding == SHARDINGS.index("hybrid"))
    assert len(hybrid) > 0
    assert (hybrid.shard_group * hybrid.tensor_parallel * hybrid.pipeline_parallel <= 8).all()
    assert (hybrid.shard_group > 1).all()


def test_a_batch_smaller_than_the_accelerators_asks_for_model_parallel_layouts() -> None:
    layouts = enumerate_layouts(LLAMA_8B, run(global_batch_size=1), 8, 1)
    assert len(layouts) > 0
    assert (layouts.data_parallel == 1).all()


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"tensor_parallel": 3}, "tensor_parallel"),
        ({"pipeline_parallel": 33}, "pipeline_parallel"),
        ({"context_parallel": 3}, "context_parallel"),
        ({"expert_parallel": 2}, "expert_parallel"),
        ({"micro_batch_size": 128}, "micro_batch_size"),
        ({"framework": "unsloth", "tensor_parallel": 2}, "tensor_parallel"),
        ({"framework": "megatron", "sharding": "full"}, "sharding"),
    ],
)
def test_what_no_hardware_could_run_names_its_field(fields: dict[str, Any], field: str) -> None:
    with pytest.raises(BadInput) as caught:
        check(LLAMA_8B, run(**fields))
    assert caught.value.field == field
