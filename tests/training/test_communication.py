"""Communication: who waits for whom, over which link."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from app.domain.hardware import Cluster, Fabric
from app.training.assumptions_time import DEFAULTS, SOFTWARE
from app.training.communication import CommunicationTime, communication_time, ring
from app.training.compute import Workload, compute_time
from app.training.layout import Layout, Layouts
from app.training.machine import PRECISIONS, machines_of
from tests.training.clusters import H100, INFINIBAND, cluster

LLAMA = Workload(
    linear=8e9,
    stored=8e9,
    trained=8e9,
    layers=32.0,
    hidden=4096.0,
    attention_width=4096.0,
    kv_width=1024.0,
    heads=32.0,
    sequence=4096.0,
    precision=PRECISIONS.index("bf16"),
    software=SOFTWARE.index("fsdp"),
)
FSDP_16 = Layout(
    data_parallel=16, sharding="full", shard_group=16, micro_batch_size=1, gradient_accumulation=4
)


def links(layout: Layout, on: Cluster, work: Workload = LLAMA) -> CommunicationTime:
    layouts, machines = Layouts.of(layout), machines_of(on)
    return communication_time(
        work, layouts, machines, compute_time(work, layouts, machines, DEFAULTS), DEFAULTS
    )


def test_one_accelerator_waits_for_nobody() -> None:
    times = links(Layout(), cluster(H100, 1))
    for name in ("tensor", "data", "context", "expert", "offload", "bubble", "sync"):
        assert float(getattr(times, name)[0]) == 0.0, name


def test_an_all_gather_ring_moves_n_minus_one_nths_over_the_link() -> None:
    machines = machines_of(cluster(H100, 8))
    inside, fabric = ring(1e9, np.asarray([8]), np.asarray([1]), machines)
    assert inside[0] == pytest.approx(1e9 * 7 / 8 / machines.link[0])
    assert fabric[0] == 0.0


def test_a_group_across_nodes_pays_for_the_fabric_and_shares_the_network_card() -> None:
    machines = machines_of(cluster(H100, 8, nodes=2, fabric=INFINIBAND))
    _, whole = ring(1e9, np.asarray([16]), np.asarray([1]), machines)
    _, strided = ring(1e9, np.asarray([2]), np.asarray([8]), machines)
    assert whole[0] == pytest.approx(1e9 / 2 / (8 * machines.fabric[0]))
    assert strided[0] == pytest.approx(8 * whole[0])


def test_accumulation_saves_ddp_the_network_but_not_fsdp() -> None:
    slow = cluster(H100, 8, nodes=2, fabric=Fabric("ethernet", 25, 8))
    ddp = replace(FSDP_16, sharding="none")
    once = links(replace(ddp, gradient_accumulation=1), slow).data[0]
    assert links(ddp, slow).data[0] == pytest.approx(once)
    assert links(FSDP_16, slow).data[0] == pytest.approx(
        4 * links(replace(FSDP_16, gradient_accumulation=1), slow).data[0]
    )


def test_hybrid_sharding_keeps_the_weights_off_the_fabric() -> None:
    slow = cluster(H100, 8, nodes=2, fabric=Fabric("ethernet", 100, 8))
    hybrid = replace(FSDP_16, sharding="hybrid", shard_group=8)
    assert links(hybrid, slow).data[0] < links(FSDP_16, slow).data[0]


def test_lora_data_parallel_is_nearly_free_on_any_network() -> None:
    slow = cluster(H100, 8, nodes=2, fabric=Fabric("ethernet", 10, 8))
    lora = replace(LLAMA, trained=40e6, backward=1.0, frozen=1.0)
    full = links(replace(FSDP_16, sharding="none"), slow).data[0]
    assert links(replace(FSDP_16, sharding="none"), slow, lora).data[0] < full / 100


def test_tensor_parallel_outside_the_node_is_far_slower() -> None:
    inside = links(Layout(tensor_parallel=8), cluster(H100, 8))
    outside = links(Layout(tensor_parallel=16), cluster(H100, 8, nodes=2, fabric=Fabric("roce", 400, 8)))
    assert outside.tensor[0] > 3 * inside.tensor[0]
    assert outside.fabric[0] and not inside.fabric[0]


def test_the_bubble_shrinks_with_micro_batches_and_virtual_stages() -> None:
    piped = Layout(pipeline_parallel=8, gradient_accumulation=8)
    on = cluster(H100, 8)
    relative = [
        float(links(layout, on).bubble[0]) / layout.gradient_accumulation
        for layout in (piped, replace(piped, gradient_accumulation=64), replace(piped, virtual_stages=4))
    ]
    assert relative[0] > relative[2] > relative[1]


def test_offload_moves_states_over_the_host_link() -> None:
    times = links(Layout(cpu_offload=True), cluster(H100, 1))
    assert times.offload[0] > 8e9 * 2 * 2 / 64e9


def test_routed_tokens_cost_more_across_nodes() -> None:
    mixture = replace(LLAMA, stored=47e9, experts_per_token=2.0)
    inside = links(Layout(data_parallel=8, expert_parallel=8), cluster(H100, 8), mixture).expert[0]
    on = cluster(H100, 8, nodes=2, fabric=INFINIBAND)
    across = links(Layout(data_parallel=16, expert_parallel=16), on, mixture).expert[0]
    assert across > inside > 0


def test_a_pipeline_hands_activations_to_the_next_stage_over_the_network_between_nodes() -> None:
    piped = Layout(pipeline_parallel=2, tensor_parallel=8, gradient_accumulation=16)
    fast = links(piped, cluster(H100, 8, nodes=2, fabric=INFINIBAND))
    slow = links(piped, cluster(H100, 8, nodes=2, fabric=Fabric("ethernet", 10, 2)))
    activations = 4096 * 4096 * 2 / 8
    machines = machines_of(cluster(H100, 8, nodes=2, fabric=INFINIBAND))
    assert fast.stages[0] == pytest.approx(16 * 2 * activations / machines.fabric[0])
    assert slow.stages[0] > 100 * fast.stages[0]
    assert slow.exposed_other[0] > fast.exposed_other[0]
    assert bool(slow.fabric[0])
    inside = links(Layout(pipeline_parallel=2, tensor_parallel=4), cluster(H100, 8))
    assert not bool(inside.fabric[0])


def test_stages_that_end_with_their_node_send_activations_over_the_fabric() -> None:
    piped = Layout(data_parallel=8, pipeline_parallel=2, gradient_accumulation=8)
    slow = links(piped, cluster(H100, 8, nodes=2, fabric=Fabric("ethernet", 25, 8)))
    fast = links(piped, cluster(H100, 8, nodes=2, fabric=INFINIBAND))
    assert slow.stages[0] > 100 * fast.stages[0]
    assert slow.exposed_other[0] > fast.exposed_other[0]


def test_sharded_gradients_travel_every_micro_step() -> None:
    on = cluster(H100, 8)
    once, each = (
        links(Layout(data_parallel=8, sharding=kind, shard_group=8, gradient_accumulation=4), on).data[0]
        for kind in ("optimizer", "gradients")
    )
    assert each == pytest.approx(4 * once)
