"""Pages in another language say nothing in English but names and quotations."""

from __future__ import annotations

import re
from functools import cache
from html.parser import HTMLParser

import pytest
from fastapi.testclient import TestClient

from app.market.query import OfferQuery
from app.market.service import Market
from app.web.learn import BY_SLUG
from tools.messages import read_catalog

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

    def __init__(self, silent: tuple[str, ...] = NO_TEXT) -> None:
        super().__init__()
        self.silent_tags = silent
        self.open: list[tuple[str, bool]] = []
        self.said: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        quoted = tag in self.silent_tags or (tag != "html" and given.get("lang") == "en")
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
    "/?columns=accelerator_tier,fabric,intra_node_link,form_factor,host_check,tier,stock&show_hidden=1",
    "/accelerators/rtx-4090-24gb", "/models/pythia-70m", "/providers/vast", "/?q=%3C2,5",
    "/learn", *(f"/learn/{slug}" for slug in BY_SLUG), "/?price_max=zorp", "/?model=nix", "/nowhere",
)  # fmt: skip


LATIN_WORDS = {
    "adamw", "adafactor", "all-linear", "axolotl", "chunked", "ddp", "deepspeed", "eager", "flash", "full", "fused", "lion",
    "litgpt", "megatron", "muon", "sdpa", "selective", "sgd", "torchtitan", "torchtune", "unsloth", "nvidia", "ada", "ampere",
    "blackwell", "hopper", "pcie", "sxm", "nvl", "oam", "ethernet", "infiniband", "infinity-fabric", "neuronlink", "ici",
    "roce-on-chip", "gpt-oss",
}  # fmt: skip
"""Values that are written so in every language: options as one types them, architectures, links."""


def whole_texts(html: str) -> list[str]:
    """Each text of a page by itself, names too."""
    reader = Reader(tuple(tag for tag in NO_TEXT if tag != "bdi"))
    reader.feed(html)
    return [said.strip().strip("\u2068\u2069") for said in reader.said]


@cache
def has_translation(code: str) -> set[str]:
    """The English texts that are something else in this language."""
    return {
        message.id
        for message in read_catalog(code)
        if isinstance(message.id, str) and message.id and message.string != message.id
    }


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
@pytest.mark.parametrize("path", PAGES)
def test_no_text_of_a_page_is_one_that_the_catalogs_know_otherwise(
    client: TestClient, path: str, code: str
) -> None:
    html = client.get(path, headers={"accept-language": code}).text
    assert [said for said in whole_texts(html) if said in has_translation(code)] == []


@pytest.mark.parametrize("path", PAGES)
def test_words_without_a_text_in_the_catalogs_are_names(client: TestClient, path: str) -> None:
    reader = Reader()
    reader.feed(client.get(path, headers={"accept-language": "ar"}).text)
    said = {text.strip() for text in reader.said if re.fullmatch(r"\s*[a-z][a-z]{2,}([ -][a-z]+)*\s*", text)}
    assert said <= LATIN_WORDS


@pytest.mark.parametrize("code", ["az", "ar"])
def test_the_pages_of_an_offer_say_nothing_in_english(client: TestClient, market: Market, code: str) -> None:
    offer = market.list_offers(OfferQuery.parse("accelerator=h100")).rows[0].id
    for path in (
        f"/offers/{offer}",
        f"/offers/{offer}?model=llama-3.1-8b&method=lora",
        f"/offers/{offer}?model=qwen2.5-14b&method=qlora&tokens=5e7",
        f"/compare?offer={offer}",
    ):
        html = client.get(path, headers={"accept-language": code}).text
        assert english(html) == []
        assert [said for said in whole_texts(html) if said in has_translation(code)] == []


def test_the_reader_of_pages_hears_english_and_passes_over_names() -> None:
    html = '<p title="the title">Bu <bdi>The Name</bdi> <span lang="en">of a source</span> <br>and more</p>'
    assert english(html) == ["the title", "and more"]
