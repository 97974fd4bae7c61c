"""Every verdict has one reason and a sentence with the figures that decide it."""

from __future__ import annotations

from typing import Any

import pytest

from app.domain.hardware import Cluster, Fabric, Node
from app.domain.model import ModelShape
from app.training.fit import REASONS, Verdict, judge, node_counts, refuse_before_search
from app.training.plan import search
from app.training.recipe import recipe_for
from tests.training.clusters import (
    A100,
    B200,
    ETHERNET,
    H100,
    INFINIBAND,
    LLAMA_8B,
    LLAMA_70B,
    NO_FABRIC,
    PCIE3,
    RTX_4090,
    UNKNOWN_FABRIC,
    V100,
    cluster,
    run,
)


def verdict(shape: ModelShape, where: Cluster, **fields: Any) -> Verdict:
    asked = run(**fields)
    counts = node_counts(asked, where.fabric)
    clusters = [Cluster(where.node, nodes, where.fabric) for nodes in counts]
    return judge(asked, search(shape, asked, recipe_for(shape, asked), clusters))


def test_a_full_fine_tune_of_8b_holds_on_eight_80_gb_cards_and_not_on_one() -> None:
    assert verdict(LLAMA_8B, cluster(H100, 8)).verdict == "fits"
    assert verdict(LLAMA_8B, cluster(A100, 8)).verdict == "fits"
    alone = verdict(LLAMA_8B, cluster(H100, 1))
    assert (alone.verdict, alone.reason) == ("does_not_fit", "memory")
    assert "79.1" in str(alone.why)
    assert alone.headroom_gib is not None
    assert alone.headroom_gib < 0


def test_a_full_fine_tune_of_70b_takes_more_than_eight_80_gb_cards() -> None:
    assert verdict(LLAMA_70B, cluster(H100, 8)).reason == "memory"
    assert verdict(LLAMA_70B, cluster(B200, 8)).holds
    wide = verdict(LLAMA_70B, cluster(H100, 8, fabric=INFINIBAND), max_nodes=8)
    assert wide.holds
    assert 1 < wide.nodes <= 8
    assert wide.plan_words is not None
    assert str(wide.plan_words).startswith(f"{wide.nodes} nodes")


def test_qlora_of_8b_holds_on_a_24_gb_card() -> None:
    assert verdict(LLAMA_8B, cluster(RTX_4090, 1), method="qlora").holds


def test_nodes_that_are_not_sold_together_are_named_as_the_trouble() -> None:
    found = verdict(LLAMA_70B, cluster(H100, 8, fabric=NO_FABRIC), max_nodes=8)
    assert (found.verdict, found.reason) == ("link_too_slow", "fabric")
    assert "not sold as a cluster" in str(found.why)


def test_an_unknown_fabric_hides_only_where_proof_is_asked() -> None:
    lenient = verdict(LLAMA_70B, cluster(H100, 8, fabric=UNKNOWN_FABRIC), max_nodes=8, link_share_limit=1)
    assert lenient.holds
    strict = verdict(
        LLAMA_70B, cluster(H100, 8, fabric=UNKNOWN_FABRIC), max_nodes=8, link_share_limit=1, prove_fabric=True
    )
    assert (strict.verdict, strict.reason) == ("link_too_slow", "fabric_unknown")
    single = verdict(LLAMA_8B, cluster(H100, 8, fabric=UNKNOWN_FABRIC), prove_fabric=True)
    assert single.holds


def test_a_network_that_most_of_a_step_waits_for_is_too_slow_and_the_limit_is_adjustable() -> None:
    fields = {"max_nodes": 8, "sharding": "full", "pipeline_parallel": 1}
    slow = verdict(LLAMA_70B, cluster(H100, 8, fabric=ETHERNET), **fields)
    assert (slow.verdict, slow.reason) == ("link_too_slow", "fabric")
    assert "50 %" in str(slow.why)
    assert verdict(LLAMA_70B, cluster(H100, 8, fabric=ETHERNET), link_share_limit=1, **fields).holds


def test_a_fixed_tensor_degree_beyond_the_link_domain_is_a_link_verdict() -> None:
    found = verdict(LLAMA_8B, cluster(H100, 8, PCIE3), tensor_parallel=8)
    assert (found.verdict, found.reason) == ("link_too_slow", "link")
    assert "tensor_parallel 8" in str(found.why)


def test_degrees_that_do_not_divide_the_machine_name_themselves() -> None:
    found = verdict(LLAMA_8B, cluster(H100, 8), tensor_parallel=2, pipeline_parallel=8)
    assert (found.verdict, found.reason) == ("does_not_fit", "count")
    assert "16" in str(found.why)


@pytest.mark.parametrize(
    ("node", "fields", "reason"),
    [
        (cluster(V100, 8).node, {}, "precision"),
        (cluster(A100, 8).node, {"precision": "fp8-mixed"}, "precision"),
        (cluster(H100, 16).node, {}, "count"),
    ],
)
def test_some_instances_are_refused_before_any_search(
    node: Node, fields: dict[str, Any], reason: str
) -> None:
    found = refuse_before_search(run(**fields), node)
    assert found is not None
    assert (found.verdict, found.reason) == ("does_not_fit", reason)
    assert found.reason in REASONS
    assert refuse_before_search(run(precision="fp16-mixed", max_accelerators=16), node) is None


def test_a_deadline_asks_for_more_nodes_than_memory_does() -> None:
    where = cluster(H100, 8, fabric=INFINIBAND)
    relaxed = verdict(LLAMA_8B, where, max_nodes=16, tokens=1e10)
    assert relaxed.nodes == 1
    assert relaxed.time is not None
    hours = 1e10 / relaxed.time["tokens_per_s"] / 3600
    hurried = verdict(LLAMA_8B, where, max_nodes=16, tokens=1e10, deadline_hours=hours / 2.5)
    assert hurried.nodes > 2


@pytest.mark.parametrize(
    ("fabric", "max_nodes", "counts"),
    [
        (UNKNOWN_FABRIC, 1, (1,)),
        (UNKNOWN_FABRIC, 7, (1, 2, 3, 4, 6, 7)),
        (Fabric("roce", 1600, 4), 64, (1, 2, 3, 4)),
    ],
)
def test_node_counts_stay_within_the_run_and_what_is_sold(
    fabric: Fabric, max_nodes: int, counts: tuple[int, ...]
) -> None:
    assert node_counts(run(max_nodes=max_nodes), fabric) == counts
