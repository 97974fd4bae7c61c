"""The host holds what is offloaded and what is loaded; the rest is a warning."""

from __future__ import annotations

from math import nan

import numpy as np
import pytest

from app.training.host import Hosts, disk_need_gb, host_need_gib, host_warnings, loader_gbytes_per_s
from app.training.layout import Layout
from app.training.recipe import recipe_for
from tests.training.clusters import H100, LLAMA_8B, LLAMA_70B, run

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


def hosts(vcpus: float = nan, ram: float = nan, disk: float = nan, loader: float = 0.0) -> Hosts:
    """A node of eight H100 that has to keep three checkpoints of 100 GB and 50 GB of data."""
    memory = 8 * H100.usable_gib
    figures = (8.0, memory, vcpus, ram, disk, disk_need_gb(100.0, 50.0), loader, 32.0)
    return Hosts(*(np.asarray([figure]) for figure in figures))


def test_warnings_name_what_is_short_and_nothing_that_is_unknown() -> None:
    assert host_warnings(hosts()) == ()
    assert host_warnings(hosts(96, 2048, 10_000)) == ()
    few = host_warnings(hosts(16, 256, 100, loader=6.0))
    assert [str(sentence).split()[0] for sentence in few] == ["16", "256", "100", "the"]
    assert "350 GB" in str(few[2])
    assert "6 GB/s" in str(few[3])


def test_the_loader_reads_the_data_set_once_a_pass_shared_between_the_nodes() -> None:
    once = loader_gbytes_per_s(3600.0, 1.0, np.asarray([10.0]), np.asarray([1.0]))
    assert once[0] == pytest.approx(0.1)
    shared = loader_gbytes_per_s(3600.0, 4.0, np.asarray([10.0]), np.asarray([2.0]))
    assert shared[0] == pytest.approx(0.2)


def test_one_node_holds_a_small_model_without_asking_the_host() -> None:
    asked = run()
    assert host_need_gib(LLAMA_8B, recipe_for(LLAMA_8B, asked), Layout(), 1, asked.method) == 0.0
