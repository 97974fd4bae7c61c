"""DigitalOcean: providers.md 22."""

from __future__ import annotations

from decimal import Decimal

from tests.providers.fetching import offers, only, parsed


def test_memory_of_the_droplet_is_shared_out_and_every_region_is_an_offer() -> None:
    found = offers("digitalocean", instance_type="gpu-h100x8-640gb")
    assert {offer.region for offer in found} == {"nyc2", "ams3"}
    assert {(o.price_per_hour, o.memory_hint_gb, o.ram_gib) for o in found} == {(Decimal("35.28"), 80, 1920)}


def test_a_size_without_regions_is_out_of_stock_and_a_free_one_refused() -> None:
    assert only("digitalocean", instance_type="gpu-mi300x1-192gb").stock == "out"
    assert [reject.reason for reject in parsed("digitalocean").rejects] == ["price of zero or less"]
