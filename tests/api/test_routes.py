"""REST API: rows, errors, caching, and one question for page, CSV and API."""

from __future__ import annotations

import csv
import io
import re
from typing import Any

import pytest
from fastapi.testclient import TestClient

from app.market.columns import COLUMNS, OFFER_COLUMNS

RUN_8B = {"model": "llama-3.1-8b", "method": "full", "sequence_length": 4096}
AS_JSON = {"content-type": "application/json"}
PROMISED = {
    "id", "provider", "instance_type", "accelerator", "accelerator_count", "memory_gib_per_accelerator", "region",
    "country", "purchase_option", "price_usd_per_hour", "price_usd_per_accelerator_hour", "intra_node_link", "fabric",
    "observed_at", "source",
}  # fmt: skip
PROMISED_WITH_A_RUN = {"verdict", "why", "plan", "headroom_gib", "tokens_per_s", "hours", "total_usd"}
QUESTIONS = [
    "",
    "provider=aws&provider=gcp&sort=price_usd_per_accelerator_hour",
    "accelerator=h100&accelerator_count=8&order=desc",
    "memory_gib_min=80&price_max=30&purchase_option=on_demand",
    "q=8xA100+us&sort=region",
    "continent=Europe&intra_node_link=nvlink",
    "fabric_gbps_min=400&sort=fabric_gbps&order=desc",
    "model=llama-3.1-8b&method=qlora&accelerator_count=1",
    "model=llama-3.1-70b&method=full&show_hidden=1&per_page=50",
    "country=US,DE&sort=ram_gib&page=2&per_page=40",
]


def get(client: TestClient, path: str) -> Any:
    answer = client.get(path)
    assert answer.status_code == 200, answer.text
    return answer.json()


def error_of(answer: Any) -> dict[str, Any]:
    body = answer.json()
    assert set(body) == {"error"}
    assert set(body["error"]) == {"code", "field", "message"}
    return dict(body["error"])


def test_an_item_has_every_promised_field(client: TestClient) -> None:
    body = get(client, "/api/v1/offers?per_page=5")
    assert {"items", "total", "as_of", "next"} <= set(body)
    for item in body["items"]:
        assert set(item) == {column.name for column in OFFER_COLUMNS}
        assert set(item) >= PROMISED


def test_a_run_adds_its_fields_and_hides_what_cannot_hold_it(client: TestClient) -> None:
    body = get(client, "/api/v1/offers?model=llama-3.1-8b&per_page=50")
    for item in body["items"]:
        assert set(item) >= PROMISED | PROMISED_WITH_A_RUN
        assert item["verdict"] == "fits"
    assert body["hidden"]["memory"] > 0
    totals = [item["total_usd"] for item in body["items"]]
    assert totals == sorted(totals)


@pytest.mark.parametrize("question", QUESTIONS)
def test_page_csv_and_api_give_the_same_offers_in_the_same_order(client: TestClient, question: str) -> None:
    items = [item["id"] for item in get(client, f"/api/v1/offers?{question}")["items"]]
    table = csv.DictReader(io.StringIO(client.get(f"/api/v1/offers.csv?{question}").text))
    page = client.get(f"/?{question}").text
    shown = list(dict.fromkeys(re.findall(r'href="/offers/([0-9a-f]{16})', page)))
    assert items
    assert [row["id"] for row in table] == items
    assert shown == items


def test_every_page_is_reached_by_next_and_no_offer_comes_twice(client: TestClient) -> None:
    path: str | None = "/api/v1/offers?accelerator=h100&per_page=200&sort=country"
    ids: list[str] = []
    while path:
        body = get(client, path)
        ids += [item["id"] for item in body["items"]]
        path = body["next"]
    assert len(ids) == len(set(ids)) == body["total"] > 200


def test_unknown_values_come_last_in_both_directions(client: TestClient) -> None:
    for order in ("asc", "desc"):
        body = get(client, f"/api/v1/offers?sort=fabric_gbps&order={order}&per_page=5000&columns=fabric_gbps")
        rates = [item["fabric_gbps"] for item in body["items"]]
        known = [rate for rate in rates if rate is not None]
        assert known == sorted(known, reverse=order == "desc")
        assert rates[: len(known)] == known


def test_chosen_columns_are_what_comes_back_with_the_id(client: TestClient) -> None:
    body = get(client, "/api/v1/offers?columns=region,price&per_page=1")
    assert list(body["items"][0]) == ["id", "region", "price_usd_per_hour"]


