"""Prices read off pages by hand: behaviour P12, P13."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

from tests.providers.fetching import only, parsed


def test_a_node_of_a_rack_is_four_accelerators() -> None:
    """Behaviour P12."""
    node = only("hand_kept", instance_type="gb200-4x")
    assert (node.price_per_hour, node.accelerator_count, node.memory_hint_gb) == (Decimal("42.00"), 4, 186)
    assert node.price_per_hour / 4 == Decimal("10.50")
    assert "18 nodes" in node.price_basis


def test_on_demand_and_spot_of_one_node_are_two_rows_of_eight() -> None:
    """Behaviour P13."""
    listed = only("hand_kept", instance_type="gd-8xh100ib-i128", purchase_option="on_demand")
    spot = only("hand_kept", instance_type="gd-8xh100ib-i128", purchase_option="spot")
    assert (listed.price_per_hour, spot.price_per_hour) == (Decimal("49.24"), Decimal("19.71"))
    assert listed.price_per_hour is not None and listed.price_per_hour / 8 == Decimal("6.155")


def test_every_row_has_a_day_and_a_page_and_is_read() -> None:
    result = parsed("hand_kept")
    assert result.rejects == () and result.ignored == {}
    for offer in result.offers:
        assert offer.observed_at is not None
        assert datetime(2026, 1, 1, tzinfo=UTC) < offer.observed_at <= datetime(2026, 11, 30, tzinfo=UTC)
        assert offer.source_url.startswith("https://")
