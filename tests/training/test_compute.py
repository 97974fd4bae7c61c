"""Compute: FLOPs by the published formulas, and what makes a step slower."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from app.training.assumptions_time import DEFAULTS, SOFTWARE
from app.training.compute import Workload, compute_time, held_share, model_flops_per_token
from app.training.layout import Layout, Layouts
from app.training.machine import PRECISIONS, machines_of
from tests.training.clusters import A100, H100, cluster

GPT3 = Workload(
    linear=174.6e9,
    stored=174.6e9,
    trained=174.6e9,
    layers=96.0,
    hidden=12288.0,
    attention_width=12288.0,
    kv_width=12288.0,
    heads=96.0,
    sequence=2048.0,
    precision=PRECISIONS.index("bf16"),
    software=SOFTWARE.index("megatron"),
)
ONE = Layouts.of(Layout(micro_batch_size=1))


def busy(work: Workload = GPT3, layout: Layout | None = None) -> float:
    layouts = ONE if layout is None else Layouts.of(layout)
    return float(compute_time(work, layouts, machines_of(cluster(A100, 8)), DEFAULTS).busy[0])


def test_model_flops_follow_palm_appendix_b() -> None:
    expected = 6 * 174.6e9 + 12 * 96 * 12288 * 2048
    assert float(model_flops_per_token(GPT3)) == pytest.approx(expected)


def test_a_frozen_base_counts_two_thirds_of_the_matrix_flops() -> None:
    lora = replace(GPT3, backward=1.0)
    attention = 12 * 96 * 12288 * 2048
    assert float(model_flops_per_token(lora)) - attention == pytest.approx(4 * 174.6e9)


def test_full_checkpointing_costs_about_a_third_more() -> None:
    ratio = busy(layout=Layout(checkpointing="full")) / busy()
    assert 1.25 < ratio < 1.36


def test_selective_checkpointing_costs_less_than_full() -> None:
    assert busy() < busy(layout=Layout(checkpointing="selective")) < busy(layout=Layout(checkpointing="full"))


def test_fp8_speeds_up_hopper_by_less_than_two() -> None:
    machines = machines_of(cluster(H100, 8))
    slow = compute_time(GPT3, ONE, machines, DEFAULTS).busy[0]
    fast = compute_time(replace(GPT3, precision=PRECISIONS.index("fp8")), ONE, machines, DEFAULTS).busy[0]
    assert 1.2 < slow / fast < 2.0


def test_quantised_weights_cost_time_to_unpack() -> None:
    lora = replace(GPT3, backward=1.0, frozen=1.0)
    assert busy(replace(lora, quantised=1.0)) > busy(lora)


def test_bidirectional_attention_costs_more_than_causal() -> None:
    assert busy(replace(GPT3, span=1.0)) > busy()


def test_larger_micro_batches_use_the_matrix_units_better() -> None:
    small, large = busy(), busy(layout=Layout(micro_batch_size=8)) / 8
    assert large < small


def test_small_models_in_eager_software_are_bound_by_launches() -> None:
    tiny = replace(
        GPT3, linear=1e8, stored=1e8, layers=24.0, hidden=768.0, attention_width=768.0, sequence=128.0
    )
    eager = replace(tiny, software=SOFTWARE.index("eager"))
    times = compute_time(eager, ONE, machines_of(cluster(H100, 8)), DEFAULTS)
    assert times.launch[0] > times.linear[0] + times.attention[0]
    assert times.busy[0] >= times.launch[0]


def test_sharding_divides_the_optimizer_over_the_ranks() -> None:
    machines = machines_of(cluster(A100, 8))
    layouts = Layouts.of(Layout(data_parallel=8), Layout(data_parallel=8, sharding="full", shard_group=8))
    optimizer = compute_time(GPT3, layouts, machines.take(np.zeros(2, dtype=int)), DEFAULTS).optimizer
    assert optimizer[1] < optimizer[0] / 4


def test_expert_ranks_split_the_experts_only() -> None:
    mixture = replace(GPT3, stored=671e9, linear=37e9, experts_per_token=8.0)
    share = held_share(
        mixture, Layouts.of(Layout(expert_parallel=1), Layout(data_parallel=64, expert_parallel=64))
    )
    assert share[0] == pytest.approx(1.0)
    assert 37 / 671 < share[1] < 0.1


def test_keeping_all_gradients_costs_eager_software_more_launches_than_a_frozen_base() -> None:
    def launches(software: str, frozen: float) -> float:
        work = replace(GPT3, software=SOFTWARE.index(software), frozen=frozen)
        return float(compute_time(work, ONE, machines_of(cluster(A100, 1)), DEFAULTS).launch[0])

    assert launches("eager", 0.0) == pytest.approx(launches("eager", 1.0) * DEFAULTS["launch.trained"])
    assert launches("fsdp", 0.0) == launches("fsdp", 1.0)


def test_fp32_runs_attention_and_traffic_at_fp32_rates_too() -> None:
    """No kernel of 16 bit helps: everything slows down as the peak does, so MFU promises no more than in 16 bit."""
    machine = machines_of(cluster(A100, 8))
    half, full = (
        compute_time(replace(GPT3, precision=PRECISIONS.index(name)), ONE, machine, DEFAULTS)
        for name in ("bf16", "fp32")
    )
    slower = machine.flops[0, PRECISIONS.index("bf16")] / machine.flops[0, PRECISIONS.index("fp32")]
    assert full.linear[0] / half.linear[0] == pytest.approx(slower)
    assert full.attention[0] / half.attention[0] == pytest.approx(slower)
    assert full.traffic[0] / half.traffic[0] == pytest.approx(2)


def test_unfused_attention_pays_for_every_score_in_memory_so_length_hurts_it_more() -> None:
    def slower(sequence: float) -> float:
        plain, fused = (busy(replace(GPT3, sequence=sequence, flash=flash)) for flash in (0.0, 1.0))
        return plain / fused

    assert 1.0 < slower(1024.0) < slower(4096.0) < slower(16384.0)


def test_a_width_that_fills_no_tile_of_the_tensor_cores_is_slower_per_parameter() -> None:
    aligned, odd = (busy(replace(GPT3, hidden=width)) for width in (12288.0, 12280.0))
    assert odd > 1.05 * aligned


def test_an_expert_gets_few_tokens_unless_its_ranks_gather_theirs() -> None:
    dense = replace(GPT3, linear=22e9, stored=235e9, trained=235e9, hidden=4096.0)
    sparse = replace(dense, experts_per_token=8.0)

    def slower(experts: int) -> float:
        layout = Layout(data_parallel=8, expert_parallel=experts, micro_batch_size=1)
        return busy(sparse, layout) / busy(dense, layout)

    assert slower(1) > slower(4) > slower(8) > 1.0