@pytest.mark.parametrize(
    "question, code, field",
    [
        ("colour=red", "unknown_parameter", "colour"),
        ("sort=colour", "unknown_parameter", "sort"),
        ("columns=colour", "unknown_parameter", "columns"),
        ("price_max=cheap", "bad_input", "price_max"),
        ("per_page=all", "bad_input", "per_page"),
        ("model=no-such-model", "bad_input", "model"),
        ("model=llama-3.1-8b&tensor_parallel=0", "bad_input", "tensor_parallel"),
    ],
)
def test_a_question_that_makes_no_sense_is_answered_in_one_shape(
    client: TestClient, question: str, code: str, field: str
) -> None:
    answer = client.get(f"/api/v1/offers?{question}")
    assert answer.status_code == 422
    error = error_of(answer)
    assert (error["code"], error["field"]) == (code, field)


@pytest.mark.parametrize(
    "path", ["models", "accelerators", "providers", "columns", "status", "health", "offers/0"]
)
def test_no_route_swallows_a_parameter_it_does_not_have(client: TestClient, path: str) -> None:
    error = error_of(client.get(f"/api/v1/{path}?colour=red"))
    assert (error["code"], error["field"]) == ("unknown_parameter", "colour")


def test_every_kind_of_failure_has_the_one_shape(client: TestClient) -> None:
    assert error_of(client.get("/api/v1/nothing"))["code"] == "not_found"
    assert error_of(client.get("/api/v1/offers/ffffffffffffffff"))["field"] == "offer"
    assert error_of(client.delete("/api/v1/offers"))["code"] == "method_not_allowed"
    for body in (b"{", b"[]", b"7", b"\xff", b"[" * 20_000, b'{"tokens": ' + b"9" * 5_000 + b"}"):
        assert error_of(client.post("/api/v1/estimates", content=body, headers=AS_JSON))["code"] == "bad_json"
    assert error_of(client.post("/api/v1/estimates", json={"colour": 1}))["code"] == "unknown_parameter"
    assert (
        error_of(client.post("/api/v1/estimates", json={"model": "x", "lora_rank": 0}))["field"]
        == "lora_rank"
    )
    assert error_of(client.post("/api/v1/estimates", json={}))["field"] == "model"
    assert error_of(client.post("/api/v1/estimates", content=b"x" * 300_000))["code"] == "too_large"
    assert "missing" in error_of(client.post("/api/v1/estimates"))["message"]
    plain = client.post(
        "/api/v1/estimates", content=b'{"model": "x"}', headers={"content-type": "text/plain"}
    )
    assert "content type" in error_of(plain)["message"]


@pytest.mark.parametrize("config", [[], "text", 7])
def test_a_part_of_the_body_that_is_no_object_is_named(client: TestClient, config: object) -> None:
    error = error_of(client.post("/api/v1/estimates", json={"config": config}))
    assert (error["code"], error["field"]) == ("bad_input", "config")


def test_an_empty_config_is_refused_and_shows_nothing(client: TestClient) -> None:
    answer = client.get("/api/v1/offers", params={"config": "{}"})
    assert (answer.status_code, error_of(answer)["field"]) == (422, "config")


def test_every_example_of_the_description_is_answered(client: TestClient) -> None:
    described = get(client, "/openapi.json")["paths"]
    examples = 0
    for path, methods in described.items():
        for what in methods.get("post", {}).get("requestBody", {}).get("content", {}).values():
            for example in what["examples"].values():
                offer = get(client, "/api/v1/offers?per_page=1")["items"][0]["id"]
                answer = client.post(path.format(offer_id=offer), json=example["value"])
                assert answer.status_code == 200, answer.text
                examples += 1
    parameters = described["/api/v1/offers"]["get"]["parameters"]
    asked = {item["name"]: item["example"] for item in parameters if "example" in item}
    assert client.get("/api/v1/offers", params=asked).status_code == 200
    assert examples >= 5 and len(asked) > 10


def test_one_offer_comes_with_its_prices_over_time(client: TestClient) -> None:
    first = get(client, "/api/v1/offers?provider=aws&per_page=1")["items"][0]
    body = get(client, f"/api/v1/offers/{first['id']}")
    assert body["offer"] == first
    assert body["history"][-1]["price_usd_per_hour"] == pytest.approx(first["price_usd_per_hour"])


