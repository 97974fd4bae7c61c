"""JarvisLabs: providers.md 30."""

from __future__ import annotations

from decimal import Decimal

from tests.providers.fetching import offers, only, parsed


def test_a_string_of_one_accelerator_times_the_size() -> None:
    four = only("jarvislabs", instance_type="4x H100")
    assert (four.price_per_hour, four.stock, four.ram_gib) == (Decimal("10.76"), "in_stock", 800)
    assert only("jarvislabs", instance_type="8x H100").stock == "out"


def test_spot_is_for_containers_only() -> None:
    assert [offer.accelerator_name for offer in offers("jarvislabs", purchase_option="spot")] == ["L4"]
    assert [reject.reason for reject in parsed("jarvislabs").rejects] == ["price of zero or less"]
