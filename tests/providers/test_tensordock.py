"""TensorDock: providers.md 24."""

from __future__ import annotations

from decimal import Decimal

from tests.providers.fetching import offers, only, parsed


def test_parts_are_added_up_and_said() -> None:
    pair = only("tensordock", instance_type="2x h100-sxm5-80gb")
    assert pair.price_per_hour == Decimal("2.25") * 2 + 8 * Decimal("0.003") + 32 * Decimal(
        "0.002"
    ) + Decimal("0.005")
    assert "8 vCPUs" in pair.price_basis


def test_no_size_is_offered_that_the_host_cannot_hold() -> None:
    assert [offer.accelerator_count for offer in offers("tensordock", memory_hint_gb=48)] == [1]


def test_a_part_without_a_price_is_refused_and_nothing_on_hand_is_counted() -> None:
    assert [reject.reason for reject in parsed("tensordock").rejects] == ["a part without a price"]
    assert parsed("tensordock").ignored == {"none on hand": 1}
