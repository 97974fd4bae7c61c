"""Seeweb: providers.md 42."""

from __future__ import annotations

from decimal import Decimal

from tests.providers.fetching import only, parsed


def test_counts_in_strings_and_prices_in_euros() -> None:
    node = only("seeweb", instance_type="ECS8GPU5")
    assert (node.price_per_hour, node.currency, node.accelerator_count) == (Decimal("17.6"), "EUR", 8)
    assert (node.ram_gib, node.country, node.stock) == (1920, "IT", None)


def test_what_is_not_sold_is_counted_and_a_free_plan_refused() -> None:
    assert parsed("seeweb").ignored == {"no accelerator": 1, "not on sale": 1}
    assert [reject.reason for reject in parsed("seeweb").rejects] == ["price of zero or less"]
