"""AWS spot: providers.md 4; behaviour P30, P31."""

from __future__ import annotations

from decimal import Decimal

import msgspec
import pytest

from app.providers import discover
from app.providers.port import Payload
from tests.providers.fetching import fetched, offers, only, parsed


def test_spot_prices_carry_modern_regions_hosts_and_interruptions() -> None:
    spot = only("aws_spot", instance_type="p5.48xlarge")
    assert (spot.price_per_hour, spot.vcpus, spot.ram_gib, spot.reliability) == (
        Decimal("21.7000"),
        192,
        2048,
        0.925,
    )
    assert only("aws_spot", instance_type="p4d.24xlarge").region == "us-east-1"


def test_a_price_that_is_not_available_is_no_offer() -> None:
    assert offers("aws_spot", instance_type="p5en.48xlarge") == []
    assert parsed("aws_spot").ignored == {"no accelerator": 1, "no spot price here": 1}


@pytest.mark.parametrize(
    "advice", ["", "[]", '{"spot_advisor": []}', '{"spot_advisor": {"us-east-2": {"Linux": [1]}}}']
)
def test_prices_stand_without_the_advisor(advice: str) -> None:
    prices, advisor = fetched("aws_spot").parts
    without = discover()["aws_spot"].parse(Payload((prices, msgspec.structs.replace(advisor, text=advice))))
    assert {offer.price_per_hour for offer in without.offers} == {Decimal("21.7000"), Decimal("9.8000")}
    assert {offer.reliability for offer in without.offers} == {None}
