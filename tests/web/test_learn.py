"""The lessons as pages: figures that the API gives for the same question, links that open, texts that can be translated."""

from __future__ import annotations

import html as markup
import re
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from app.market.lessons import LESSONS
from app.market.service import Market
from app.web.formatting import gib, integer, percent, usd
from app.web.learn import CHAPTERS, TOPICS, lesson_view
from app.web.learn_sources import SOURCES
from app.web.templating import CSP, environment
from tests.market.samples import market_of
from tests.web.site import make_app

TEMPLATES = sorted((Path(__file__).resolve().parents[2] / "templates" / "learn").glob("*.html"))
PATHS = ["/learn", *(topic.href for topic in TOPICS)]
COUNTED = re.compile(r'<a href="/\?([^"]*)">([\d,]+) offers?</a>')
MONEY = re.compile(r"[$€£]\s?\d|\d[\d.,]*\s?(?:USD|EUR|dollars?|euros?|cents?)\b|\bUSD\s?\d", re.IGNORECASE)
MOST_WORDS = 60
SLUGS = [topic.slug for topic in TOPICS]


def body_of(client: TestClient, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200, path
    return answer.text


def estimate(client: TestClient, **run: Any) -> dict[str, Any]:
    answer = client.post("/api/v1/estimates", json=run)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def messages() -> list[tuple[str, str]]:
    """Every text of the lessons that is translated: (file, text)."""
    found = []
    for path in TEMPLATES:
        for _, _, text in environment().extract_translations(path.read_text(encoding="utf-8")):  # type: ignore[attr-defined]
            found += [(path.name, one) for one in (text if isinstance(text, tuple) else (text,)) if one]
    return found


def test_there_is_a_page_for_every_lesson_of_the_market() -> None:
    assert set(SLUGS) == set(LESSONS)
    assert len(SLUGS) == len(set(SLUGS))
    assert {path.stem for path in TEMPLATES} == {*SLUGS, "base", "index", "_parts", "_why"}


def test_the_index_leads_to_every_lesson(client: TestClient) -> None:
    page = body_of(client, "/learn")
    for _, topics in CHAPTERS:
        for topic in topics:
            assert f'<a href="{topic.href}">{topic.title}</a>' in page


def test_the_navigation_and_the_footer_lead_to_the_lessons(client: TestClient) -> None:
    page = body_of(client, "/methods")
    assert page.count('href="/learn"') >= 2


@pytest.mark.parametrize("slug", SLUGS)
def test_counts_are_those_that_the_api_gives_for_the_same_question(client: TestClient, slug: str) -> None:
    for query, count in COUNTED.findall(body_of(client, f"/learn/{slug}")):
        address = f"/api/v1/offers?{markup.unescape(query)}"
        assert client.get(address).json()["total"] == int(count.replace(",", "")), address


def test_most_lessons_count_offers(client: TestClient) -> None:
    counting = {slug for slug in SLUGS if COUNTED.search(body_of(client, f"/learn/{slug}"))}
    assert counting >= set(SLUGS) - {"benchmark", "storage"}


def test_memory_is_what_the_api_estimates(client: TestClient) -> None:
    page = body_of(client, "/learn/memory")
    lean = {"micro_batch_size": 1, "activation_checkpointing": "full"}
    for method in ("lora", "qlora"):
        told = estimate(client, model="llama-3.1-8b", method=method, **lean)
        single = next(tier for tier in told["tiers"] if tier["name"] == "single")
        machine = next(item for item in told["hardware"] if item["label"] == single["smallest"])
        assert f"<bdi>{single['smallest']}</bdi>" in page
        for term in ("weights", "activations", "loss", "device", "high"):
            assert f">{gib(machine['memory'][term])}</td>" in page, (method, term)


def test_waiting_is_what_the_api_estimates(client: TestClient) -> None:
    page = body_of(client, "/learn/interconnect")
    fixed = {
        "sharding": "full",
        "tensor_parallel": 1,
        "pipeline_parallel": 1,
        "context_parallel": 1,
        "micro_batch_size": 1,
    }
    told = estimate(client, model="llama-3.1-8b", method="full", **fixed)
    machine = next(item for item in told["hardware"] if item["label"] == "8× NVIDIA H100 SXM5 80GB")
    share = machine["time"]["exposed_communication_s"] / machine["time"]["step_s"]
    assert f">{percent(share)}</td>" in page


@pytest.mark.parametrize(
    ("slug", "option"), [("spot", "spot"), ("billing", "on_demand"), ("faq", "on_demand")]
)
def test_totals_are_those_of_the_first_row_of_the_api(client: TestClient, slug: str, option: str) -> None:
    run = "model=llama-3.1-8b" if slug == "spot" else "model=qwen2.5-14b&method=lora&tokens=50000000"
    first = client.get(f"/api/v1/offers?{run}&purchase_option={option}&flagged=0&per_page=1").json()["items"][
        0
    ]
    page = body_of(client, f"/learn/{slug}")
    assert f"/offers/{first['id']}?" in page
    assert str(usd(first["total_usd"])) in page


def test_renting_and_owning_are_what_the_api_compares(client: TestClient) -> None:
    page = body_of(client, "/learn/rent-or-buy")
    told = client.get("/api/v1/rent-or-buy?accelerator=h100-sxm5-80gb").json()
    rent = next(rent for rent in told["rents"] if rent["kind"] == "on_demand")
    assert f">{usd(rent['usd_per_hour'])}</td>" in page
    assert f">{integer(rent['expected']['break_even_months'])} (" in page
    half = next(row for row in told["curve"] if row["utilisation"] == 0.5)
    assert f">{usd(half['expected'])}</td>" in page


def test_every_link_opens(client: TestClient) -> None:
    links = {link for path in PATHS for link in re.findall(r'href="(/[^"]*)"', body_of(client, path))}
    for link in sorted(map(markup.unescape, links)):
        assert client.get(link).status_code == 200, link


@pytest.mark.parametrize("slug", SLUGS)
def test_every_anchor_of_a_page_is_on_it(client: TestClient, slug: str) -> None:
    page = body_of(client, f"/learn/{slug}")
    for anchor in re.findall(r'href="#([^"]+)"', page):
        assert f'id="{anchor}"' in page, anchor


@pytest.mark.parametrize("slug", SLUGS)
def test_every_page_cites_and_has_a_figure_with_a_caption(
    client: TestClient, market: Market, slug: str
) -> None:
    page = body_of(client, f"/learn/{slug}")
    tables = re.findall(r"<table.*?</table>", page, re.DOTALL)
    assert tables
    assert all("<caption>" in table and "scope=" in table for table in tables)
    view = lesson_view(market, slug)
    for source in view.sources:
        assert f'href="{source.href}"' in page
        assert f'href="#source-{source.key}"' in page, f"{source.key} is listed and never cited"
        assert re.fullmatch(r"\d{4}(-\d{2})?", source.date)
    assert 'href="#source-methods"' in page


def test_every_source_is_cited_by_some_lesson() -> None:
    assert {key for topic in TOPICS for key in topic.sources} == set(SOURCES)


def test_lessons_follow_each_other_in_reading_order(client: TestClient) -> None:
    for place, topic in enumerate(TOPICS):
        page = body_of(client, topic.href)
        after = re.search(r'rel="next" href="([^"]+)"', page)
        before = re.search(r'rel="prev" href="([^"]+)"', page)
        assert (after[1] if after else None) == (TOPICS[place + 1].href if place + 1 < len(TOPICS) else None)
        assert (before[1] if before else None) == (TOPICS[place - 1].href if place else None)
        assert page.count(' aria-current="page"') == 3, "navigation, crumbs and contents"


def test_an_unknown_lesson_is_a_page_that_says_so(client: TestClient) -> None:
    answer = client.get("/learn/alchemy")
    assert answer.status_code == 404
    assert answer.headers["content-security-policy"] == CSP


def asking(market: Market) -> dict[str, tuple[str, ...]]:
    """Page → the lessons that it leads to where their question arises."""
    spot = next(
        r.id for r in market.board.records if r.purchase_option == "spot" and r.accelerator_count == 8
    )
    return {
        "/fit?model=llama-3.1-8b": ("memory", "topology"),
        "/?model=llama-3.1-8b&method=qlora": ("benchmark",),
        "/columns?model=llama-3.1-8b": ("memory", "interconnect", "cpu", "billing"),
        f"/offers/{spot}?model=llama-3.1-8b": ("memory", "bound", "interconnect", "billing", "spot"),
        "/methods": ("interconnect",),
        "/trial": ("benchmark",),
        "/rent-or-buy": ("rent-or-buy",),
        "/accelerators": ("bound",),
        "/accelerators/h100-sxm5-80gb": ("bound",),
        "/providers/lambda": ("billing",),
    }


def test_the_answer_is_one_link_away_where_the_question_arises(client: TestClient, market: Market) -> None:
    for path, slugs in asking(market).items():
        page = body_of(client, path)
        for slug in slugs:
            assert f'href="/learn/{slug}"' in page, f"{path} does not lead to {slug}"


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_no_price_stands_in_the_prose(path: Path) -> None:
    assert MONEY.search(path.read_text(encoding="utf-8")) is None


def test_the_search_for_prices_finds_them() -> None:
    for text in ("about $2.50", "2 USD an hour", "USD 3", "40 cents", "€ 7", "1,000 dollars"):
        assert MONEY.search(text), text


def test_texts_are_short_enough_to_translate_and_hold_no_markup() -> None:
    found = messages()
    assert len(found) > 200
    for name, text in found:
        assert len(text.split()) <= MOST_WORDS, f"{name}: {text}"
        assert "<" not in text, f"{name}: {text}"


@pytest.mark.parametrize("slug", SLUGS)
def test_without_offers_a_lesson_still_teaches(slug: str) -> None:
    page = body_of(TestClient(make_app(market_of())), f"/learn/{slug}")
    assert "<h2>" in page
    assert COUNTED.search(page) is None
