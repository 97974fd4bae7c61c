"""A question followed by a feed reader: every moved price is news, and nothing else is."""

from __future__ import annotations

import html
import re
from datetime import timedelta
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest
from fastapi.testclient import TestClient
from msgspec.structs import replace

from app.domain.offer import ScrapedOffer
from app.market.service import Market
from tests.scraped import NOON, take_in
from tests.web.site import make_app, make_market, offers

NS = {"a": "http://www.w3.org/2005/Atom"}
RUN = "model=llama-3.1-8b&method=qlora"


def entries(client: TestClient, ask: str) -> list[dict[str, str]]:
    answer = client.get(f"/offers.atom?{ask}")
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/atom+xml"
    feed = Xml.fromstring(answer.content)
    return [
        {part.tag.rpartition("}")[2]: part.text or "" for part in one} for one in feed.findall("a:entry", NS)
    ]


def test_it_holds_the_first_offers_of_the_table_in_its_order(client: TestClient) -> None:
    ask = "accelerator=h100-sxm5-80gb&sort=price_usd_per_hour"
    rows = client.get(f"/api/v1/offers?{ask}&per_page=20").json()["items"]
    told = entries(client, ask)
    assert [one["id"].split(":")[2] for one in told] == [row["id"] for row in rows] != []
    priced = [row["price_usd_per_hour"] for row in rows]
    for one, price in zip(told, priced, strict=True):
        assert "H100" in one["title"]
        assert price is None or f"{price:.2f}" in one["title"]


def test_it_says_what_the_run_costs_when_there_is_one(client: TestClient) -> None:
    assert all("Total cost (USD): " in one["title"] for one in entries(client, f"{RUN}&tokens=5e7"))


def test_it_is_complete_as_atom_asks(client: TestClient) -> None:
    feed = Xml.fromstring(client.get(f"/offers.atom?{RUN}").content)
    assert all(feed.findtext(f"a:{name}", namespaces=NS) for name in ("id", "title", "updated"))
    assert feed.findtext("a:author/a:name", namespaces=NS)
    for one in feed.findall("a:entry", NS):
        assert all(one.findtext(f"a:{name}", namespaces=NS) for name in ("id", "title", "updated", "content"))
        link = one.find("a:link", NS)
        assert link is not None
        assert client.get(link.attrib["href"].removeprefix("http://testserver")).status_code == 200


def test_only_a_moved_price_is_news(tmp_path: Path) -> None:
    market = make_market(tmp_path)
    ask = "provider=lambda&purchase_option=on_demand"
    before = entries(TestClient(make_app(market)), ask)
    take_in(market.engine, *(cheaper(one) for one in offers() if one.provider == "lambda"), hours=3)
    later = Market.open(market.catalog, market.engine, lambda: NOON + timedelta(hours=3))
    after = entries(TestClient(make_app(later)), ask)
    news = {one["id"]: one["title"] for one in after} | {one["id"]: "" for one in before}
    told = [title for title in news.values() if title]
    assert len(told) == 2
    assert all("Price (USD/h): 2.96" in title for title in told)


def cheaper(offer: ScrapedOffer) -> ScrapedOffer:
    """One instance type a tenth cheaper, the others as they were."""
    moved = offer.instance_type == "gpu_1x_h100_sxm5" and offer.price_per_hour
    return replace(offer, price_per_hour=moved * 9 / 10) if moved else offer


@pytest.mark.parametrize("ask", ["hue=7", "price_max=cheap", "model=nix"])
def test_a_question_that_cannot_be_answered_is_refused(client: TestClient, ask: str) -> None:
    assert client.get(f"/offers.atom?{ask}").status_code in (404, 422)


def test_the_page_of_a_question_names_its_feed(client: TestClient) -> None:
    page = client.get(f"/?{RUN}&lang=ar").text
    found = re.search(r'<link rel="alternate" type="application/atom\+xml" href="([^"]+)"', page)
    assert found
    assert html.unescape(found[1]) == f"/offers.atom?{RUN}&lang=ar"


def test_it_speaks_the_language_and_the_currency_of_its_address(client: TestClient) -> None:
    feed = client.get("/offers.atom?lang=az&provider=lambda").content.decode()
    assert 'xml:lang="az"' in feed
    assert "Qiymət" in feed
