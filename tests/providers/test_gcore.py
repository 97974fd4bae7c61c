"""Gcore's page: behaviour P21."""

from __future__ import annotations

from decimal import Decimal

import pytest

from app.domain.errors import ShapeDrift
from app.providers import discover
from app.providers._pages import LOWER_BOUND
from app.providers.port import Part, Payload
from tests.providers.fetching import offers, only, parsed


def test_from_a_price_is_a_lower_bound_in_the_currency_of_the_page() -> None:
    """Behaviour P21."""
    card = only("gcore", accelerator_name="L40S")
    assert (card.price_per_hour, card.currency, card.flags) == (Decimal("1.08"), "EUR", (LOWER_BOUND,))
    assert "lower bound" in card.price_basis


def test_a_plain_price_is_no_bound() -> None:
    assert only("gcore", accelerator_name="NVIDIA H100 SXM5").flags == ()
    assert only("gcore", accelerator_name="H200").currency == "USD"


def test_a_monthly_price_is_refused_and_a_card_without_a_price_is_counted() -> None:
    assert [reject.reason for reject in parsed("gcore").rejects] == ["a price without its unit"]
    assert offers("gcore", accelerator_name="B200") == []
    assert parsed("gcore").ignored["no price"] == 1


def test_a_page_without_cards_is_a_fault() -> None:
    page = Part("page", "", "<html><body><h1>Just a moment…</h1></body></html>")
    with pytest.raises(ShapeDrift):
        discover()["gcore"].parse(Payload((page,)))
