"""Scaleway: providers.md 11."""

from __future__ import annotations

from decimal import Decimal

from tests.providers.fetching import only, parsed


def test_a_price_by_the_minute_becomes_a_price_by_the_hour() -> None:
    node = only("scaleway", instance_type="H100-SXM-8-80G")
    assert (node.price_per_hour, node.currency) == (Decimal("23.0208"), "EUR")
    assert (node.region, node.zone, node.ram_gib) == ("fr-par", "fr-par-2", 960)


def test_a_price_by_the_hour_stays() -> None:
    assert only("scaleway", instance_type="L4-1-24G").price_per_hour == Decimal("0.75")


def test_a_unit_nobody_knows_is_refused_and_every_page_is_read() -> None:
    assert [reject.reason for reject in parsed("scaleway").rejects] == ["a unit of time we do not know"]
    assert parsed("scaleway").rows_read == 5
