"""The search finds the fastest layout that fits, as a scalar reading of the rules would."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from app.domain.hardware import Cluster, Fabric
from app.domain.model import ModelShape
from app.domain.run import TrainingRun
from app.training.assumptions_fit import LINK_WORTH, PIPELINE_WORTH, PLAIN_WITHIN
from app.training.candidates import enumerate_layouts
from app.training.layout import Layouts
from app.training.machine import machines_of
from app.training.memory import memory_of
from app.training.plan import Plan, fit_of, leanest_layout, search
from app.training.recipe import recipe_for
from app.training.space import tensor_cap, tight_limit
from app.training.throughput import time_of
from tests.training.clusters import (
    A100,
    B200,
    H100,
    INFINIBAND,
    LLAMA_8B,
    LLAMA_70B,
    PCIE3,
    RTX_4090,
    cluster,
    run,
)


def found(shape: ModelShape, asked: TrainingRun, *clusters: Cluster) -> list[Plan]:
    return search(shape, asked, recipe_for(shape, asked), clusters)


def worth(rate: float, stages: int) -> float:
    return rate * (1 - PIPELINE_WORTH.value) if stages > 1 else rate


def by_hand(shape: ModelShape, asked: TrainingRun, where: Cluster) -> float:
    """The best rate over every single layout, without pruning, one at a time; a pipeline counts less."""
    recipe, usable = recipe_for(shape, asked), where.node.accelerator.usable_gib
    machine, rates = machines_of(where), []
    layouts = enumerate_layouts(shape, asked, int(where.node.count), where.nodes)
    for index in range(len(layouts)):
        one = Layouts.of(layouts.row(index))
        if int(one.tensor_parallel[0]) > tensor_cap(where.node, where.nodes):
            continue
        if memory_of(shape, recipe, one).high[0] <= usable:
            time = time_of(shape, recipe, one, machine)
            waits = bool(time.exposed_communication_s[0] > asked.link_share_limit * time.step_s[0])
            rates.append((worth(float(time.tokens_per_s[0]), int(one.pipeline_parallel[0])), waits))
    fastest = max(rate for rate, _ in rates)
    return max(
        (rate for rate, waits in rates if not waits and rate >= LINK_WORTH.value * fastest), default=fastest
    )


@pytest.mark.parametrize(
    ("shape", "fields", "where"),
    [
        (LLAMA_8B, {}, cluster(H100, 8)),
        (LLAMA_8B, {"method": "qlora"}, cluster(RTX_4090, 4, PCIE3)),
        (LLAMA_8B, {"method": "lora", "sequence_length": 16384}, cluster(H100, 2)),
        (LLAMA_70B, {}, cluster(H100, 8, nodes=4, fabric=INFINIBAND)),
    ],
)
def test_the_pruned_search_agrees_with_trying_everything(
    shape: ModelShape, fields: dict[str, object], where: Cluster
) -> None:
    asked = run(**fields)
    (plan,) = found(shape, asked, where)
    assert plan.time is not None
    assert plan.layout is not None
    best = by_hand(shape, asked, where)
    found_worth = worth(plan.time["tokens_per_s"], plan.layout.pipeline_parallel)
    assert (1 - PLAIN_WITHIN.value) * best <= found_worth <= best * (1 + 1e-9)


def test_a_layout_that_waits_little_because_it_is_slow_does_not_excuse_the_link() -> None:
    where = cluster(H100, 8, nodes=2, fabric=Fabric("ethernet", 10, 8))
    asked = run(
        sharding="none", tensor_parallel=1, pipeline_parallel=1, method="pretrain", global_batch_size=128
    )
    small = replace(LLAMA_8B, layers=4)
    (plan,) = found(small, asked, where)
    assert plan.layout is not None
    assert not plan.link_ok
    assert plan.layout.micro_batch_size > 1
    slowest = run(**(asked.to_fields() | {"micro_batch_size": 1, "activation_checkpointing": "full"}))
    (other,) = found(small, slowest, where)
    assert other.exposed_share is not None
    assert plan.exposed_share is not None
    assert other.exposed_share < plan.exposed_share


def test_one_search_over_many_machines_equals_many_searches() -> None:
    asked = run()
    clusters = [
        cluster(H100, 8),
        cluster(A100, 4),
        cluster(H100, 1),
        cluster(H100, 8, nodes=2),
        cluster(B200, 8),
    ]
    together = found(LLAMA_8B, asked, *clusters)
    apart = [found(LLAMA_8B, asked, one)[0] for one in clusters]
    assert [p.layout for p in together] == [p.layout for p in apart]
    assert [p.need_gib for p in together] == [p.need_gib for p in apart]


@pytest.mark.parametrize("parameters", ["full", "lora", "qlora"])
def test_what_fits_does_so_at_the_high_edge_and_what_is_tight_as_expected(parameters: str) -> None:
    for plan in found(
        LLAMA_8B,
        run(method=parameters),
        cluster(H100, 8),
        cluster(A100, 8),
        cluster(H100, 1),
        cluster(RTX_4090, 8),
    ):
        assert (plan.layout is None) == (plan.fit == "does_not_fit")
        if plan.memory is None:
            assert plan.need_gib is not None
            assert plan.need_gib > plan.usable_gib
        elif plan.fit == "fits":
            assert plan.memory["high"] <= plan.usable_gib
        else:
            assert plan.memory["device"] <= plan.usable_gib < plan.memory["high"]


def test_a_verdict_is_tight_only_where_the_band_straddles_the_card() -> None:
    edge = tight_limit(80.0)
    assert [fit_of(need, 80.0) for need in (80.0, 80.1, edge, edge + 0.1)] == [
        "fits",
        "tight",
        "tight",
        "does_not_fit",
    ]


def test_more_memory_never_makes_a_plan_slower_or_unfit() -> None:
    sizes = np.linspace(20, 300, 25)
    machines = [cluster(replace(H100, memory_gib=float(size)), 8) for size in sizes]
    rates = [plan.time["tokens_per_s"] if plan.time else 0.0 for plan in found(LLAMA_8B, run(), *machines)]
    assert rates[0] == 0.0
    assert rates[-1] > 0.0
    for before, after in pairwise(rates):
        assert after >= before * (1 - PLAIN_WITHIN.value)


def test_tensor_parallel_stays_within_the_link_domain() -> None:
    asked = run(global_batch_size=1)
    plans = found(LLAMA_70B, asked, cluster(B200, 8), cluster(B200, 8, PCIE3))
    assert plans[0].layout is not None
    assert plans[0].layout.tensor_parallel <= 8
    assert plans[1].layout is None or plans[1].layout.tensor_parallel <= 2


def test_a_batch_too_small_for_the_machine_leaves_accelerators_idle() -> None:
    asked = run(global_batch_size=1, method="qlora", framework="unsloth")
    (plan,) = found(LLAMA_8B, asked, cluster(H100, 8))
    assert plan.layout is not None
    assert plan.layout.world_size == 1


def test_the_leanest_layout_needs_no_more_than_the_chosen_one() -> None:
    asked = run()
    (plan,) = found(LLAMA_8B, asked, cluster(H100, 8))
    lean = leanest_layout(LLAMA_8B, asked, recipe_for(LLAMA_8B, asked), cluster(H100, 8))
    assert lean is not None
    assert plan.memory is not None
    assert lean[1] == plan.need_gib
    assert lean[1] <= plan.memory["high"]
