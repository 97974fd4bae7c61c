"""Vast.ai: providers.md 2; the marketplace's jokes stay out."""

from __future__ import annotations

import asyncio
import json
from decimal import Decimal
from typing import Any

import pytest

from app.providers import discover
from app.providers.port import Part
from tests.providers.fetching import offers, only, parsed


def test_a_price_is_of_the_whole_offer_and_a_bid_is_spot() -> None:
    whole = {"native_id": "machine 50123", "accelerator_count": 8}
    assert only("vast", purchase_option="on_demand", **whole).price_per_hour == Decimal("17.21")
    assert only("vast", purchase_option="spot", **whole).price_per_hour == Decimal("9.6")


def test_shares_of_one_machine_are_offers_of_their_own_with_their_share_of_the_host() -> None:
    half = only("vast", native_id="machine 50123", accelerator_count=4)
    assert half.ram_gib == pytest.approx(2_064_000 / 2 / 1024)
    assert half.memory_hint_gb == pytest.approx(79.6, abs=0.1)


def test_unknown_cores_leave_the_host_memory_unknown() -> None:
    pair = only("vast", native_id="machine 611")
    assert (pair.ram_gib, pair.country, pair.tier, pair.intra_node_link) == (None, "DE", "community", "pcie4")


def test_an_nvlink_is_left_to_the_catalog() -> None:
    assert only("vast", native_id="machine 50123", accelerator_count=4).intra_node_link is None


def test_hosts_without_cards_and_absurd_asks_are_refused() -> None:
    reasons = sorted(reject.reason for reject in parsed("vast").rejects)
    assert reasons == [
        "no accelerator count",
        "outlier: data-centre price for a gaming card",
        "price that no accelerator costs",
    ]


def test_rented_and_unverified_hosts_are_left_out_even_if_the_search_returns_them() -> None:
    assert offers("vast", accelerator_name="A100 SXM4") == []
    assert parsed("vast").ignored == {"rented": 1, "host not verified": 1}


def test_an_answer_at_its_limit_is_completed_from_the_other_end() -> None:
    class Market:
        """Answers as the real search does: never more than the limit."""

        def __init__(self) -> None:
            self.asked: list[str] = []

        async def post(self, url: str, body: dict[str, Any], *, name: str = "answer") -> Part:
            ((_, way),) = body["order"]
            self.asked.append(way)
            first = 0 if way == "asc" else 5_000
            return Part(name, url, json.dumps({"offers": [{"id": first + n} for n in range(body["limit"])]}))

    market = Market()
    payload = asyncio.run(discover()["vast"].fetch(market, {}))  # type: ignore[arg-type]
    assert market.asked == ["asc", "desc"]
    assert len({row["id"] for part in payload.parts for row in part.json()["offers"]}) == 15_000
