"""Shadeform: providers.md 26; behaviour P05, F10."""

from __future__ import annotations

from decimal import Decimal

import pytest

from app.providers._upstreams import slug_of
from tests.providers.fetching import offers, only, parsed


def test_cents_belong_to_the_cloud_that_is_resold_under_its_own_name() -> None:
    """Behaviour P05."""
    found = offers("shadeform", provider="hyperstack", instance_type="n3-H100-SXM5x8")
    assert {(offer.region, offer.stock) for offer in found} == {("canada-1", "out"), ("norway-1", "in_stock")}
    assert {offer.price_per_hour for offer in found} == {Decimal("25.60")}


def test_a_cloud_nobody_knows_stays_with_the_reseller_by_name() -> None:
    other = only("shadeform", provider="shadeform")
    assert (other.tier, other.vcpus, other.ram_gib) == ("via newcloud", 8, 64)


def test_a_free_row_is_refused_and_one_without_a_place_counted() -> None:
    assert [reject.reason for reject in parsed("shadeform").rejects] == ["price of zero or less"]
    assert parsed("shadeform").ignored == {"nowhere available": 1}


@pytest.mark.parametrize(
    ("spelling", "slug"),
    [
        ("runpod_our_sponsor", "runpod"),
        ("lambda_labs", "lambda"),
        ("google cloud", "gcp"),
        ("datacrunch", "verda"),
        ("x", None),
    ],
)
def test_spellings_of_resellers(spelling: str, slug: str | None) -> None:
    """Behaviour R05."""
    assert slug_of(spelling) == slug
