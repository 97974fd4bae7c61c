"""What every source promises, whoever it is; a new file in the providers' room is covered by being there."""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from decimal import Decimal
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.domain.errors import MissingKey, UpstreamFault
from app.domain.flags import DOUBTS, NOTES
from app.domain.offer import Parsed, ScrapedOffer
from app.providers import discover
from app.providers.port import Part, Payload
from app.workers.http import PoliteClient
from app.workers.manners import Manners
from tests.providers.fetching import FAST, fetched, parsed
from tests.providers.internet import FOLDER, Reply, payload, served

SLUGS = list(discover())
PLACELESS = ("gpurentalprices",)
"""Lists that say nothing about places, which then are unknown."""
every_source = pytest.mark.parametrize("slug", SLUGS)


@every_source
def test_a_source_over_http_yields_offers_that_name_themselves(slug: str) -> None:
    card = discover()[slug].card
    offers = parsed(slug).offers
    assert offers
    for offer in offers:
        assert offer.provider in card.covers
        assert offer.source == slug
        assert offer.instance_type and offer.accelerator_name and (offer.region or slug in PLACELESS)
        assert offer.accelerator_count > 0
        assert offer.raw
        assert set(offer.flags) <= {*DOUBTS, *NOTES}, "a flag without words"


@every_source
def test_every_row_is_an_offer_a_reject_or_counted(slug: str) -> None:
    result = parsed(slug)
    explained = result.rows_used + sum(result.ignored.values())
    assert explained <= result.rows_read <= explained + len(result.rejects)


@every_source
def test_no_two_offers_share_an_identity(slug: str) -> None:
    seen = Counter(_identity(offer) for offer in parsed(slug).offers)
    assert [identity for identity, count in seen.items() if count > 1] == []


@every_source
def test_awkward_rows_are_refused_or_left_out_and_never_free(slug: str) -> None:
    result = parsed(slug)
    assert result.rejects or result.ignored or slug in _CURATED
    _assert_sane(result)


@every_source
def test_a_card_says_what_a_person_needs_to_know(slug: str) -> None:
    card = discover()[slug].card
    assert re.fullmatch(r"[a-z0-9_]+", slug) and card.name and card.homepage.startswith("https://")
    assert 900 <= card.interval_s <= 604_800
    assert 60 <= card.longest_s < card.interval_s or card.longest_s <= 1_800
    assert card.source_kind != "page" or "robots.txt" in card.terms_note
    assert all(re.fullmatch(r"[A-Z][A-Z0-9_]+", variable) for variable in card.variables)


@every_source
def test_without_its_key_a_source_names_the_variable_and_asks_nobody(slug: str) -> None:
    card = discover()[slug].card

    async def fetch_without_keys() -> None:
        with served() as internet:
            async with PoliteClient(Manners(via=internet.origin, **FAST)) as http:
                with pytest.raises(MissingKey) as error:
                    await discover()[slug].fetch(http, {})
            assert error.value.variable == card.needs_key
            assert internet.asked == []

    if card.needs_key:
        asyncio.run(fetch_without_keys())


@every_source
def test_a_page_is_read_only_where_the_site_allows_it(slug: str) -> None:
    if discover()[slug].card.source_kind != "page":
        return

    async def fetch() -> None:
        with served(slug) as internet:
            (host,) = {answer["url"].partition("/")[0] for answer in payload(slug)["answers"]}
            internet.answers.insert(
                0, {"url": f"{host}/robots.txt", "text": "User-agent: Rackrate\nDisallow: /\n"}
            )
            async with PoliteClient(Manners(via=internet.origin, **FAST)) as http:
                with pytest.raises(UpstreamFault, match=r"robots\.txt"):
                    await discover()[slug].fetch(http, {})
        assert internet.asked == [("GET", f"{host}/robots.txt")]

    asyncio.run(fetch())


@every_source
def test_a_payload_survives_the_disk_and_parsing_is_pure(slug: str) -> None:
    original = fetched(slug)
    again = msgspec.json.decode(msgspec.json.encode(original), type=Payload)
    assert discover()[slug].parse(again) == parsed(slug)


