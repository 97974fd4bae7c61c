"""Machines: vendor figures become rates that collectives reach, unknown ones the pessimistic end."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from app.domain.hardware import Fabric, IntraNodeLink
from app.training.machine import PRECISIONS, family_of, machines_of
from tests.training.clusters import A100, B200, H100, INFINIBAND, RTX_4090, V100, cluster


def test_nvlink_counts_one_way_and_less_than_the_sheet_says() -> None:
    machines = machines_of(cluster(H100, 8))
    assert 300e9 < machines.link[0] < 450e9
    assert machines.domain[0] == 8 and machines.size[0] == 8


def test_a_card_without_peer_to_peer_is_slower_than_one_with() -> None:
    bounced = IntraNodeLink("pcie4", 63.0, 8, False)
    direct = IntraNodeLink("pcie4", 63.0, 8, True)
    machines = machines_of(cluster(RTX_4090, 8, bounced), cluster(RTX_4090, 8, direct))
    assert machines.link[0] < machines.link[1]


def test_an_unknown_link_stands_at_the_slow_end_and_says_so() -> None:
    unknown, known = (
        machines_of(cluster(H100, 8, IntraNodeLink(None, None, 1, None))),
        machines_of(cluster(H100, 8)),
    )
    assert not unknown.link_known[0] and known.link_known[0]
    assert unknown.link[0] < known.link[0] / 10


def test_an_unknown_fabric_is_slow_and_says_so() -> None:
    machines = machines_of(cluster(H100, 8, nodes=2), cluster(H100, 8, nodes=2, fabric=INFINIBAND))
    assert list(machines.fabric_known) == [False, True]
    assert machines.fabric[0] < machines.fabric[1] / 100


def test_tcp_reaches_less_of_its_nominal_rate_than_rdma() -> None:
    tcp = cluster(H100, 8, nodes=2, fabric=Fabric("ethernet", 100, 8))
    rdma = cluster(H100, 8, nodes=2, fabric=Fabric("roce", 100, 8))
    machines = machines_of(tcp, rdma)
    assert machines.fabric[0] < machines.fabric[1]
    assert list(machines.tcp) == [True, False]


def test_a_bridged_pair_is_fast_in_the_pair_and_on_the_bus_beyond() -> None:
    a6000 = replace(A100, form_factor="pcie", memory_type="GDDR6", link_gbytes_per_s=112.5)
    machines = machines_of(cluster(a6000, 4, IntraNodeLink("nvlink-bridge-2way", 112.5, 2, True)))
    assert machines.domain[0] == 2
    assert machines.node_link[0] < machines.link[0]


def test_an_nvlink_domain_may_span_nodes() -> None:
    link = IntraNodeLink("nvlink5+nvswitch", 1800, 72, True)
    machines = machines_of(cluster(B200, 4, link, nodes=18, fabric=INFINIBAND))
    assert machines.domain[0] == 72


def test_take_repeats_rows_for_many_layouts() -> None:
    machines = machines_of(cluster(H100, 8), cluster(A100, 8))
    taken = machines.take(np.asarray([1, 1, 0]))
    assert len(taken) == 3
    assert taken.hbm[0] == taken.hbm[1] != taken.hbm[2]


def test_a_precision_that_is_missing_runs_at_the_next_rate_up() -> None:
    flops = machines_of(cluster(replace(A100, fp8_tflops=None), 8)).flops[0]
    assert flops[PRECISIONS.index("fp8")] == flops[PRECISIONS.index("bf16")]


@pytest.mark.parametrize(
    ("accelerator", "family"),
    [
        (H100, "hopper-sxm"),
        (replace(H100, memory_bandwidth_gbytes_per_s=4800), "hopper-sxm-large"),
        (replace(H100, form_factor="pcie"), "hopper-pcie"),
        (replace(A100, memory_type="HBM2e"), "ampere-hbm-sxm"),
        (replace(A100, memory_type="GDDR6", form_factor="pcie"), "ampere-gddr"),
        (RTX_4090, "ada-consumer"),
        (replace(B200, architecture="blackwell-ultra", form_factor="superchip"), "blackwell-ultra-superchip"),
        (V100, "volta"),
        (replace(V100, architecture="tpu-v5p"), "other"),
    ],
)
def test_every_accelerator_has_a_family(accelerator: object, family: str) -> None:
    assert family_of(accelerator) == family  # type: ignore[arg-type]
