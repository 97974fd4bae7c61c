"""`GET /api/v1/market`: the page's figures, with n and age, and only questions that it knows."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from app.market.price_report import PriceQuestion, price_report
from app.market.service import Market


def test_its_levels_are_those_of_the_market(client: TestClient, market: Market) -> None:
    body = client.get("/api/v1/market").json()
    levels = price_report(market, PriceQuestion()).levels
    assert [one["low"] for one in body["levels"]] == [pytest.approx(level.low) for level in levels]
    for one in body["levels"]:
        assert one["low"] <= one["median"] <= one["high"]
        assert one["offers"] >= len(one["providers"]) >= 1
        assert one["oldest"] <= one["newest"] <= body["as_of"]
        assert (one["ratio"] is None) == (len(one["providers"]) == 1)
    assert body["left_out"]["flagged"] == sum(one["flagged"] for one in body["levels"])
    assert body["index"]["method"].startswith("Chained matched-offer index")


def test_a_level_is_the_cheapest_unflagged_offer_of_the_table(client: TestClient) -> None:
    for option in ("on_demand", "spot", "reserved"):
        for one in client.get("/api/v1/market", params={"purchase_option": option}).json()["levels"][:8]:
            asked = {"accelerator": one["accelerator"], "purchase_option": option, "flagged": "no"}
            found = client.get(
                "/api/v1/offers", params={**asked, "sort": "accelerator_price", "per_page": 1}
            ).json()
            assert found["items"][0]["price_usd_per_accelerator_hour"] == pytest.approx(one["low"])
            assert found["total"] == one["offers"] + one["unpriced"]


@pytest.mark.parametrize("query", ["days=1", "purchase_option=gift", "sort=luck", "hue=red"])
def test_what_it_does_not_know_is_refused_by_name(client: TestClient, query: str) -> None:
    answer = client.get(f"/api/v1/market?{query}")
    assert answer.status_code == 422
    assert query.partition("=")[0] in answer.text