@every_source
@pytest.mark.parametrize(
    "body", ["", "<!DOCTYPE html><html><body>Maintenance</body></html>", "{}", "[]", "null", '"no"']
)
def test_an_answer_that_is_no_price_list_is_a_fault_or_empty_and_nothing_else(slug: str, body: str) -> None:
    if slug in _CURATED:
        return
    broken = msgspec.structs.replace(
        fetched(slug), parts=tuple(msgspec.structs.replace(part, text=body) for part in fetched(slug).parts)
    )
    try:
        result = discover()[slug].parse(broken)
    except UpstreamFault:
        return
    assert result.offers == ()


@every_source
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
@given(share=st.floats(0.02, 0.999))
def test_a_truncated_answer_invents_nothing(slug: str, share: float) -> None:
    whole = {(_identity(offer), offer.price_per_hour) for offer in parsed(slug).offers}
    cut = tuple(
        msgspec.structs.replace(part, text=part.text[: int(len(part.text) * share)])
        for part in fetched(slug).parts
    )
    try:
        result = discover()[slug].parse(Payload(cut))
    except UpstreamFault:
        return
    assert {(_identity(offer), offer.price_per_hour) for offer in result.offers} <= whole


@every_source
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
@given(data=st.data())
def test_a_reshaped_or_absurd_answer_is_never_a_senseless_price(slug: str, data: st.DataObject) -> None:
    parts = list(fetched(slug).parts)
    if not parts:
        return
    index = data.draw(st.integers(0, len(parts) - 1))
    parts[index] = msgspec.structs.replace(parts[index], text=_spoiled(parts[index], data))
    try:
        result = discover()[slug].parse(Payload(tuple(parts)))
    except UpstreamFault:
        return
    _assert_sane(result)


@every_source
def test_a_refusing_host_is_a_fault_that_can_be_told(slug: str) -> None:
    async def fetch() -> None:
        with served(slug) as internet:
            hosts = {answer["url"].partition("/")[0] for answer in payload(slug)["answers"]}
            internet.weather.update({host: Reply(403, b"no") for host in hosts})
            async with PoliteClient(Manners(via=internet.origin, **FAST)) as http:
                with pytest.raises(UpstreamFault):
                    await discover()[slug].fetch(http, payload(slug).get("settings", {}))

    if payload(slug)["answers"]:
        asyncio.run(fetch())


def test_every_payload_belongs_to_a_source() -> None:
    assert {file.stem for file in FOLDER.glob("*.yaml")} == set(SLUGS)


_CURATED = {slug for slug, source in discover().items() if source.card.source_kind == "hand_kept"}


def _identity(offer: ScrapedOffer) -> tuple[object, ...]:
    return (
        *(offer.provider, offer.instance_type, offer.region, offer.zone, offer.purchase_option),
        *(offer.term_months, offer.upfront_option, offer.tier, offer.native_id),
    )


def _assert_sane(result: Parsed) -> None:
    for offer in result.offers:
        count = Decimal(str(offer.accelerator_count))
        if offer.price_per_hour is not None:
            assert 0 < offer.price_per_hour / count <= (250 if offer.currency == "USD" else 25_000), offer
        if offer.upfront is not None:
            assert offer.upfront >= 0 and offer.term_months, offer


_POISON: list[Any] = [None, "", "abc", 0, -1, 1e9, 1e-9, True, [], {}, [1], {"a": 1}, "NaN", "1e400"]


def _spoiled(part: Part, data: st.DataObject) -> str:
    """The answer with one leaf (or branch) of its JSON, or one cell of its text, replaced by something else."""
    poison = data.draw(st.sampled_from(_POISON))
    try:
        tree = json.loads(part.text)
    except json.JSONDecodeError:
        cells = re.split(r"([,;\n])", part.text)
        cells[data.draw(st.integers(0, len(cells) - 1))] = str(poison)
        return "".join(cells)
    wrapper = {"root": tree}
    node: Any = wrapper
    key: Any = "root"
    while (
        isinstance(node[key], dict | list)
        and node[key]
        and data.draw(st.booleans() if key != "root" else st.just(True))
    ):
        node = node[key]
        key = data.draw(st.sampled_from(sorted(node) if isinstance(node, dict) else range(len(node))))
    node[key] = poison
    return json.dumps(wrapper["root"])
