"""Clore.ai: providers.md 15; behaviour P20."""

from __future__ import annotations

from decimal import Decimal

from tests.providers.fetching import only, parsed


def test_a_figure_labelled_daily_is_hourly_and_of_the_whole_rig() -> None:
    """Behaviour P20."""
    rig = only("clore", native_id="server 71234", purchase_option="on_demand")
    assert (rig.price_per_hour, rig.accelerator_count, rig.vcpus) == (Decimal("5.25"), 8, 128)


def test_rented_rigs_mixed_cards_and_blank_prices_are_counted_and_a_joke_is_refused() -> None:
    assert parsed("clore").ignored == {"rented": 1, "mixed cards": 1, "no price in USD": 1}
    assert [reject.reason for reject in parsed("clore").rejects] == ["price that no accelerator costs"]
