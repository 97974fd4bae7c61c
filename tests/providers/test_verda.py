"""Verda: providers.md 3."""

from __future__ import annotations

from decimal import Decimal

from tests.providers.fetching import offers, only, parsed


def test_a_string_of_the_whole_instance_is_the_price_at_every_location_that_has_it() -> None:
    found = offers("verda", instance_type="8H100.80S.176V", purchase_option="on_demand")
    assert {(offer.region, offer.stock) for offer in found} == {
        ("FIN-01", "in_stock"),
        ("ICE-01", "in_stock"),
    }
    assert {offer.price_per_hour for offer in found} == {Decimal("26.00")}


def test_what_no_location_has_is_out_of_stock() -> None:
    spot = only("verda", instance_type="8H100.80S.176V", purchase_option="spot")
    assert (spot.price_per_hour, spot.region, spot.stock) == (Decimal("13.00"), "global", "out")


def test_memory_of_the_box_is_shared_out() -> None:
    assert offers("verda", instance_type="8H100.80S.176V")[0].memory_hint_gb == 80


def test_a_spot_price_of_zero_is_no_offer_and_a_word_is_no_price() -> None:
    assert [offer.purchase_option for offer in offers("verda", instance_type="1V100.6V")] == ["on_demand"]
    assert [reject.reason for reject in parsed("verda").rejects] == ["a figure that is not a number"]
