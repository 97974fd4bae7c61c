"""Voltage Park: providers.md 27."""

from __future__ import annotations

import asyncio
from decimal import Decimal

import pytest

from app.domain.errors import ShapeDrift
from app.providers import discover
from app.providers.port import Part, Payload
from app.workers.http import PoliteClient
from app.workers.manners import Manners
from tests.providers.fetching import FAST, offers, only, parsed
from tests.providers.internet import served


def test_each_network_is_an_offer_at_its_price_times_the_accelerators() -> None:
    plain = only("voltagepark", instance_type="h100-sxm5-ethernet-node")
    fast = only("voltagepark", instance_type="h100-sxm5-infiniband-node")
    assert (plain.price_per_hour, fast.price_per_hour) == (Decimal("15.92"), Decimal("19.92"))
    assert (plain.stock, plain.stock_units, fast.stock) == ("in_stock", 8, "out")


def test_a_network_without_a_price_is_no_offer_and_too_few_cards_are_no_node() -> None:
    node = only("voltagepark", accelerator_name="h200-sxm-141gb")
    assert (node.instance_type, node.stock, node.stock_units) == ("h200-sxm-ethernet-node", "out", 0)


def test_presets_are_whole_machines() -> None:
    assert only("voltagepark", native_id="p1").price_per_hour == Decimal("2.25")
    assert only("voltagepark", native_id="p2").price_per_hour is None
    assert offers("voltagepark", native_id="p3") == []


def test_what_is_not_understood_is_said() -> None:
    assert sorted(reject.reason for reject in parsed("voltagepark").rejects) == [
        "a price that we cannot name",
        "not in the shape we know",
    ]


def test_without_a_key_bare_metal_is_asked_alone() -> None:
    async def fetch() -> Payload:
        with served("voltagepark") as internet:
            async with PoliteClient(Manners(via=internet.origin, **FAST)) as http:
                return await discover()["voltagepark"].fetch(http, {})

    assert [part.name for part in asyncio.run(fetch()).parts] == ["metal"]


@pytest.mark.parametrize("more", ['"has_next": true', '"total_result_count": 7'])
def test_a_page_of_several_is_not_taken_for_the_whole(more: str) -> None:
    with pytest.raises(ShapeDrift):
        discover()["voltagepark"].parse(Payload((Part("metal", "", f'{{"results": [], {more}}}'),)))
