"""Which language a page is in."""

from __future__ import annotations

import re

import pytest
from fastapi.testclient import TestClient

from app.web.language import LANGUAGES
from app.web.negotiation import choose

PAGES = ("/", "/fit", "/trial", "/rent-or-buy", "/accelerators", "/models", "/providers", "/methods", "/status",
         "/api", "/columns", "/models/llama-3.1-8b", "/providers/lambda", "/accelerators/h100-sxm5-80gb",
         "/?model=llama-3.1-8b", "/fit?model=llama-3.1-8b&method=lora")  # fmt: skip


def spoken(html: str) -> str:
    found = re.search(r'<html lang="(\w+)" dir="(\w+)">', html)
    assert found is not None
    assert found[2] == LANGUAGES[found[1]].direction
    return found[1]


@pytest.mark.parametrize(
    ("asked", "remembered", "accepted", "code"),
    [
        ("az", "ar", "en", "az"), ("", "ar", "en", "ar"), ("", "", "az", "az"), ("", "", "", "en"),
        ("", "xx", "ar-EG", "ar"), ("", "", "en-US,en;q=0.9,ar;q=0.8", "en"),
        ("", "", "fr;q=1, en;q=0.3, az-Latn-AZ;q=0.7", "az"), ("", "", "ar;q=0, az;q=0.1", "az"),
        ("", "", "AR", "ar"), ("", "", "AZ-latn, EN;q=0.5", "az"), ("", "", "En-us", "en"),
        ("", "", "fr, de", "en"), ("", "", "*", "en"), ("", "", "az;q=zorp, ar;q=0.1", "ar"), ("", "", ";;,;q=", "en"),
    ],
)  # fmt: skip
def test_the_address_wins_then_the_memory_then_the_browser(
    asked: str, remembered: str, accepted: str, code: str
) -> None:
    assert choose(asked, remembered, accepted) == code


@pytest.mark.parametrize("path", PAGES)
def test_every_page_speaks_every_language_and_says_which(client: TestClient, path: str) -> None:
    for code in LANGUAGES:
        answer = client.get(f"{path}{'&' if '?' in path else '?'}lang={code}")
        assert answer.status_code == 200
        assert spoken(answer.text) == code == answer.headers["content-language"]
        assert {"Accept-Language", "Cookie"} <= set(re.split(", ?", answer.headers["vary"]))
        for other in LANGUAGES:
            assert f'rel="alternate" hreflang="{other}"' in answer.text


@pytest.mark.parametrize("path", ["/", "/fit", "/trial", "/methods", "/status", "/nowhere"])
def test_a_language_that_does_not_exist_is_refused_by_name(client: TestClient, path: str) -> None:
    answer = client.get(f"{path}?lang=tlh", headers={"accept-language": "ar"})
    assert answer.status_code == 422
    assert "<code>lang</code>" in answer.text
    assert spoken(answer.text) == "ar"
    assert "set-cookie" not in answer.headers


def test_a_choice_is_remembered_until_another_is_made(client: TestClient) -> None:
    assert spoken(client.get("/?lang=az").text) == "az"
    assert spoken(client.get("/methods", headers={"accept-language": "ar"}).text) == "az"
    assert spoken(client.get("/methods?lang=en").text) == "en"
    assert spoken(client.get("/", headers={"accept-language": "ar"}).text) == "en"
    client.cookies.clear()
    assert spoken(client.get("/", headers={"accept-language": "ar"}).text) == "ar"


def test_one_question_in_two_languages_is_two_pages(client: TestClient) -> None:
    pages = [client.get("/?q=h100", headers={"accept-language": code}).text for code in ("en", "ar", "en")]
    assert [spoken(page) for page in pages] == ["en", "ar", "en"]
    assert pages[0] == pages[2]


def test_an_address_with_a_language_hands_it_on(client: TestClient) -> None:
    fragment = client.get("/?q=h100&lang=az", headers={"hx-request": "true", "hx-target": "section#results"})
    assert "lang=az" in fragment.headers["hx-push-url"]
    assert re.search(r'href="/\?[^"]*sort=[^"]*lang=az', fragment.text)
    assert 'hx-target="#languages"' in fragment.text


def test_errors_are_pages_in_the_language_too(client: TestClient) -> None:
    for path, status in (("/offers/nothing", 404), ("/nowhere", 404), ("/?price_max=zorp", 422)):
        answer = client.get(path, headers={"accept-language": "ar"})
        assert answer.status_code == status
        assert spoken(answer.text) == "ar"


def test_programs_are_answered_in_english(client: TestClient) -> None:
    path = "/api/v1/offers?model=no-such-model"
    assert client.get(path).json() == client.get(path, headers={"accept-language": "ar"}).json()
    assert client.get("/api/v1/offers?lang=tlh").json()["error"]["field"] == "lang"
