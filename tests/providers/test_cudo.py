"""Cudo Compute: providers.md 16."""

from __future__ import annotations

from decimal import Decimal

from tests.providers.fetching import offers, only, parsed


def test_parts_are_added_up_with_the_least_host() -> None:
    four = only("cudo", accelerator_count=4)
    parts = (4 * Decimal("2.09"), 16 * Decimal("0.0027"), 16 * Decimal("0.0036"), 100 * Decimal("0.000137"))
    assert four.price_per_hour == sum(parts)


def test_a_size_larger_than_what_is_free_is_out_of_stock() -> None:
    assert {offer.accelerator_count: offer.stock for offer in offers("cudo")} == {
        1: "in_stock",
        2: "in_stock",
        4: "in_stock",
        8: "out",
    }


def test_a_part_without_a_price_is_refused() -> None:
    assert [reject.reason for reject in parsed("cudo").rejects] == ["a part without a price"]
