"""Throughput: known machines land in known ranges, laws hold, and one path serves one or many."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.hardware import Fabric, IntraNodeLink
from app.training.layout import Layout, Layouts
from app.training.machine import machines_of
from app.training.recipe import recipe_for
from app.training.throughput import BOUNDS, TimeTable, breakdown, time_of
from tests.training.clusters import A100, H100, INFINIBAND, LLAMA_8B, LLAMA_70B, RTX_4090, cluster, run

FSDP_8 = Layout(data_parallel=8, sharding="full", shard_group=8, micro_batch_size=2, gradient_accumulation=4)
PCIE = IntraNodeLink("pcie4", 63.0, 8, False)


def test_llama_8b_on_eight_h100_trains_at_a_published_rate() -> None:
    table = time_of(LLAMA_8B, recipe_for(LLAMA_8B, run()), Layouts.of(FSDP_8), machines_of(cluster(H100, 8)))
    assert 6500 < table.tokens_per_s_per_accelerator[0] < 11000
    assert 0.35 < table.mfu[0] < 0.6


@pytest.mark.parametrize("method", ["full", "lora", "qlora"])
def test_the_breakdown_adds_up_to_the_step_and_matches_the_table(method: str) -> None:
    recipe = recipe_for(LLAMA_8B, run(method=method))
    on = cluster(H100, 8, nodes=2, fabric=INFINIBAND)
    layout = replace(FSDP_8, data_parallel=16, shard_group=16)
    one = breakdown(LLAMA_8B, recipe, layout, on)
    table = time_of(LLAMA_8B, recipe, Layouts.of(layout), machines_of(on))
    assert sum(term.seconds for term in one.terms if term.counts) == pytest.approx(one.step_s)
    for field in fields(TimeTable):
        if field.name != "bound":
            assert getattr(one, field.name) == getattr(table, field.name)[0].item(), field.name
    assert one.bound == BOUNDS[table.bound[0]]
    assert "%" in str(one.why)


@given(
    data=st.integers(0, 5),
    micro=st.integers(1, 8),
    steps=st.integers(1, 16),
    sharding=st.sampled_from(["none", "optimizer", "gradients", "full"]),
    checkpointing=st.sampled_from(["none", "selective", "full"]),
)
@settings(max_examples=60, deadline=None)
def test_many_at_once_equal_one_at_a_time(
    data: int, micro: int, steps: int, sharding: str, checkpointing: str
) -> None:
    layout = Layout(
        data_parallel=2**data,
        shard_group=2**data,
        micro_batch_size=micro,
        gradient_accumulation=steps,
        sharding=sharding,  # type: ignore[arg-type]
        checkpointing=checkpointing,  # type: ignore[arg-type]
    )
    recipe = recipe_for(LLAMA_8B, run())
    on = cluster(A100, 8, nodes=4, fabric=INFINIBAND)
    many = time_of(LLAMA_8B, recipe, Layouts.of(FSDP_8, layout, FSDP_8), machines_of(on))
    assert breakdown(LLAMA_8B, recipe, layout, on).tokens_per_s == pytest.approx(
        many.tokens_per_s[1], rel=1e-12
    )
    assert many.low_tokens_per_s[1] < many.tokens_per_s[1] < many.high_tokens_per_s[1]
    assert 0 < many.mfu[1] < 1


@given(slow=st.floats(1, 1600), factor=st.floats(1, 8))
@settings(max_examples=60, deadline=None)
def test_a_faster_fabric_never_makes_a_step_longer(slow: float, factor: float) -> None:
    recipe = recipe_for(LLAMA_8B, run())
    layout = replace(FSDP_8, data_parallel=16, shard_group=16)
    rates = [Fabric("roce", gbps, 8) for gbps in (slow, slow * factor)]
    table = time_of(
        LLAMA_8B,
        recipe,
        Layouts.of(layout, layout),
        machines_of(*(cluster(H100, 8, nodes=2, fabric=fabric) for fabric in rates)),
    )
    assert table.step_s[1] <= table.step_s[0] * (1 + 1e-12)


@given(nodes=st.sampled_from([2, 4, 8, 16]))
@settings(max_examples=10, deadline=None)
def test_more_nodes_on_a_fast_fabric_never_finish_the_same_batch_later(nodes: int) -> None:
    recipe = recipe_for(LLAMA_70B, run(method="lora"))
    layouts = [
        Layout(data_parallel=n * 2, tensor_parallel=4, sharding="none", gradient_accumulation=64 // n)
        for n in (1, nodes)
    ]
    one, many = (
        time_of(
            LLAMA_70B, recipe, Layouts.of(layout), machines_of(cluster(H100, 8, nodes=n, fabric=INFINIBAND))
        )
        for layout, n in zip(layouts, (1, nodes), strict=True)
    )
    assert many.tokens_per_s[0] >= one.tokens_per_s[0]


@given(
    nodes=st.sampled_from([2, 3, 4, 8, 32]),
    more=st.integers(2, 8),
    gbps=st.floats(1, 3200),
    sharding=st.sampled_from(["none", "optimizer", "gradients", "full", "hybrid"]),
    accumulation=st.integers(1, 8),
)
@settings(max_examples=80, deadline=None)
def test_more_nodes_with_the_same_work_each_never_train_fewer_tokens_a_second(
    nodes: int, more: int, gbps: float, sharding: str, accumulation: int
) -> None:
    rates = []
    for count in (nodes, nodes * more):
        layout = Layout(
            data_parallel=8 * count,
            sharding=sharding,  # type: ignore[arg-type]
            shard_group=8 if sharding == "hybrid" else 8 * count,
            gradient_accumulation=accumulation,
        )
        on = machines_of(cluster(H100, 8, nodes=count, fabric=Fabric("ethernet", gbps, 8)))
        rates.append(time_of(LLAMA_8B, recipe_for(LLAMA_8B, run()), Layouts.of(layout), on).tokens_per_s[0])
    assert rates[1] >= rates[0] * (1 - 1e-9)


@given(share=st.floats(0.1, 1.0), name=st.sampled_from(["bf16_tflops", "memory_bandwidth_gbytes_per_s", ""]))
@settings(max_examples=60, deadline=None)
def test_a_lesser_card_or_link_never_trains_faster(share: float, name: str) -> None:
    less = replace(H100, **{name: getattr(H100, name) * share}) if name else H100
    layouts = Layouts.of(
        FSDP_8, Layout(data_parallel=2, tensor_parallel=4, shard_group=2, gradient_accumulation=16)
    )
    recipe = recipe_for(LLAMA_8B, run())
    slower, faster = (
        time_of(
            LLAMA_8B,
            recipe,
            layouts,
            machines_of(cluster(card, 8, IntraNodeLink("nvlink4+nvswitch", 900.0 * factor, 8, True))),
        ).tokens_per_s
        for card, factor in ((less, 1.0 if name else share), (H100, 1.0))
    )
    assert np.all(slower <= faster * (1 + 1e-9))


def test_tcp_between_nodes_is_named_as_the_bound() -> None:
    layout = replace(FSDP_8, data_parallel=16, shard_group=16)
    slow = cluster(H100, 8, nodes=2, fabric=Fabric("ethernet", 25, 8))
    found = breakdown(LLAMA_8B, recipe_for(LLAMA_8B, run()), layout, slow)
    assert found.bound == "fabric"
    assert found.exposed_communication_s > found.step_s / 2


def test_cards_without_peer_to_peer_wait_for_their_bus() -> None:
    layout = replace(FSDP_8, micro_batch_size=1)
    found = breakdown(
        LLAMA_8B, recipe_for(LLAMA_8B, run(sequence_length=1024)), layout, cluster(RTX_4090, 8, PCIE)
    )
    assert found.bound == "link"


def test_short_sequences_in_eager_software_are_bound_by_launches() -> None:
    recipe = recipe_for(LLAMA_8B, run(method="lora", framework="hf-trainer", sequence_length=64))
    assert breakdown(LLAMA_8B, recipe, Layout(), cluster(H100, 1)).bound == "launch"


def test_machines_that_do_not_go_with_the_layouts_are_refused() -> None:
    machines = machines_of(cluster(H100, 8), cluster(A100, 8))
    with pytest.raises(ValueError, match="2 machines do not go with 3 layouts"):
        time_of(LLAMA_8B, recipe_for(LLAMA_8B, run()), Layouts.of(FSDP_8, FSDP_8, FSDP_8), machines)


def test_a_thousand_layouts_take_a_few_milliseconds_at_most() -> None:
    layouts = Layouts.of(*[FSDP_8] * 1000)
    table = time_of(LLAMA_8B, recipe_for(LLAMA_8B, run()), layouts, machines_of(cluster(H100, 8)))
    assert np.all(table.tokens_per_s == table.tokens_per_s[0])
