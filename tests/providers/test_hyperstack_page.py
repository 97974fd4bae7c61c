"""Hyperstack's page: behaviour P22, providers.md 19."""

from __future__ import annotations

from decimal import Decimal

import pytest

from app.domain.errors import ShapeDrift
from app.providers import discover
from app.providers._pages import LOWER_BOUND
from app.providers.port import Part, Payload
from tests.providers.fetching import offers, only, parsed


def test_the_heading_decides_the_kind_of_price() -> None:
    """Behaviour P22."""
    listed = {
        offer.instance_type: offer.price_per_hour
        for offer in offers("hyperstack_page", purchase_option="on_demand")
    }
    assert listed == {"1x H200 SXM": Decimal("3.50"), "1x H100 SXM": Decimal("2.40")}
    reserved = only("hyperstack_page", purchase_option="reserved", accelerator_name="H100 SXM")
    assert (reserved.price_per_hour, reserved.term_months) == (Decimal("2.04"), None)
    assert only("hyperstack_page", purchase_option="spot").price_per_hour == Decimal("1.52")


def test_columns_of_plain_figures_are_no_price() -> None:
    assert (
        only("hyperstack_page", instance_type="1x H200 SXM", purchase_option="on_demand").memory_hint_gb
        == 141
    )


def test_a_starting_price_is_a_lower_bound() -> None:
    bound = only("hyperstack_page", purchase_option="reserved", accelerator_name="H200 SXM")
    assert bound.flags == (LOWER_BOUND,)


def test_rows_without_a_price_or_under_another_heading_are_no_offers() -> None:
    result = parsed("hyperstack_page")
    assert result.ignored["no price"] == 2
    assert not [offer for offer in result.offers if "volume" in offer.instance_type]
    assert [reject.reason for reject in result.rejects] == ["a price in another currency than the page's"]


def test_a_menu_and_a_slogan_are_no_row() -> None:
    assert not [offer for offer in parsed("hyperstack_page").offers if "L40" in offer.instance_type]


def test_rows_under_no_heading_are_a_fault() -> None:
    page = Part("page", "", "<html><body><p>NVIDIA H100 SXM</p><p>$2.40</p></body></html>")
    with pytest.raises(ShapeDrift):
        discover()["hyperstack_page"].parse(Payload((page,)))
