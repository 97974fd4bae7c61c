"""Mithril: behaviour P04, providers.md 42."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tests.providers.fetching import offers, only, parsed


@pytest.mark.parametrize(
    ("instance_type", "region", "fixed", "spot"),
    [
        ("neb-b200.sxm.1x", "us-central3-a", "3.45", "0.05"),
        ("h100-80gb.sxm.8x", "us-central1-a", "28.66", "8.00"),
        ("a100-80gb.sxm.8x", "us-central1-a", "13.99", "0.50"),
        ("b200.8x", "global", "38.73", "25.00"),
    ],
)
def test_the_floor_of_a_bid_is_never_the_price(
    instance_type: str, region: str, fixed: str, spot: str
) -> None:
    """Behaviour P04."""
    wanted = {"instance_type": instance_type, "region": region}
    assert only("mithril", **wanted, purchase_option="on_demand").price_per_hour == Decimal(fixed)
    assert only("mithril", **wanted, purchase_option="spot").price_per_hour == Decimal(spot)


def test_a_region_whose_auction_says_nothing_takes_the_price_of_the_type() -> None:
    assert only("mithril", region="eu-central1-a", purchase_option="spot").price_per_hour == Decimal(8)


def test_capacity_is_stock_and_silence_is_unknown() -> None:
    stock = {offer.instance_type: offer.stock for offer in offers("mithril", purchase_option="on_demand")}
    assert stock == {
        "neb-b200.sxm.1x": "in_stock",
        "h100-80gb.sxm.8x": "out",
        "a100-80gb.sxm.8x": None,
        "b200.8x": "in_stock",
    }


def test_a_type_without_any_price_is_counted_and_names_carry_the_socket() -> None:
    assert parsed("mithril").ignored == {"no accelerator": 1, "no price": 1}
    assert {offer.accelerator_name for offer in parsed("mithril").offers} == {
        "B200 SXM",
        "H100 SXM5",
        "A100 SXM4",
    }
    assert {offer.fabric for offer in offers("mithril", instance_type="h100-80gb.sxm.8x")} == {"infiniband"}
