"""Hyperstack: providers.md 19."""

from __future__ import annotations

from decimal import Decimal

from tests.providers.fetching import only, parsed


def test_the_price_book_prices_one_accelerator() -> None:
    node = only("hyperstack", instance_type="n3-H100-SXM5x8")
    assert (node.price_per_hour, node.stock, node.region) == (Decimal("25.6"), "out", "CANADA-1")


def test_a_spot_price_is_an_offer_of_its_own() -> None:
    assert only("hyperstack", purchase_option="spot").price_per_hour == Decimal("0.4")


def test_a_flavour_that_the_price_book_lacks_is_refused() -> None:
    assert [reject.reason for reject in parsed("hyperstack").rejects] == ["no price in the price book"]
