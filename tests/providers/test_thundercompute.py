"""Thunder Compute: providers.md 36."""

from __future__ import annotations

from decimal import Decimal

from tests.providers.fetching import only, parsed


def test_a_specification_says_count_and_mode() -> None:
    node = only("thundercompute", tier="production")
    assert (node.price_per_hour, node.accelerator_count, node.memory_hint_gb) == (Decimal("19.9"), 8, 80)
    assert only("thundercompute", tier="prototyping").accelerator_name == "A100 80GB"


def test_extras_are_counted_and_a_free_card_refused() -> None:
    assert parsed("thundercompute").ignored == {"a price of an extra": 2}
    assert [reject.reason for reject in parsed("thundercompute").rejects] == ["price of zero or less"]
