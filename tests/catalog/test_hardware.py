"""Links, fabrics and hosts: from the strongest source, and unknown where nobody says."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from app.catalog import Catalog, Hardware
from app.catalog.hardware import link_by_rule, read_fabrics
from app.domain.errors import CatalogError
from app.domain.offer import ScrapedOffer


def hardware(catalog: Catalog, provider: str, instance_type: str, name: str = "", **more: Any) -> Hardware:
    memory = more.pop("memory_hint_gb", None)
    offer = ScrapedOffer(
        provider=provider,
        instance_type=instance_type,
        accelerator_name=name,
        accelerator_count=more.pop("accelerator_count", 8),
        memory_hint_gb=memory,
        region="",
        purchase_option="on_demand",
        price_per_hour=Decimal(1),
        **more,
    )
    found = catalog.resolve(name, provider, instance_type, memory, offer.accelerator_count)
    return catalog.hardware_of(offer, found)


def test_a_listed_type_has_link_fabric_and_host_with_their_source(catalog: Catalog) -> None:
    found = hardware(catalog, "aws", "p5.48xlarge")
    assert (found.link.kind, found.link.gbytes_per_s, found.link.domain_size) == ("nvlink4+nvswitch", 900, 8)
    assert found.link.peer_to_peer is True
    assert (found.fabric.kind, found.fabric.gbps_per_node) == ("efa", 3200)
    assert (found.host.vcpus, found.host.ram_gib, found.host.local_disk_gb) == (192, 2048, 30400)
    assert found.link.source and found.fabric.source


def test_bridged_cards_are_joined_in_pairs(catalog: Catalog) -> None:
    for provider, name in (("azure", "Standard_NC96ads_A100_v4"), ("hyperstack", "n3-H100x8-NVLink")):
        link = hardware(catalog, provider, name).link
        assert (link.kind, link.domain_size, link.peer_to_peer) == ("nvlink-bridge-2way", 2, True)


def test_pcie_hosts_without_peer_to_peer_say_so(catalog: Catalog) -> None:
    for provider, name in (
        ("aws", "g5.48xlarge"),
        ("aws", "g6e.48xlarge"),
        ("ovh", "h100-760"),
        ("aws", "g7e.48xlarge"),
    ):
        assert hardware(catalog, provider, name).link.peer_to_peer is False, name


def test_a_rack_is_one_link_domain(catalog: Catalog) -> None:
    for provider, name in (("gcp", "a4x-highgpu-4g"), ("oci", "BM.GPU.GB300.4"), ("coreweave", "gb200-4x")):
        assert hardware(catalog, provider, name, accelerator_count=4).link.domain_size == 72


def test_a_part_of_a_board_keeps_its_switch(catalog: Catalog) -> None:
    link = hardware(catalog, "somewhere", "2x H100 SXM", "H100 SXM", accelerator_count=2).link
    assert (link.kind, link.gbytes_per_s, link.domain_size, link.peer_to_peer) == (
        "nvlink4+nvswitch",
        900,
        2,
        True,
    )
    assert link.source.startswith("rule")


def test_a_bridge_is_never_assumed(catalog: Catalog) -> None:
    link = hardware(catalog, "somewhere", "4x A6000", "RTX A6000", accelerator_count=4).link
    assert (link.kind, link.gbytes_per_s, link.peer_to_peer) == ("pcie4", 64, None)


def test_geforce_cards_have_no_peer_to_peer(catalog: Catalog) -> None:
    for name in ("RTX 4090", "RTX 3090"):
        assert hardware(catalog, "somewhere", f"8x {name}", name).link.peer_to_peer is False


def test_an_unstated_form_factor_leaves_the_link_unknown(catalog: Catalog) -> None:
    link = hardware(catalog, "somewhere", "8x H100", "H100", memory_hint_gb=80).link
    assert (link.kind, link.gbytes_per_s, link.peer_to_peer) == (None, None, None)


def test_candidates_that_agree_on_the_link_have_it(catalog: Catalog) -> None:
    link = hardware(catalog, "somewhere", "4x RTX PRO 6000", "RTX PRO 6000", accelerator_count=4).link
    assert (link.kind, link.gbytes_per_s) == ("pcie5", 128)


def test_one_accelerator_needs_no_link(catalog: Catalog) -> None:
    assert hardware(catalog, "somewhere", "1x H100", "H100", accelerator_count=1).link.kind == "none"


def test_what_the_offer_states_wins_over_the_rule(catalog: Catalog) -> None:
    link = hardware(catalog, "vast", "8x RTX 4090", "RTX 4090", intra_node_link="pcie3").link
    assert (link.kind, link.gbytes_per_s, link.peer_to_peer) == ("pcie3", 32, False)
    fabric = hardware(
        catalog, "primeintellect", "8x H100", "H100 SXM", fabric="infiniband", fabric_gbps=3200
    ).fabric
    assert (fabric.kind, fabric.gbps_per_node, fabric.source) == ("infiniband", 3200, "the offer itself")


def test_an_unknown_fabric_stays_unknown(catalog: Catalog) -> None:
    fabric = hardware(catalog, "somewhere", "8x H100 SXM", "H100 SXM").fabric
    assert (fabric.kind, fabric.gbps_per_node, fabric.max_nodes, fabric.proven) == (None, None, None, False)


def test_the_letter_r_is_rdma_at_azure(catalog: Catalog) -> None:
    assert hardware(catalog, "azure", "Standard_ND96isr_H100_v5").fabric.gbps_per_node == 3200
    assert hardware(catalog, "azure", "Standard_ND96is_H100_v5").fabric.kind == "none"
    assert hardware(catalog, "azure", "Standard_ND96isf_H100_v5").fabric.kind == "ethernet"


def test_types_with_one_accelerator_and_two_fabrics_stay_apart(catalog: Catalog) -> None:
    high, mega = hardware(catalog, "gcp", "a3-highgpu-8g"), hardware(catalog, "gcp", "a3-megagpu-8g")
    assert (high.fabric.gbps_per_node, mega.fabric.gbps_per_node) == (800, 1600)
    assert high.link == mega.link


def test_runpod_clusters_hold_up_to_eight_nodes(catalog: Catalog) -> None:
    fabric = hardware(catalog, "runpod", "cluster 8x H100 SXM", "H100 SXM").fabric
    assert (fabric.gbps_per_node, fabric.max_nodes) == (3200, 8)
    assert (
        hardware(catalog, "runpod", "cluster 8x A100 SXM", "A100 SXM", memory_hint_gb=80).fabric.gbps_per_node
        == 1600
    )


def test_providers_without_clusters_sell_single_nodes(catalog: Catalog) -> None:
    assert hardware(catalog, "salad", "1x RTX 4090", "RTX 4090", accelerator_count=1).fabric.max_nodes == 1
    assert hardware(catalog, "azure", "Standard_ND96is_H100_v5").fabric.max_nodes == 1


def test_the_china_regions_sell_the_same_instances(catalog: Catalog) -> None:
    assert hardware(catalog, "aws-cn", "p4d.24xlarge").fabric.gbps_per_node == 400
    assert hardware(catalog, "aws-sagemaker", "ml.p5.48xlarge").link.gbytes_per_s == 900


def test_every_board_accelerator_keeps_its_rate_and_every_card_its_bus(catalog: Catalog) -> None:
    for card in catalog.accelerators.values():
        link = link_by_rule(card, 4)
        if link.kind and link.kind.startswith("pcie"):
            assert link.gbytes_per_s == card.pcie_gbytes_per_s
        elif link.kind:
            assert link.gbytes_per_s == card.link_gbytes_per_s and link.peer_to_peer


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("h100-sxm5-80gb;h200", "h100;h200", "column accelerators: there is no accelerator h100"),
        (",efa,400,", ",efa,fast,", "column fabric_gbps"),
    ],
)
def test_a_malformed_fabric_is_refused(
    catalog: Catalog, spoiled: Callable[[str, str, str], Path], old: str, new: str, said: str
) -> None:
    with pytest.raises(CatalogError, match=r"fabrics\.csv, line \d+, " + said):
        read_fabrics(spoiled("fabrics.csv", old, new), catalog.accelerators)
