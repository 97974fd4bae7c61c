"""Layouts of measured cases: as stated, and completed by rule where the source leaves them open."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.catalog import load_catalog
from app.domain.hardware import Cluster, Fabric, Host, IntraNodeLink, Node
from app.market.accuracy.throughput_layouts import fastest_layout, layout_of
from app.training.compute import Workload

H100 = load_catalog().accelerators["h100-sxm5-80gb"]
EIGHT = Cluster(
    Node(H100, 8, IntraNodeLink("nvlink4+nvswitch", 900, 8, True), Host(None, None, None)),
    1,
    Fabric(None, None, None),
)
STATED = {
    "params": "70e9", "layers": "80", "hidden": "8192", "seq_len": "4096", "gpu_count": "64", "micro_batch": "1",
    "global_batch": "128", "sharding": "TP+PP+DP(dist-opt)", "method": "pretrain", "kind": "bench", "tp": "4", "pp": "4",
    "vp": "5",
}  # fmt: skip
LLAMA_65B = Workload(65e9, 65e9, 65e9, 80.0, 8192.0, 8192.0, 2048.0, 2048.0, 64.0, precision=0, software=0)


def test_a_stated_layout_is_taken_as_it_stands() -> None:
    layout = layout_of(STATED, replace(EIGHT, nodes=8))
    assert (layout.tensor_parallel, layout.pipeline_parallel, layout.data_parallel) == (4, 4, 4)
    assert layout.gradient_accumulation == 32 and layout.virtual_stages == 5
    assert layout.sharding == "optimizer"


def test_degrees_that_are_only_named_are_the_least_that_holds() -> None:
    row = {**STATED, "tp": "", "pp": "", "vp": "", "micro_batch": "", "sharding": "TP+PP+CP+DP"}
    layout = layout_of(row, replace(EIGHT, nodes=8))
    assert layout.tensor_parallel == 8
    assert layout.world_size == 64
    assert layout.data_parallel * layout.micro_batch_size * layout.gradient_accumulation == 128


def test_a_batch_smaller_than_the_cluster_means_model_parallel() -> None:
    row = {
        **STATED,
        "tp": "",
        "pp": "",
        "vp": "",
        "micro_batch": "",
        "global_batch": "8",
        "sharding": "TP/CP/DP",
    }
    assert layout_of(row, replace(EIGHT, nodes=8)).data_parallel <= 8


def test_a_whole_run_takes_the_fastest_layout_that_holds() -> None:
    layout = fastest_layout(
        {"activation_checkpointing": ""}, LLAMA_65B, replace(EIGHT, nodes=64, fabric=Fabric("roce", 3200, 64))
    )
    assert layout.world_size == 512
    assert layout.tensor_parallel * layout.pipeline_parallel >= 8


def test_a_run_that_no_layout_holds_is_refused() -> None:
    with pytest.raises(ValueError, match="no layout holds"):
        fastest_layout({"activation_checkpointing": ""}, LLAMA_65B, EIGHT)
