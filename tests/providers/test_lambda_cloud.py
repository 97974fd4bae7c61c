"""Lambda: providers.md 17; behaviour F04."""

from __future__ import annotations

from decimal import Decimal

from tests.providers.fetching import offers, only, parsed


def test_cents_of_the_whole_box_in_every_region_that_has_it() -> None:
    found = offers("lambda", instance_type="gpu_8x_h100_sxm5")
    assert {(offer.region, offer.stock) for offer in found} == {
        ("us-south-2", "in_stock"),
        ("us-east-1", "in_stock"),
    }
    assert {(offer.price_per_hour, offer.memory_hint_gb) for offer in found} == {(Decimal("31.92"), 80)}


def test_sold_out_is_one_row_without_a_place() -> None:
    sold_out = only("lambda", instance_type="gpu_1x_gh200")
    assert (sold_out.region, sold_out.stock) == ("global", "out")


def test_a_card_nobody_knows_is_kept_under_its_own_name() -> None:
    assert only("lambda", instance_type="gpu_1x_new").accelerator_name == "R100"
    assert [reject.reason for reject in parsed("lambda").rejects] == ["price of zero or less"]