def test_a_run_is_answered_hardware_by_hardware(client: TestClient) -> None:
    body = client.post("/api/v1/estimates", json=RUN_8B).json()
    assert body["enough"] in ("single", "node")
    held = [answer for answer in body["hardware"] if answer["offer"]]
    totals = [answer["cost"]["total_usd"] for answer in held]
    assert totals == sorted(totals)
    assert ("h100-sxm5-80gb", 8) in {(answer["accelerator"], answer["accelerator_count"]) for answer in held}
    cost = held[0]["cost"]
    parts = ("compute_usd", "storage_usd", "egress_usd", "idle_usd", "interruption_usd")
    assert sum(cost[part] for part in parts) == pytest.approx(cost["total_usd"])
    listed = get(client, f"/api/v1/offers?model=llama-3.1-8b&id={held[0]['offer']}")["items"][0]
    assert listed["total_usd"] == pytest.approx(cost["total_usd"])


@pytest.mark.parametrize("limit", [{"budget_usd": 0.01}, {"deadline_hours": 0.01}])
def test_the_sentence_of_an_answer_never_contradicts_its_verdict(
    client: TestClient, limit: dict[str, float]
) -> None:
    body = client.post("/api/v1/estimates", json=RUN_8B | limit).json()
    assert (body["holds"], body["verdict"]) == (False, "does_not_fit")
    assert body["enough"] and "within this run's limits" in body["why"]


def test_the_answer_says_which_length_it_took_for_a_run_without_one(client: TestClient) -> None:
    asked = {"model": "vit-b-16", "samples": 1000}
    assert client.post("/api/v1/estimates", json=asked).json()["run"] == {**asked, "sequence_length": 197}


def test_a_run_on_one_offer_keeps_every_term(client: TestClient) -> None:
    query = "model=llama-3.1-8b&accelerator=h100-sxm5-80gb&accelerator_count=8&per_page=1"
    offer = get(client, f"/api/v1/offers?{query}")["items"][0]["id"]
    body = client.post(f"/api/v1/offers/{offer}/estimate", json=RUN_8B).json()
    assert body["verdict"] == "fits"
    memory = body["memory"]
    assert {"weights", "gradients", "optimizer_states", "activations", "peak_reserved", "low", "high"} <= set(
        memory
    )
    assert memory["terms"] and body["time"]["terms"] and body["cost"]["terms"]
    assert all(term["formula"] for term in memory["terms"])


def test_reference_data_is_complete(client: TestClient) -> None:
    assert len(get(client, "/api/v1/accelerators")) > 100
    assert len(get(client, "/api/v1/models")) > 150
    assert {model["key"] for model in get(client, "/api/v1/models?q=llama+3.1+8b")} >= {"llama-3.1-8b"}
    assert "aws" in {provider["slug"] for provider in get(client, "/api/v1/providers")}
    assert [column["name"] for column in get(client, "/api/v1/columns")] == [
        column.name for column in COLUMNS
    ]
    assert get(client, "/api/v1/health")["status"] == "ok"
    assert {"snapshot", "vast"} & {source["slug"] for source in get(client, "/api/v1/status")["sources"]}


def test_an_unchanged_board_answers_not_modified(client: TestClient) -> None:
    first = client.get("/api/v1/offers")
    again = client.get("/api/v1/offers", headers={"if-none-match": first.headers["etag"]})
    assert again.status_code == 304
    assert not again.content
    assert "etag" not in client.get("/api/v1/offers?max_age_days=400").headers


def test_a_bad_run_is_an_error_in_the_export_too_before_any_row(client: TestClient) -> None:
    for path in ("/api/v1/offers", "/api/v1/offers.csv"):
        answer = client.get(path, params={"model": "no-such-model"})
        assert (answer.status_code, answer.json()["error"]["field"]) == (422, "model")


def test_accept_csv_gives_csv(client: TestClient) -> None:
    answer = client.get("/api/v1/offers?per_page=2", headers={"accept": "text/csv"})
    assert answer.headers["content-type"].startswith("text/csv")
    assert len(answer.text.splitlines()) == 3


def test_the_description_knows_every_column_and_parameter(client: TestClient) -> None:
    described = get(client, "/openapi.json")
    listed = {p["name"] for p in described["paths"]["/api/v1/offers"]["get"]["parameters"]}
    assert {"provider", "price_max", "q", "sort", "model", "sequence_length", "show_hidden"} <= listed
    assert set(described["components"]["schemas"]["OfferItem"]["properties"]) == {c.name for c in COLUMNS}
