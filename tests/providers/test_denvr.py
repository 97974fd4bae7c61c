"""Denvr: providers.md 38."""

from __future__ import annotations

from decimal import Decimal

from tests.providers.fetching import offers, only


def test_a_configuration_is_offered_in_each_cluster() -> None:
    found = offers("denvr", instance_type="H100_80GB_SXM_8x")
    assert {offer.region for offer in found} == {"Hou1", "Msc1"}
    assert {(offer.price_per_hour, offer.fabric) for offer in found} == {(Decimal("18.4"), "infiniband")}


def test_a_missing_price_is_unknown() -> None:
    assert only("denvr", instance_type="A100_40GB_PCIe_1x").price_per_hour is None
