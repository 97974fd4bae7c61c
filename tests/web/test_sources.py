"""Pages of providers and of status."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from app.domain.errors import MissingKey, SwitchedOff
from app.domain.offer import Reject
from app.market.ingest import record_failure, record_skip
from app.providers import discover
from tests.scraped import NOON, many, scraped, take_in
from tests.web.site import make_app, make_market

CARDS = {slug: source.card for slug, source in discover().items()}


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> TestClient:
    folder: Path = tmp_path_factory.mktemp("sources")
    market = make_market(folder)
    record_skip(market.engine, CARDS["mithril"], str(MissingKey("MITHRIL_API_KEY")))
    record_skip(market.engine, CARDS["clore"], str(SwitchedOff()))
    record_failure(market.engine, CARDS["gcore"], "gcore.com: answered 503", started_at=NOON, now=NOON)
    refused = Reject(
        provider="nebius", reason="a pair of prices in another order", detail="B200 <i>7</i>", raw="{}"
    )
    nebius = scraped(provider="nebius", instance_type="gpu-h100-sxm", region="eu-north1")
    take_in(market.engine, nebius, card=CARDS["nebius"], rejects=(refused,), ignored={"no price": 2})
    take_in(market.engine, *many(10, provider="verda"), card=CARDS["verda"])
    take_in(market.engine, *many(2, provider="verda"), card=CARDS["verda"], hours=1)
    read = scraped(provider="coreweave", region="global", observed_at=NOON - timedelta(days=70))
    take_in(market.engine, read, card=CARDS["hand_kept"])
    market.refresh_board()
    return TestClient(make_app(market))


def test_every_provider_with_a_source_is_listed_with_what_it_waits_for(client: TestClient) -> None:
    html = client.get("/providers").text
    for card in CARDS.values():
        if card.covers == (card.slug,):
            assert f'href="/providers/{card.slug}"' in html, card.slug
    silent = html.partition("Without offers today")[2]
    assert "MITHRIL_API_KEY" in silent and 'href="/providers/gcore"' in silent
    assert 'href="/providers/lambda"' not in silent


def test_a_provider_shows_terms_coverage_sources_and_runs(client: TestClient) -> None:
    html = client.get("/providers/nebius").text
    for words in ("Billed in steps of", "60 s", "volumes are kept", "as of 2026-08", "Clusters and fabric"):
        assert words in html, words
    assert "eu-north1" in html and "provider&#39;s page" in html
    assert "a pair of prices in another order" in html and "B200 &lt;i&gt;7" in html
    assert 'title="no price: 2"' in html


def test_a_source_without_its_key_says_which_and_is_no_failure(client: TestClient) -> None:
    for path in ("/status", "/providers/mithril"):
        assert "waits for MITHRIL_API_KEY" in client.get(path).text, path


def test_a_source_that_is_switched_off_says_so(client: TestClient) -> None:
    for path in ("/status", "/providers/clore"):
        assert "switched off" in client.get(path).text, path


def test_a_failing_source_comes_first_and_says_why(client: TestClient) -> None:
    rows = client.get("/status").text.partition("<tbody>")[2].split("<tr>")[1:]
    assert {"Gcore", "Verda"} == {name for name in ("Gcore", "Verda") if any(name in row for row in rows[:2])}
    assert "gcore.com: answered 503" in "".join(rows[:2])


def test_rows_that_were_read_long_ago_are_ageing_however_lately_they_were_loaded(client: TestClient) -> None:
    rows = client.get("/status").text.partition("<tbody>")[2].split("<tr>")[1:]
    by_hand = next(row for row in rows if "Price pages, read by hand" in row)
    assert 'badge tight">ageing' in by_hand
    assert "70 d ago" in by_hand and "0 min ago" in by_hand
    assert 'badge fits">fresh' in next(row for row in rows if "Lambda" in row)
    assert 'badge tight">ageing' in client.get("/providers/coreweave").text


def test_a_held_batch_is_shown_with_its_difference_and_how_to_release_it(client: TestClient) -> None:
    for path in ("/status", "/providers/verda"):
        html = client.get(path).text
        assert "rackrate providers release verda" in html, path
        assert "8 gone" in html, path


def test_every_source_is_on_the_status_page(client: TestClient) -> None:
    html = client.get("/status").text
    assert [card.slug for card in CARDS.values() if card.name not in html] == []


@pytest.mark.parametrize(
    ("path", "first", "told_already"),
    [
        (
            "/accelerators/h100-sxm5-80gb",
            "Provider",
            {"Accelerator", "Purchase", "Memory", "Bandwidth", "Term"},
        ),
        ("/providers/lambda", "Accelerator", {"Provider", "Source"}),
    ],
)
def test_short_tables_of_offers_do_not_repeat_what_the_page_is_about(
    client: TestClient, path: str, first: str, told_already: set[str]
) -> None:
    tables = re.findall(r'<table class="offers">.*?</table>', client.get(path).text, re.DOTALL)
    offers = [table for table in tables if 'href="/offers/' in table]
    assert offers
    for table in offers:
        heads = re.findall(r'<th scope="col"[^>]*>([^<]+)', table)
        assert heads[0] == first
        assert not told_already & set(heads)
