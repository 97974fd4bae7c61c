"""Collected cases that table, page and API must answer; ids are those of the list."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from app.catalog import load_catalog
from app.db.engine import make_engine
from app.db.migrate import upgrade
from app.domain.errors import BadInput
from app.main import create_app
from app.market.filters import PARAMETERS
from app.market.ingest import record_failure
from app.market.query import OfferQuery
from app.market.service import Market
from app.settings import Settings
from tests.market.samples import ask, market_of, numbers, offer
from tests.scraped import LIST, NOON, scraped, take_in

LATER = NOON + timedelta(hours=30)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> TestClient:
    """A spot and an on-demand offer, last confirmed 30 hours ago; the attempt since then failed."""
    folder: Path = tmp_path_factory.mktemp("behaviour")
    engine = make_engine(f"sqlite:///{folder / 'behaviour.sqlite3'}")
    upgrade(engine)
    common = {
        "provider": "aws",
        "instance_type": "c5d.2xlarge",
        "accelerator_name": "NVIDIA L4",
        "accelerator_count": 1.0,
    }
    take_in(
        engine, scraped("0.384", **common), scraped("0.2377", purchase_option="spot", **common), card=LIST
    )
    record_failure(engine, LIST, "no answer", started_at=LATER, now=LATER)
    market = Market.open(load_catalog(), engine, lambda: LATER)
    return TestClient(create_app(market, Settings(refresh=False)))


def test_f11_detail_and_list_say_the_same_age_of_a_stale_offer(client: TestClient) -> None:
    listed = {item["id"]: item["observed_at"] for item in client.get("/api/v1/offers").json()["items"]}
    assert listed
    for id_, observed_at in listed.items():
        assert client.get(f"/api/v1/offers/{id_}").json()["offer"]["observed_at"] == observed_at
        shown = f'<time datetime="{observed_at[:16]}Z">'
        assert shown in client.get(f"/offers/{id_}").text
        assert shown in client.get("/").text


def test_p30_detail_and_list_read_one_spot_price(client: TestClient) -> None:
    (item,) = client.get("/api/v1/offers?purchase_option=spot").json()["items"]
    assert item["price_usd_per_hour"] == 0.2377
    assert client.get(f"/api/v1/offers/{item['id']}").json()["offer"]["price_usd_per_hour"] == 0.2377
    for path in ("/?purchase_option=spot", f"/offers/{item['id']}"):
        assert "0.238" in client.get(path).text, path


def test_p27_sorting_spot_by_price_brings_the_cheaper_region_first() -> None:
    common = {
        "provider": "gcp",
        "accelerator": "v100-sxm2-16gb",
        "accelerator_count": 1,
        "purchase_option": "spot",
    }
    market = market_of(
        offer(1, region="us-central1", price_usd_per_hour=1.037, **common),
        offer(2, region="asia-east1", price_usd_per_hour=0.811, **common),
        offer(3, region="asia-east1", price_usd_per_hour=2.48, **{**common, "purchase_option": "on_demand"}),
    )
    query = "purchase_option=spot&sort=price_usd_per_hour"
    assert numbers(ask(market, query)) == [2, 1]
    assert numbers(ask(market, f"{query}&order=desc")) == [1, 2]


def test_p06_an_unknown_price_comes_after_every_priced_row_both_ways() -> None:
    market = market_of(
        offer(1, price_usd_per_hour=None), offer(2, price_usd_per_hour=98.3), offer(3, price_usd_per_hour=6.9)
    )
    assert numbers(ask(market, "sort=price_usd_per_hour")) == [3, 2, 1]
    assert numbers(ask(market, "sort=price_usd_per_hour&order=desc")) == [2, 3, 1]


def test_u05_the_address_alone_decides_whatever_was_asked_before(client: TestClient) -> None:
    client.get("/?region=nowhere&price_max=0.01&sort=region")
    client.cookies.set("filters", "region=nowhere")
    region = client.get("/api/v1/offers").json()["items"][0]["region"]
    asked = f"/?region={region}"
    assert client.get(asked).text == TestClient(client.app).get(asked).text
    assert client.get(f"/api/v1{asked.replace('/?', '/offers?')}").json()["total"] == 2


def test_u06_a_link_names_its_columns_and_survives_new_ones(client: TestClient) -> None:
    """Behaviour U06: parameters are names, never positions, so a column more or less changes no old link."""
    old = "provider=aws&columns=price_usd_per_hour,provider&sort=price_usd_per_hour&price_max=5"
    assert (
        OfferQuery.parse(old).to_query_string()
        == OfferQuery.parse(OfferQuery.parse(old).to_query_string()).to_query_string()
    )
    answer = client.get(f"/api/v1/offers?{old}").json()
    assert [set(item) for item in answer["items"]] == [{"id", "price_usd_per_hour", "provider"}] * 2
    assert all(not name.isdigit() for name in PARAMETERS)


@pytest.mark.parametrize("wrong", ["many", "..", "4;DROP", "=4x"])
def test_u15_what_is_no_filter_is_an_error_and_never_everything(client: TestClient, wrong: str) -> None:
    with pytest.raises(BadInput) as refused:
        OfferQuery.parse({"accelerator_count": [wrong]})
    assert refused.value.field == "accelerator_count"
    for path in ("/", "/api/v1/offers"):
        answer = client.get(path, params={"accelerator_count": wrong})
        assert answer.status_code == 422, (path, wrong)
        assert "accelerator_count" in answer.text


def test_u07_there_are_no_machines_without_an_accelerator_to_include() -> None:
    """Behaviour U07 [our rule]: only accelerated machines are offered, so a minimum of 0 asks for nothing more, and
    0 to 0 is an honest empty answer."""
    market = market_of(offer(1), offer(2, accelerator_count=0.125))
    assert numbers(ask(market, "accelerator_count_min=0")) == [1, 2]
    assert numbers(ask(market, "accelerator_count_min=0&accelerator_count_max=0")) == []
