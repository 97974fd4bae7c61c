"""Crusoe: providers.md 20."""

from __future__ import annotations

import base64
import hashlib
import hmac
from decimal import Decimal

from app.providers.crusoe import _signed
from tests.providers.fetching import offers, only


def test_the_signature_is_reproducible_and_unpadded() -> None:
    headers = _signed("/v1alpha5/capacities", "access", "c2VjcmV0")
    scheme, _, signature = headers["Authorization"].rpartition(":")
    text = f"/v1alpha5/capacities\n\nGET\n{headers['X-Crusoe-Timestamp']}\n".encode()
    expected = base64.urlsafe_b64encode(hmac.new(b"secret", text, hashlib.sha256).digest()).decode()
    assert scheme == "Bearer 1.0:access"
    assert signature == expected.rstrip("=")


def test_several_capacities_of_a_place_are_the_largest_and_zero_is_out() -> None:
    found = offers("crusoe", instance_type="h100-80gb-sxm-ib.8x", purchase_option="on_demand")
    assert {(o.region, o.stock, o.stock_units) for o in found} == {
        ("us-east1-a", "in_stock", 5),
        ("eu-iceland1-a", "out", 0),
    }
    assert {(o.price_per_hour, o.fabric) for o in found} == {(Decimal("31.20"), "infiniband")}


def test_an_unpublished_price_is_unknown_and_table_prices_carry_their_date() -> None:
    node = only("crusoe", instance_type="mi355x-288gb.8x")
    assert node.price_per_hour is None
    assert node.observed_at is not None and node.observed_at.year == 2026
