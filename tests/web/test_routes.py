"""Pages by plain requests: everything works without JavaScript."""

from __future__ import annotations

import re

import pytest
from fastapi.testclient import TestClient

from app.market.query import OfferQuery
from app.market.service import Market
from app.web import formatting
from app.web.templating import CSP

RUN = "model=llama-3.1-8b"
RESULTS = {"HX-Request": "true", "HX-Target": "section#results"}


def ids(html: str) -> list[str]:
    return re.findall(r'<th scope="row"[^>]*><a href="/offers/([0-9a-f]+)', html)


def pages(market: Market) -> list[str]:
    offer = market.board.records[0].id
    return [
        "/", f"/?{RUN}", f"/?{RUN}&show_hidden=1", "/fit", f"/fit?{RUN}", "/columns", f"/offers/{offer}",
        f"/offers/{offer}?{RUN}", "/accelerators", "/accelerators/h100-sxm5-80gb", "/providers", "/providers/lambda",
        "/models", "/models/llama-3.1-8b", "/status", "/methods", "/api",
    ]  # fmt: skip


def test_every_page_answers_as_a_whole_document_with_a_strict_policy(
    client: TestClient, market: Market
) -> None:
    for path in pages(market):
        answer = client.get(path)
        assert answer.status_code == 200, path
        assert answer.text.startswith("<!doctype html>"), path
        assert answer.headers["content-security-policy"] == CSP
        assert "unsafe" not in CSP
        assert not re.search(r"<(script|style)>|\son\w+=|\sstyle=", answer.text), (
            f"{path} needs what the policy forbids"
        )


def test_every_page_links_only_to_pages_that_exist(client: TestClient, market: Market) -> None:
    links: set[str] = set()
    for path in pages(market):
        links |= {
            re.sub("&amp;", "&", link) for link in re.findall(r'href="(/[^"#]*)"', client.get(path).text)
        }
    ours = sorted(link for link in links if not link.startswith("/api/"))
    assert len(ours) > 60
    for link in ours:
        assert client.get(link).status_code == 200, link


def test_the_page_shows_the_offers_of_the_market_in_its_order(client: TestClient, market: Market) -> None:
    for text in (
        "",
        "sort=memory_gib_per_accelerator&order=desc",
        "provider=vast",
        RUN,
        f"{RUN}&show_hidden=1",
    ):
        expected = [row.id for row in market.list_offers(OfferQuery.parse(text)).rows]
        assert ids(client.get(f"/?{text}").text) == expected != []


def test_a_fragment_is_the_block_that_htmx_targets_and_brings_the_form_along(client: TestClient) -> None:
    answer = client.get(f"/?{RUN}", headers=RESULTS)
    assert "<!doctype" not in answer.text
    assert '<table class="offers' in answer.text
    assert '<hx-partial hx-target="#question"' in answer.text
    assert answer.headers["hx-push-url"] == f"/?{RUN}"
    assert ids(answer.text) == ids(client.get(f"/?{RUN}").text)


def test_a_plain_form_ends_at_an_address_that_says_only_what_was_asked(client: TestClient) -> None:
    answer = client.get("/?q=&model=llama-3.1-8b&method=&provider=vast&price_max=&order=")
    assert answer.status_code == 303
    assert answer.headers["location"] == "/?provider=vast&model=llama-3.1-8b"
    assert client.get("/fit?model=llama-3.1-8b&method=").headers["location"] == "/fit?model=llama-3.1-8b"


def test_a_page_after_the_last_leads_to_the_last(client: TestClient, market: Market) -> None:
    ask = f"/?per_page=7&{RUN}"
    last = market.list_offers(OfferQuery.parse(ask[2:])).pages
    for headers in ({}, RESULTS):
        answer = client.get(f"{ask}&page={last + 90}", headers=headers)
        assert answer.status_code == 303
        shown = client.get(answer.headers["location"])
        assert ids(shown.text) and OfferQuery.parse(answer.headers["location"][2:]).page == last > 1
    assert (
        client.get("/?provider=lambda&country=IN&page=9").headers["location"]
        == "/?provider=lambda&country=IN"
    )
    told = client.get(f"/api/v1/offers{ask[1:]}&page={last + 90}").json()
    assert (told["items"], told["next"]) == ([], None)


def test_every_page_refuses_a_parameter_that_it_does_not_have(client: TestClient, market: Market) -> None:
    for path in [
        *pages(market),
        "/market",
        "/learn",
        "/learn/memory",
        "/compare",
        "/trial",
        "/rent-or-buy",
        "/offers.md",
        "/offers.atom",
    ]:
        mark = "&" if "?" in path else "?"
        answer = client.get(f"{path}{mark}hue=7&lang=en")
        assert (answer.status_code, "hue" in answer.text) == (422, True), path
        assert client.get(f"{path}{mark}lang=en").status_code == 200, path
    told = client.get("/status?hue=7&lang=en").text
    assert 'href="/status?lang=en">Ask without it</a>' in told


def test_the_form_keeps_what_was_asked(client: TestClient) -> None:
    html = client.get(f"/?{RUN}&method=qlora&provider=vast&price_max=3&sort=hours&accelerator=h100").text
    assert '<input id="f-model" name="model" value="llama-3.1-8b"' in html
    assert '<option value="qlora" selected>' in html
    assert re.search(r'name="provider" value="vast" checked', html)
    assert re.search(r'name="accelerator" value="h100" checked', html), "a wider word stays ticked"
    assert re.search(r'name="price_max" value="3"', html)
    assert '<input type="hidden" name="sort" value="hours">' in html


