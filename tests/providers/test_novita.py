"""Novita: providers.md 31."""

from __future__ import annotations

from decimal import Decimal

from tests.providers.fetching import only, parsed


def test_hundred_thousandths_of_a_dollar() -> None:
    card = only("novita", instance_type="4090.16c125g", region="CN-HK-1", purchase_option="on_demand")
    assert (card.price_per_hour, card.memory_hint_gb, card.ram_gib) == (Decimal("0.35"), 24, 125)
    assert only("novita", region="US-CA-1", purchase_option="spot").price_per_hour == Decimal("0.18")
    assert only("novita", instance_type="h100x").price_per_hour == Decimal("2.56")


def test_a_free_product_is_refused() -> None:
    assert [reject.reason for reject in parsed("novita").rejects] == ["price of zero or less"]
