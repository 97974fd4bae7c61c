"""Choices, rent or buy and the trial in JSON."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.training.test_calibration import SMI

RUN = "model=llama-3.1-8b"


def get(client: TestClient, path: str) -> Any:
    answer = client.get(path)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_choices_are_found_among_the_filtered_offers(client: TestClient) -> None:
    query = f"{RUN}&purchase_option=on_demand&accelerator_count=8&budget_usd=400&deadline_hours=12"
    body = get(client, f"/api/v1/choices?{query}")
    offers = {o["id"]: o for o in get(client, f"/api/v1/offers?{query}&per_page=5000")["items"]}
    unflagged = {
        i
        for i in offers
        if i not in {o["id"] for o in get(client, f"/api/v1/offers?{query}&flagged=1&per_page=5000")["items"]}
    }
    totals = [offers[i]["total_usd"] for i in unflagged if offers[i]["total_usd"] is not None]
    assert body["cheapest"]["total_usd"] == pytest.approx(min(totals))
    assert {pick["id"] for pick in body["front"]} <= unflagged
    assert body["fastest_within_budget"]["hours"] == pytest.approx(min(offers[i]["hours"] for i in unflagged))
    hours = [pick["hours"] for pick in body["front"]]
    assert hours == sorted(hours, reverse=True)
    assert all(pick["low_usd"] <= pick["total_usd"] <= pick["high_usd"] for pick in body["front"])


def test_flagged_prices_take_part_only_when_asked(client: TestClient) -> None:
    plain = get(client, f"/api/v1/choices?{RUN}")
    asked = get(client, f"/api/v1/choices?{RUN}&choices=flagged")
    assert plain["left_out_flagged"] > 0
    assert asked["left_out_flagged"] == 0
    assert asked["compared"] == plain["compared"] + plain["left_out_flagged"]
    assert asked["cheapest"]["total_usd"] <= plain["cheapest"]["total_usd"]


def test_choices_without_a_run_name_the_model(client: TestClient) -> None:
    answer = client.get("/api/v1/choices?provider=aws")
    assert answer.status_code == 422
    assert answer.json()["error"]["field"] == "model"


def test_estimates_bring_the_choices_and_say_what_is_corrected(client: TestClient) -> None:
    run = {"model": "llama-3.1-8b", "measured_on": "h100-sxm5-80gb x8", "measured_tokens_per_s": 60000}
    body = client.post("/api/v1/estimates", json=run).json()
    assert body["choices"]["front"]
    assert "Corrected by your trial" in body["calibration"]
    assert client.post("/api/v1/estimates", json={"model": "llama-3.1-8b"}).json()["calibration"] is None
    offer = body["choices"]["cheapest"]["id"]
    told = client.post(f"/api/v1/offers/{offer}/estimate", json=run).json()
    assert told["calibration"] == body["calibration"]
    assert told["resilience"]["cases"]
    assert told["cost"]["total_usd"] == pytest.approx(body["choices"]["cheapest"]["total_usd"])


def test_rent_or_buy_answers_and_refuses_by_field(client: TestClient) -> None:
    body = get(client, "/api/v1/rent-or-buy?accelerator=h100-sxm5-80gb&utilisation=0.8")
    assert body["rents"][0]["expected"]["break_even_months"] > 0
    assert {item["name"] for item in body["assumed"]} >= {"purchase_usd", "pue", "residual"}
    for query, field in (
        ("accelerator=x", "accelerator"),
        ("accelerator=h100-sxm5-80gb&purchase_usd=-1", "purchase_usd"),
    ):
        answer = client.get(f"/api/v1/rent-or-buy?{query}")
        assert answer.status_code == 422
        assert answer.json()["error"]["field"] == field


def test_a_trial_is_diagnosed_and_refused_by_field(client: TestClient) -> None:
    run = {"model": "llama-3.1-8b", "measured_on": "h100-sxm5-80gb x8", "measured_tokens_per_s": 60000}
    body = client.post("/api/v1/trial", json={"run": run, "nvidia_smi": SMI}).json()
    assert body["diagnosis"]["bound"] == "compute"
    assert body["run"]["measured_peak_gib"] == 71.0
    assert body["correction"]["speed"] == pytest.approx(60000 / body["predicted_tokens_per_s"])
    for given, field in (
        ({"bogus": 1}, "bogus"),
        ({"busy_percent": 900}, "busy_percent"),
        ({"run": 3}, "run"),
    ):
        answer = client.post("/api/v1/trial", json=given)
        assert answer.status_code == 422
        assert answer.json()["error"]["field"] == field
