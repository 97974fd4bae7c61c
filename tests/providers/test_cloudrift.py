"""CloudRift: providers.md 13."""

from __future__ import annotations

from decimal import Decimal

from tests.providers.fetching import offers, parsed


def test_cents_of_the_whole_variant_per_centre_that_has_nodes() -> None:
    found = offers("cloudrift", instance_type="rtxpro6000-16c-nr.1")
    assert {(offer.region, offer.stock, offer.stock_units) for offer in found} == {
        ("us-east-nc-nr-1", "in_stock", 4),
        ("us-west-x", "out", 0),
    }
    assert {offer.price_per_hour for offer in found} == {Decimal("1.39")}


def test_a_price_of_nothing_is_refused() -> None:
    assert [reject.reason for reject in parsed("cloudrift").rejects] == ["price of zero or less"]
