"""Latitude.sh: providers.md 40."""

from __future__ import annotations

from decimal import Decimal

from tests.providers.fetching import offers, parsed


def test_hour_month_and_year_are_three_offers_of_the_whole_server() -> None:
    found = {offer.term_months: offer for offer in offers("latitude", instance_type="g3-h100-large")}
    assert found[None].price_per_hour == Decimal("21.6")
    assert round(found[1].price_per_hour or 0, 2) == Decimal("17.75")
    assert round(found[12].price_per_hour or 0, 2) == Decimal("15.87")
    assert (found[None].stock, found[None].local_disk_gb, found[None].vcpus) == ("out", 15_200, 128)


def test_an_hour_of_zero_is_no_offer() -> None:
    assert parsed("latitude").ignored == {"no accelerator": 1, "no price in USD": 1}
