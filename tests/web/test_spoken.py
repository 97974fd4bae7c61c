"""Pages in another language say nothing in English but names and quotations."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from fastapi.testclient import TestClient

from app.market.query import OfferQuery
from app.market.service import Market
from app.web.learn import BY_SLUG

FUNCTION_WORDS = {
    "the", "and", "of", "with", "which", "that", "this", "these", "are", "is", "was", "not", "for", "from", "than",
    "how", "what", "when", "where", "who", "why", "each", "every", "without", "between", "their", "there", "your",
    "you", "its", "has", "have", "can", "cannot", "any", "one", "to", "at", "or", "it", "if",
}  # fmt: skip
"""English cannot be written for long without one of these, and neither other language has a word spelled so."""
NO_TEXT = ("script", "style", "code", "kbd", "pre", "bdi", "datalist", "textarea")
VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}


class Reader(HTMLParser):
    """What is said on a page outside of names (`bdi`), code and quotations (`lang="en"`)."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[tuple[str, bool]] = []
        self.said: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        quoted = tag in NO_TEXT or (tag != "html" and given.get("lang") == "en")
        if not self.silent:
            self.said += [
                given[name] or "" for name in ("aria-label", "title", "placeholder", "alt") if name in given
            ]
        if tag not in VOID:
            self.open.append((tag, quoted))

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        if not self.silent:
            self.said.append(data)

    @property
    def silent(self) -> bool:
        return any(quoted for _, quoted in self.open)


PAGES = (
    "/", "/?model=llama-3.1-8b&show_hidden=1&tokens=5e7&method=qlora", "/?q=eu&accelerator=h100&group=provider",
    "/?model=llama-3.1-70b&show_hidden=1&price_max=9&currency=EUR", "/fit", "/fit?model=llama-3.1-8b",
    "/fit?model=qwen2.5-14b&method=lora&tokens=5e7&budget_usd=40", "/trial", "/rent-or-buy",
    "/rent-or-buy?accelerator=h100-sxm5-80gb", "/accelerators", "/accelerators/h100-sxm5-80gb", "/models",
    "/models/llama-3.1-8b", "/providers", "/providers/lambda", "/methods", "/status", "/columns", "/market", "/compare",
    "/learn", *(f"/learn/{slug}" for slug in BY_SLUG), "/?price_max=zorp", "/?model=nix", "/nowhere",
)  # fmt: skip


def english(html: str) -> list[str]:
    reader = Reader()
    reader.feed(html)
    return [
        said.strip() for said in reader.said if FUNCTION_WORDS & set(re.findall(r"[^\W\d_]+", said.lower()))
    ]


@pytest.mark.parametrize("code", ["az", "ar"])
@pytest.mark.parametrize("path", PAGES)
def test_a_page_says_nothing_in_english(client: TestClient, path: str, code: str) -> None:
    assert english(client.get(path, headers={"accept-language": code}).text) == []


@pytest.mark.parametrize("code", ["az", "ar"])
def test_the_pages_of_an_offer_say_nothing_in_english(client: TestClient, market: Market, code: str) -> None:
    offer = market.list_offers(OfferQuery.parse("accelerator=h100")).rows[0].id
    for path in (
        f"/offers/{offer}",
        f"/offers/{offer}?model=llama-3.1-8b&method=lora",
        f"/compare?offer={offer}",
    ):
        assert english(client.get(path, headers={"accept-language": code}).text) == []


def test_the_reader_of_pages_hears_english_and_passes_over_names() -> None:
    html = '<p title="the title">Bu <bdi>The Name</bdi> <span lang="en">of a source</span> <br>and more</p>'
    assert english(html) == ["the title", "and more"]
