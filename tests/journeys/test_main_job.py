"""The main job on the bundled prices: what can I rent to train this model, and what does it cost in all?

The facts that issue 2 asks to be shown, over the seeded snapshot, as page, CSV and API get them.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from fastapi.testclient import TestClient

from app.catalog import load_catalog
from app.db.engine import make_engine
from app.db.migrate import upgrade
from app.main import create_app
from app.market.ingest import seed
from app.market.offers import OfferPage, OfferRow
from app.market.query import OfferQuery
from app.market.service import Market
from app.settings import Settings

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
FULL_8B = "model=llama-3.1-8b&method=full&sequence_length=4096&max_nodes=1"
QLORA_8B = "model=llama-3.1-8b&method=qlora"
FULL_70B = "model=llama-3.1-70b&method=full&max_nodes=1"


@pytest.fixture(scope="module")
def market(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Market]:
    engine = make_engine(f"sqlite:///{tmp_path_factory.mktemp('seeded') / 'rackrate.db'}")
    upgrade(engine)
    catalog = load_catalog()
    seed(engine, catalog, NOW)
    yield Market.open(catalog, engine, lambda: NOW)
    engine.dispose()


def page(market: Market, text: str) -> OfferPage:
    """The first page, with the rows of all."""
    first = market.list_offers(OfferQuery.parse(f"{text}&per_page=5000"))
    rows = [*first.rows]
    for number in range(2, first.pages + 1):
        rows += market.list_offers(first.query.with_(page=number)).rows
    assert first.total == len(rows)
    return replace(first, rows=tuple(rows))


def machines(found: OfferPage) -> set[tuple[float, str]]:
    return {(row.record.accelerator_count, row.record.accelerator or "") for row in found.rows}


def gigabytes(row: OfferRow) -> float:
    return row.record.memory_gib_per_accelerator or 0.0


def test_the_snapshot_is_thousands_of_real_offers(market: Market) -> None:
    assert page(market, "").total > 4000


def test_what_is_too_close_to_call_is_hidden_under_its_own_reason_and_can_be_brought_back(
    market: Market,
) -> None:
    assert page(market, FULL_8B).hidden["margin"] > 0
    found = page(market, FULL_8B + "&show_hidden=1&reason=margin")
    assert found.total == page(market, FULL_8B).hidden["margin"]
    for row in found.rows:
        assert row["verdict"] == "tight"
        assert row["headroom_gib"] < 0
        assert row["total_usd"] is None or row["total_usd"] > 0
        assert "try it before you rely on it" in str(row["why"])


def test_a_full_fine_tune_of_8b_shows_only_machines_that_hold_it(market: Market) -> None:
    found = page(market, FULL_8B)
    assert found.total > 100
    for row in found.rows:
        assert row["verdict"] == "fits"
        assert row["headroom_gib"] >= 0
        assert row["plan"]
        assert row["tokens_per_s"] > 0
        assert row["nodes"] == 1
        assert not (row.record.accelerator_count == 1 and gigabytes(row) < 90), row.record.instance_type
    shown = machines(found)
    assert (8, "h100-sxm5-80gb") in shown
    assert (8, "a100-sxm4-80gb") in shown


def test_the_cheapest_way_to_finish_comes_first_and_the_hidden_are_counted_by_reason(market: Market) -> None:
    found = page(market, FULL_8B)
    totals = [row["total_usd"] for row in found.rows]
    known = [total for total in totals if total is not None]
    assert known == sorted(known)
    assert totals[: len(known)] == known
    assert {"memory", "precision"} <= set(found.hidden)
    assert found.total + found.hidden_total == page(market, "").total
    everything = page(market, f"{FULL_8B}&show_hidden=1")
    assert everything.total == page(market, "").total
    grey = [row for row in everything.rows if row.hidden]
    assert len(grey) == found.hidden_total
    assert all(str(row.why) for row in grey)


def test_qlora_of_8b_shows_24_gb_cards(market: Market) -> None:
    shown = machines(page(market, QLORA_8B))
    assert {(1, "l4-24gb"), (1, "rtx-4090-24gb"), (1, "a10g-24gb")} <= shown


def test_a_70b_full_fine_tune_needs_eight_cards_of_180_gb_and_says_what_else_would_do(market: Market) -> None:
    found = page(market, FULL_70B)
    shown = machines(found)
    assert (8, "b200-sxm-180gb") in shown
    for row in found.rows:
        assert row.record.accelerator_count * gigabytes(row) > 8 * 170, row.record.instance_type
    query = OfferQuery.parse(FULL_70B)
    assert query.run is not None
    answer = market.answer(query.run)
    assert answer.enough == "node"
    names = {lever.name for lever in answer.levers if lever.fit != "does_not_fit"}
    assert {"max_nodes", "optimizer_8bit", "cpu_offload"} <= names
    eighty = next(r for r in page(market, "accelerator=h100-sxm5-80gb&accelerator_count=8").rows)
    told = market.explain(eighty.id, query.run)
    assert told.verdict == "does_not_fit"
    assert {"max_nodes", "cpu_offload"} <= {
        lever.name for lever in told.levers if lever.fit != "does_not_fit"
    }


QUERIES = (
    "",
    "provider=aws&sort=price_usd_per_hour&order=desc",
    "accelerator=h100&price_max=30",
    "accelerator_count=8&purchase_option=spot",
    "memory_gib_min=80&sort=memory_gib_per_accelerator",
    "q=a100",
    "fabric=efa&sort=fabric_gbps&order=desc",
    FULL_8B,
    f"{QLORA_8B}&sort=hours&accelerator_count=1",
    f"{FULL_70B}&show_hidden=1&sort=headroom_gib",
)


@pytest.fixture(scope="module")
def client(market: Market) -> Iterator[TestClient]:
    with TestClient(create_app(market, Settings(refresh=False))) as client:
        yield client


@pytest.mark.parametrize("text", QUERIES)
def test_page_csv_and_api_give_the_same_offers_in_the_same_order(client: TestClient, text: str) -> None:
    html = client.get(f"/?{text}&per_page=250").text
    shown = list(dict.fromkeys(re.findall(r'href="/offers/([0-9a-f]{16})', html)))
    answered = [item["id"] for item in client.get(f"/api/v1/offers?{text}&per_page=250").json()["items"]]
    exported = csv.DictReader(client.get(f"/api/v1/offers.csv?{text}&per_page=250").text.splitlines())
    assert shown == answered == [row["id"] for row in exported]
    assert len(shown) == len(set(shown)) > 0


def test_the_export_of_all_pages_is_every_page_in_order(market: Market) -> None:
    query = OfferQuery.parse(f"{FULL_8B}&per_page=500")
    ids: list[str] = []
    for number in range(1, market.list_offers(query).pages + 1):
        ids += [row.id for row in market.list_offers(query.with_(page=number)).rows]
    exported = csv.DictReader(
        "".join(market.export_csv(OfferQuery.parse(f"{FULL_8B}&per_page=all"))).splitlines()
    )
    assert [row["id"] for row in exported] == ids


def test_the_choices_are_found_in_the_table(market: Market) -> None:
    found = page(market, FULL_8B)
    picked = market.choices(OfferQuery.parse(FULL_8B))
    assert picked is not None
    assert picked.cheapest is not None
    records = market.board.records
    assert records[picked.cheapest].id == found.rows[0].id
    front = [next(row for row in found.rows if row.id == records[at].id) for at in picked.front]
    hours = [row["hours"] for row in front]
    assert hours == sorted(hours, reverse=True)
    assert hours[-1] == min(row["hours"] for row in found.rows if row["hours"] is not None)
    assert market.choices(OfferQuery.parse("provider=aws")) is None


def test_the_methods_page_shows_verdicts_constants_and_published_scores(client: TestClient) -> None:
    shown = client.get("/methods")
    assert shown.status_code == 200
    for words in (
        "plain_within",
        "gemm.hopper-sxm",
        "not enough accelerator memory",
        "throughput",
        "llm-analysis",
    ):
        assert words in shown.text, words
