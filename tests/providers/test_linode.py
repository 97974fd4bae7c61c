"""Linode: providers.md 9; behaviour G27."""

from __future__ import annotations

from decimal import Decimal

from tests.providers.fetching import offers, only, parsed


def test_a_region_has_its_own_price_and_stock() -> None:
    found = offers("linode", instance_type="g2-gpu-rtx4000a4-m")
    assert {(offer.region, offer.price_per_hour, offer.stock) for offer in found} == {
        ("us-ord", Decimal("3.57"), "in_stock"),
        ("id-cgk", Decimal("4.28"), "out"),
    }


def test_a_null_price_is_unknown_and_the_old_card_is_the_turing_one() -> None:
    old = only("linode", instance_type="g1-gpu-rtx6000-1")
    assert (old.price_per_hour, old.accelerator_name, old.memory_hint_gb) == (None, "Quadro RTX 6000", 24)


def test_a_card_nobody_knows_is_refused() -> None:
    assert [reject.reason for reject in parsed("linode").rejects] == ["a card we do not know"]