def test_a_model_is_found_by_its_name(client: TestClient) -> None:
    answer = client.get("/?model=Llama+3.1+8B")
    assert answer.status_code == 200
    assert 'value="llama-3.1-8b"' in answer.text


@pytest.mark.parametrize(
    ("query", "field"),
    [("price_max=cheap", "price_max"), ("bogus=1", "bogus"), ("model=llama+99", "model"), (f"{RUN}&sequence_length=-1", "sequence_length"),
     ("sort=hours", "sort"), ("price_min=5&price_max=1", "price_max")],
)  # fmt: skip
def test_a_question_that_makes_no_sense_is_refused_by_naming_the_field(
    client: TestClient, query: str, field: str
) -> None:
    """Behaviour U15."""
    answer = client.get(f"/?{query}")
    assert answer.status_code == 422
    assert f"<code>{field}</code>" in answer.text
    assert 'id="question"' in answer.text, "the form stays, to correct it"
    fragment = client.get(f"/?{query}", headers=RESULTS)
    assert fragment.status_code == 422
    assert "<!doctype" not in fragment.text
    assert "hx-push-url" not in fragment.headers


def test_an_unknown_model_brings_suggestions(client: TestClient) -> None:
    assert "?model=llama-3.1-8b" in client.get("/?model=llama+3.1+8b+extra").text


@pytest.mark.parametrize(
    "path", ["/offers/ffffffffffffffff", "/accelerators/none", "/providers/none", "/models/none", "/nowhere"]
)
def test_what_does_not_exist_is_a_page_that_says_so(client: TestClient, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 404
    assert "Not found" in answer.text


def test_what_a_run_hides_is_counted_by_reason_and_comes_back_greyed_with_the_sentence_why(
    client: TestClient,
) -> None:
    html = client.get(f"/?{RUN}").text
    assert re.search(
        r"<a href=\"/\?model=llama-3.1-8b&amp;reason=memory\">|reason=memory&amp;model=llama-3.1-8b", html
    )
    assert "not enough accelerator memory" in html
    shown = client.get(f"/?{RUN}&show_hidden=1").text
    assert shown.count('<tr class="out">') > 10
    assert re.search(r'<td class="w34 why">needs up to [\d.]+ GiB per accelerator', shown)


def test_unknown_is_shown_as_unknown_and_sorts_last_both_ways(client: TestClient, market: Market) -> None:
    unpriced = {record.id for record in market.board.records if record.price_usd_per_hour is None}
    assert len(unpriced) == 4
    for order in ("asc", "desc"):
        html = client.get(f"/?sort=price_usd_per_hour&order={order}").text
        assert set(ids(html)[-4:]) == unpriced
    assert '<td class="num w8 u"><span>unknown</span></td>' in client.get("/").text


def test_text_of_a_source_cannot_become_markup(client: TestClient) -> None:
    html = client.get("/").text
    assert "<b>list</b>" not in html
    assert "&lt;b&gt;list&lt;/b&gt;" in html


def test_the_offer_page_shows_every_term_with_formula_and_source(client: TestClient, market: Market) -> None:
    big = next(r for r in market.board.records if r.instance_type == "gpu_8x_h100_sxm5")
    html = client.get(f"/offers/{big.id}?{RUN}").text
    told = market.explain(big.id, OfferQuery.parse(RUN).run)
    for term in told.memory.terms:
        assert f"{term.gib:.3f}" in html, term.name
    for term in (*told.time.terms, *told.cost.terms):
        assert term.name.replace("_", " ") in html
    assert "Largest micro-batch" in html


def test_levers_are_links_that_apply_the_change(client: TestClient, market: Market) -> None:
    small = next(r for r in market.board.records if r.instance_type == "gpu_1x_h100_sxm5")
    html = client.get(f"/offers/{small.id}?{RUN}").text
    assert "does not fit" in html
    link = re.search(r'<a href="(/offers/[0-9a-f]+\?[^"]*method=qlora[^"]*)">', html)
    assert link
    explained = market.explain(small.id, OfferQuery.parse(RUN).run)
    base = explained.levers[0].need_gib + explained.levers[0].saves_gib
    assert base == pytest.approx(explained.found.least_gib)
    assert f"which takes {formatting.gib(base)} GiB per accelerator at the high edge" in html
    assert '<span class="badge fits">' in client.get(link[1].replace("&amp;", "&")).text


def test_only_links_of_the_web_are_followed_and_they_tell_nobody(client: TestClient) -> None:
    for link in re.findall(r'<a href="https?://[^>]+>', client.get("/").text):
        assert "noreferrer" in link


def test_the_chooser_keeps_the_question(client: TestClient) -> None:
    html = client.get("/columns?provider=vast&columns=price_usd_per_hour,provider").text
    assert '<input type="hidden" name="provider" value="vast">' in html
    assert re.search(r'name="columns" value="price_usd_per_hour" checked', html)
    assert not re.search(r'name="columns" value="region" checked', html)


def test_density_changes_the_look_and_no_row(client: TestClient) -> None:
    plain, dense = client.get("/?provider=vast").text, client.get("/?provider=vast&density=compact").text
    assert ids(plain) == ids(dense)
    assert '<table class="offers fast compact">' in dense
    assert '<table class="offers fast compact">' not in plain


def test_the_fit_page_says_when_no_offer_is_within_the_limits_though_one_accelerator_would_do(
    client: TestClient,
) -> None:
    words = "none is within your limits"
    assert words in client.get(f"/fit?{RUN}&budget_usd=0.01").text
    assert words not in client.get(f"/fit?{RUN}").text
