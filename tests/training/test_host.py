"""The host holds what is offloaded and what is loaded; the rest is a warning."""

from __future__ import annotations

import pytest

from app.domain.hardware import Host
from app.training.host import host_need_gib, host_warnings
from app.training.layout import Layout
from app.training.recipe import recipe_for
from tests.training.clusters import H100, LLAMA_8B, LLAMA_70B, cluster, run

PARAMETERS = 70.55e9


def need(layout: Layout, nodes: int = 1, **fields: object) -> float:
    asked = run(**fields)
    return host_need_gib(LLAMA_70B, recipe_for(LLAMA_70B, asked), layout, nodes, asked.method)


def test_offloaded_states_are_sixteen_bytes_a_parameter_over_the_nodes() -> None:
    sharded = Layout(data_parallel=8, sharding="full", shard_group=8, cpu_offload=True)
    assert need(sharded) == pytest.approx(16 * PARAMETERS / 2**30, rel=0.05)
    wide = Layout(data_parallel=16, sharding="full", shard_group=16, cpu_offload=True)
    assert need(wide, nodes=2) == pytest.approx(8 * PARAMETERS / 2**30, rel=0.05)


def test_a_sharded_fine_tune_holds_the_checkpoint_once_and_pretraining_none() -> None:
    sharded = Layout(data_parallel=8, sharding="full", shard_group=8)
    assert need(sharded) == pytest.approx(2 * PARAMETERS / 2**30, rel=0.01)
    assert need(sharded, method="pretrain") == 0.0
    assert need(Layout(tensor_parallel=8)) == 0.0


def test_warnings_name_what_is_short_and_nothing_that_is_unknown() -> None:
    node = cluster(H100, 8).node
    assert host_warnings(node, Host(None, None, None), 100.0, 50.0) == ()
    assert host_warnings(node, Host(96, 2048, 10_000), 100.0, 50.0) == ()
    few = host_warnings(node, Host(16, 256, 100), 100.0, 50.0)
    assert [str(sentence).split()[0] for sentence in few] == ["16", "256", "100"]


def test_one_node_holds_a_small_model_without_asking_the_host() -> None:
    asked = run()
    assert host_need_gib(LLAMA_8B, recipe_for(LLAMA_8B, asked), Layout(), 1, asked.method) == 0.0
