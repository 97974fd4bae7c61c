"""Collected cases that a source's reader must answer, with the figures of the list; ids are those of the list.

Cases whose figures stand in a source's own payload are answered beside that source and say so in their docstring.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import msgspec
import pytest
from sqlalchemy import Engine

from app.catalog import load_catalog
from app.domain.offer import ScrapedOffer
from app.providers import discover
from app.providers.port import Part, Payload
from tests.providers.fetching import fetched, parsed
from tests.scraped import current, scraped, take_in

CARDS = {slug: source.card for slug, source in discover().items()}


def changed(slug: str, **swaps: str) -> list[ScrapedOffer]:
    """The offers of a source whose answers say something else: old text → new text, by any name."""
    pairs = [swap.split(" → ") for swap in swaps.values()]
    parts = []
    for part in fetched(slug).parts:
        text = part.text
        for old, new in pairs:
            text = text.replace(old, new)
        parts.append(msgspec.structs.replace(part, text=text))
    assert any(new.text != old.text for new, old in zip(parts, fetched(slug).parts, strict=True))
    return list(discover()[slug].parse(Payload(tuple(parts))).offers)


def test_p02_a_bid_per_accelerator_is_multiplied_by_the_accelerators() -> None:
    pods = changed("runpod", bid='"secureSpotPrice": 0.16 → "secureSpotPrice": 1.28')
    (pod,) = (pod for pod in pods if pod.instance_type == "8x RTX A4000" and pod.purchase_option == "spot")
    assert pod.price_per_hour == Decimal("10.24")


def test_g15_host_memory_is_what_the_host_says_and_not_a_copy_of_the_cards(sqlite_engine: Engine) -> None:
    swaps = {
        "name": "NVIDIA RTX A6000 → NVIDIA A100 80GB PCIe",
        "shown": '"displayName": "RTX A6000" → "displayName": "A100 PCIe"',
        "memory": '"memoryInGb": 48 → "memoryInGb": 80',
        "host": '"minMemory": 50 → "minMemory": 117',
    }
    (pod,) = (
        pod
        for pod in changed("runpod", **swaps)
        if (pod.instance_type, pod.tier, pod.purchase_option) == ("1x A100 PCIe", "secure", "on_demand")
    )
    assert (pod.ram_gib, pod.memory_hint_gb) == (117, 80)
    take_in(sqlite_engine, pod, card=CARDS["runpod"])
    (record,) = current(sqlite_engine)
    assert (record.accelerator, record.ram_gib) == ("a100-pcie-80gb", 117)
    assert 79 < (record.memory_gib_per_accelerator or 0) <= 80


@pytest.mark.parametrize(("zone", "kept"), [("us-east-1a", None), ("use1-az1", "use1-az1"), (None, None)])
def test_r02_a_zone_of_one_account_is_no_zone_and_a_zone_id_is(
    sqlite_engine: Engine, zone: str | None, kept: str | None
) -> None:
    row = scraped(provider="aws", instance_type="p5.48xlarge", zone=zone, purchase_option="spot")
    take_in(sqlite_engine, row, card=CARDS["aws_spot"])
    assert [record.zone for record in current(sqlite_engine)] == [kept]


def test_p12_a_footnote_is_no_count() -> None:
    """The reader of pages by hand takes counts as whole numbers: "4^1" is refused, never read as 41."""
    part = fetched("hand_kept").part("rows")
    text = part.text.replace("coreweave,gb200-4x,GB200 NVL72,4,", "coreweave,gb200-4x,GB200 NVL72,4^1,")
    result = discover()["hand_kept"].parse(Payload((msgspec.structs.replace(part, text=text),)))
    assert [offer for offer in result.offers if offer.instance_type == "gb200-4x"] == []
    assert len(result.rejects) == 1
    (node,) = (offer for offer in parsed("hand_kept").offers if offer.instance_type == "gb200-4x")
    assert (node.accelerator_count, node.memory_hint_gb, node.price_per_hour) == (4, 186, Decimal("42.00"))


GCP_SPOT = {"europe-west4": "15.10", "us-east4": "16.16", "us-central1": "16.32"}


def test_p17_spot_of_a_machine_with_disks_is_the_price_with_its_disks() -> None:
    costs = "\n".join(
        f"        {region}: {{hour: 40.55, hour_spot: {price}}}" for region, price in GCP_SPOT.items()
    )
    prices = (
        "about: {timestamp: 1795996800}\ncompute:\n  instance:\n    a2-ultragpu-8g:\n      cpu: 96\n      ram: 1360\n"
        f"      a100-80gb: 8\n      local-ssd: 3000\n      cost:\n{costs}\n"
    )
    zones = "NAME;ZONE\n" + "".join(f"a2-ultragpu-8g;{region}-a\n" for region in GCP_SPOT)
    result = discover()["gcp"].parse(Payload((Part("prices", "u", prices), Part("zones", "u", zones))))
    spots = {one.region: one for one in result.offers if one.purchase_option == "spot"}
    assert {region: one.price_per_hour for region, one in spots.items()} == {
        region: Decimal(price) for region, price in GCP_SPOT.items()
    }
    assert {one.local_disk_gb for one in spots.values()} == {3000}


@pytest.mark.parametrize(
    ("shape", "each", "whole"),
    [
        ("BM.GPU.B200.8", "14", "112"),
        ("BM.GPU.B300.8", "15", "120"),
        ("BM.GPU.GB200.4", "16", "64"),
        ("BM.GPU.MI300X.8", "6", "48"),
        ("BM.GPU.MI355X.8", "8.6", "68.8"),
    ],
)
def test_p28_oracle_prices_one_accelerator_and_offers_the_shape(shape: str, each: str, whole: str) -> None:
    (offer,) = (
        one
        for one in parsed("oci").offers
        if (one.instance_type, one.purchase_option) == (shape, "on_demand")
    )
    assert offer.price_per_hour == Decimal(whole)
    assert Decimal(whole) / Decimal(str(offer.accelerator_count)) == Decimal(each)


@pytest.mark.parametrize(
    ("pattern", "gbps", "nics"), [("p4d.*", 400, 4), ("p5.48xlarge", 3200, 32), ("p5en.*", 3200, 16)]
)
def test_n01_adapters_of_a_node_are_told_beside_its_rate(pattern: str, gbps: float, nics: int) -> None:
    (rule,) = (rule for rule in load_catalog().fabrics_of("aws") if rule.pattern == pattern)
    assert (rule.fabric.kind, rule.fabric.gbps_per_node, rule.nics) == ("efa", gbps, nics)


def test_n04_clusters_of_runpod_have_two_to_eight_nodes(sqlite_engine: Engine) -> None:
    terms = load_catalog().terms("runpod")
    assert (terms.cluster_nodes_min, terms.cluster_nodes_max) == (2, 8)
    nodes: list[Any] = [offer for offer in parsed("runpod").offers if offer.tier == "cluster"]
    take_in(sqlite_engine, *nodes, card=CARDS["runpod"])
    assert {record.max_nodes for record in current(sqlite_engine)} == {8}


def test_p21_a_lower_bound_in_euros_keeps_both_marks_on_the_board(sqlite_engine: Engine) -> None:
    take_in(sqlite_engine, *parsed("gcore").offers, card=CARDS["gcore"])
    (card,) = (record for record in current(sqlite_engine) if record.accelerator_label.endswith("L40S"))
    assert (card.currency, card.hourly_price_native, card.price_usd_per_hour) == ("EUR", 1.08, None)
    assert "price_is_lower_bound" in (*card.flags, *card.notes)
    assert "lower bound" in card.price_basis


def test_p22_two_kinds_of_a_page_are_two_offers_on_the_board(sqlite_engine: Engine) -> None:
    take_in(sqlite_engine, *parsed("hyperstack_page").offers, card=CARDS["hyperstack_page"])
    kinds = {
        (record.accelerator, record.purchase_option): record.price_usd_per_hour
        for record in current(sqlite_engine)
    }
    assert kinds["h200-sxm-141gb", "on_demand"] == 3.5
    assert kinds["h100-sxm5-80gb", "reserved"] == 2.04
