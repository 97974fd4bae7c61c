"""Pages in another language say nothing in English but names and quotations."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser

import pytest
from fastapi.testclient import TestClient

from app.catalog import load_catalog
from app.db.engine import make_engine
from app.db.migrate import upgrade
from app.domain.offer import Reject
from app.market.query import OfferQuery
from app.market.service import Market
from app.web.learn import BY_SLUG
from tests.scraped import NOON, scraped, take_in
from tests.web.site import make_app
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
    "/?tokens=5e7&budget_usd=40", "/fit?tokens=5e7&budget_usd=40",
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


@pytest.fixture(scope="module")
def vague(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """Pages over offers whose names leave open which card it is, or name a part of one, or none."""
    engine = make_engine(f"sqlite:///{tmp_path_factory.mktemp('vague') / 'web.sqlite3'}")
    upgrade(engine)
    named = (("H100", 8.0), ("A100", 1.0), ("NVIDIA A40", 1 / 3), ("Frobnicator 9000", 1.0), ("None", 1.0))
    offers = [
        scraped(instance_type=f"vague-{number}", accelerator_name=name, accelerator_count=count)
        for number, (name, count) in enumerate(named)
    ]
    twice = scraped("11.00", instance_type="vague-0", accelerator_name="H100")
    refused = Reject(provider="lambda", reason="a reservation at two prices", detail="1.2 and 1.3", raw="{}")
    take_in(engine, *offers, twice, scraped(instance_type="odd", accelerator_count=0.0), rejects=(refused,))
    yield TestClient(make_app(Market.open(load_catalog(), engine, lambda: NOON)))
    engine.dispose()


@pytest.mark.parametrize("code", ["az", "ar"])
def test_what_a_name_leaves_open_is_said_in_the_readers_language(vague: TestClient, code: str) -> None:
    asked = "model=llama-3.1-8b", "model=pythia-70m&method=qlora", "model=llama-3.1-70b"
    for run in asked:
        assert english(vague.get(f"/fit?{run}", headers={"accept-language": code}).text) == [], run
    told = "".join(vague.get(f"/fit?{run}", headers={"accept-language": "en"}).text for run in asked)
    for machine in ("8× H100, form factor not stated", "1/3 of NVIDIA A40"):
        assert f"Memory per accelerator on {machine}</h2>" in told


@pytest.mark.parametrize("code", ["az", "ar"])
def test_why_rows_were_refused_is_said_in_the_readers_language(vague: TestClient, code: str) -> None:
    ours = ("the offer is kept", "no card in the catalog", "is listed twice", "names no accelerator", "0 accelerators",
            "not an accelerator", "a reservation at two prices")  # fmt: skip
    told = {lang: vague.get("/status", headers={"accept-language": lang}).text for lang in ("en", code)}
    assert [words for words in ours if words not in told["en"]] == []
    assert [words for words in ours if words in told[code]] == []
    assert "Frobnicator 9000" in told[code]


def test_the_reader_of_pages_hears_english_and_passes_over_names() -> None:
    html = '<p title="the title">Bu <bdi>The Name</bdi> <span lang="en">of a source</span> <br>and more</p>'
    assert english(html) == ["the title", "and more"]
