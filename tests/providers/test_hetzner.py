"""Hetzner auction: providers.md 41."""

from __future__ import annotations

from decimal import Decimal

from tests.providers.fetching import only, parsed


def test_a_server_is_an_offer_of_its_own_in_euros() -> None:
    server = only("hetzner", native_id="server 2711111")
    assert (server.price_per_hour, server.currency, server.region) == (Decimal("0.2949"), "EUR", "FSN1")
    assert (server.accelerator_name, server.local_disk_gb) == ("RTX 4000 SFF Ada", 3840)


def test_a_month_becomes_an_hour_where_no_hour_is_given() -> None:
    assert only("hetzner", native_id="server 2711112").price_per_hour == Decimal("0.15")


def test_a_card_without_a_name_is_refused() -> None:
    assert [reject.reason for reject in parsed("hetzner").rejects] == ["no accelerator name"]
