"""The market page, and histories on the pages of offers, accelerators, providers and models."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine

from app.catalog import load_catalog
from app.db.engine import make_engine
from app.db.migrate import upgrade
from app.market.history import record_day
from app.market.service import Market
from tests.scraped import MARKET, NOON, scraped, take_in
from tests.web.site import make_app, offers

H100 = "/accelerators/h100-sxm5-80gb"


@pytest.fixture(scope="session")
def past(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Market]:
    """A market with ten recorded days, at the end of which prices moved."""
    engine = make_engine(f"sqlite:///{tmp_path_factory.mktemp('past') / 'past.sqlite3'}")
    upgrade(engine)
    listed = [offer for offer in offers() if offer.provider == "lambda"]
    for day in range(9, 0, -1):
        take_in(engine, *listed, hours=-24 * day)
        take_in(engine, scraped("20", provider="vast"), card=MARKET, hours=-24 * day)
        record_day(engine, NOON - timedelta(days=day, hours=-1))
    take_in(engine, *listed)
    take_in(engine, scraped("18", provider="vast"), card=MARKET)
    record_day(engine, NOON)
    yield Market.open(load_catalog(), engine, lambda: NOON)
    engine.dispose()


@pytest.fixture(scope="session")
def told(past: Market) -> TestClient:
    return TestClient(make_app(past), follow_redirects=False)


def test_the_market_page_shows_levels_index_movers_and_discounts(told: TestClient) -> None:
    page = told.get("/market").text
    assert 'class="plot prices"' in page
    assert "NVIDIA H100 SXM5 80GB" in page
    assert re.search(r'<td class="num key">94\.9</td><td class="num">-5\.1 %</td>', page)
    assert re.search(r'<td class="num key">-10\.0 %</td><td class="num">2\.500</td>', page)
    assert re.search(r'<td class="num">50 %</td><td class="num">\d+</td>', page), "spot at half the price"


def test_its_headings_sort_and_its_figures_lead_into_the_table(told: TestClient) -> None:
    page = told.get("/market?sort=low&order=desc").text
    assert 'aria-sort="descending"><a href="/market?sort=low#now"' in page
    prices = [float(price) for price in re.findall(r'num key"><a href="/offers/\w+">([\d.]+)', page)]
    assert prices == sorted(prices, reverse=True)
    assert len(prices) >= 3
    links = re.findall(r'href="(/\?accelerator=[^"]+)"', page)
    assert links
    for link in links:
        answer = told.get(link.replace("&amp;", "&"))
        assert answer.status_code == 200
        assert "<tbody>" in answer.text


def test_its_parameters_are_checked_by_name(told: TestClient) -> None:
    for query, field in (("days=7", "days"), ("purchase_option=gift", "purchase_option"), ("hue=1", "hue")):
        answer = told.get(f"/market?{query}")
        assert answer.status_code == 422
        assert field in answer.text
    assert told.get(f"{H100}?days=7").status_code == 422
    assert told.get(f"{H100}?hue=7").status_code == 422


def test_an_empty_market_says_where_to_go(told: TestClient, sqlite_engine: Engine) -> None:
    assert "No price to show" in told.get("/market?purchase_option=block").text
    client = TestClient(make_app(Market.open(load_catalog(), sqlite_engine, lambda: NOON)))
    page = client.get("/market")
    assert page.status_code == 200
    assert 'href="/status"' in page.text


def test_one_recorded_day_says_when_history_starts(client: TestClient, market: Market) -> None:
    record = next(r for r in market.board.records if r.instance_type == "gpu_8x_h100_sxm5")
    page = client.get(f"/offers/{record.id}").text
    assert "The history starts on 2026-11-30" in page
    assert "plot prices" not in page
    assert "Nothing is recorded yet" in client.get(H100).text


def test_an_offers_history_ends_when_the_price_was_last_confirmed(told: TestClient, past: Market) -> None:
    record = next(r for r in past.board.records if r.provider == "vast")
    page = told.get(f"/offers/{record.id}").text
    section = page[page.index('id="history"') :]
    assert 'class="plot prices"' in section
    assert "2 prices so far" in section
    assert section.index("18.000") < section.index("20.000"), "the newest first"


def test_an_accelerator_shows_days_spread_and_alternatives(told: TestClient) -> None:
    page = told.get(f"{H100}?days=30").text
    assert 'href="?days=30#history" aria-current="true"' in page
    assert page.count("<h2>Cheapest, ") == 2
    assert 'id="providers"' in page
    assert "2026-11-21" in page
    alike = told.get("/accelerators/a100-sxm4-80gb").text
    assert re.search(r'id="alternatives".*NVIDIA H100 SXM5 80GB', alike, re.DOTALL)


def test_a_provider_shows_its_lows_by_day(told: TestClient) -> None:
    page = told.get("/providers/lambda").text
    section = page[page.index('id="history"') :]
    assert 'class="plot prices"' in section
    assert "2.990" in section


def test_a_model_shows_the_cheapest_machines_that_hold_it_with_their_plan(told: TestClient) -> None:
    page = told.get("/models/llama-3.1-8b").text
    full = page[page.index('id="full"') :]
    assert re.search(r'href="/offers/\w+\?model=llama-3.1-8b"><bdi>8× ', full)
    assert "micro-batch" in full
    assert 'class="plot prices"' in full
    assert told.get("/models/llama-3.1-405b").status_code == 200
