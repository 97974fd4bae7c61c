"""Salad: providers.md 29."""

from __future__ import annotations

from decimal import Decimal

from tests.providers.fetching import offers, parsed


def test_every_priority_is_an_interruptible_offer_of_its_own() -> None:
    found = offers("salad", accelerator_name="RTX 4090 (24 GB)")
    assert {(offer.tier, offer.price_per_hour) for offer in found} == {
        ("community, high priority", Decimal("0.204")),
        ("community, batch priority", Decimal("0.16")),
    }
    assert {offer.purchase_option for offer in found} == {"spot"}


def test_a_price_of_zero_is_refused_and_a_class_without_prices_counted() -> None:
    assert [reject.reason for reject in parsed("salad").rejects] == ["price of zero or less"]
    assert parsed("salad").ignored == {"no price": 1}
