"""Offers side by side, and what the answer says beside its tiers, as JSON."""

from __future__ import annotations

from fastapi.testclient import TestClient

from app.market.service import Market


def test_offers_are_compared_with_their_terms_prices_and_the_run(client: TestClient, market: Market) -> None:
    ids = [record.id for record in market.board.records if record.accelerator == "h100-sxm5-80gb"][:2]
    query = f"offer={ids[0]}&offer={ids[1]}&offer=0000000000000000"
    body = client.get(f"/api/v1/compare?{query}&model=llama-3.1-8b&method=qlora").json()
    assert [item["id"] for item in body["offers"]] == ids
    assert body["missing"] == ["0000000000000000"]
    for item in body["offers"]:
        assert item["withdrawn_at"] is None
        assert item["history"]
        assert item["memory"]["high"] > 0
        assert item["terms"]["provider"] == item["provider"]
    for group in body["groups"]:
        for line in group["lines"]:
            assert len(line["values"]) == 2
            assert line["differs"] == (line["values"][0] != line["values"][1])


def test_seven_offers_or_a_filter_are_refused_by_name(client: TestClient) -> None:
    seven = client.get("/api/v1/compare?" + "&".join(f"offer={n:016x}" for n in range(7)))
    assert (seven.status_code, seven.json()["error"]["field"]) == (422, "offer")
    wrong = client.get("/api/v1/compare?provider=aws")
    assert (wrong.status_code, wrong.json()["error"]["field"]) == (422, "provider")


def test_an_estimate_tells_classes_of_cards_and_how_far_the_run_reaches(client: TestClient) -> None:
    body = client.post("/api/v1/estimates", json={"model": "qwen2.5-14b", "method": "lora"}).json()
    assert {item["name"] for item in body["classes"]} <= {"consumer", "workstation", "datacenter"}
    reach = body["reach"]
    assert reach["holds"]
    assert reach["memory"]["high"] <= reach["usable_gib"]
    assert reach["growth"][0]["largest_micro_batch"] >= 1


def test_true_is_no_number_of_tokens(client: TestClient) -> None:
    told = client.post("/api/v1/estimates", json={"model": "gpt2", "tokens": True})
    assert (told.status_code, told.json()["error"]["field"]) == (422, "tokens")
