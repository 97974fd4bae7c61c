"""Offers side by side as a page: one address, marks in words, nothing lost."""

from __future__ import annotations

import html as entities
import re

from fastapi.testclient import TestClient

from app.market.service import Market

RUN = "model=llama-3.1-8b&tokens=50000000"


def ids(market: Market, count: int = 3) -> list[str]:
    names = ("gpu_8x_h100_sxm5", "gpu_8x_a100_80gb", "gpu_8x_b200_sxm6", "gpu_1x_h100_sxm5")
    found = [r.id for name in names for r in market.board.records if r.instance_type == name]
    return found[::4][:count] + [key for key in found if key not in found[::4][:count]][: max(0, count - 3)]


def asked(keys: list[str], rest: str = "") -> str:
    return "/compare?" + "&".join([*(f"offer={key}" for key in keys), *([rest] if rest else [])])


def test_offers_stand_side_by_side_with_what_differs_and_what_is_best_in_words(
    client: TestClient, market: Market
) -> None:
    html = client.get(asked(ids(market), RUN)).text
    assert html.count('<th scope="col">') == 4
    price = re.search(
        r"<tr[^>]*><th scope=\"row\">Price <span[^>]*>differs</span></th>(.*?)</tr>", html, re.DOTALL
    )
    assert price
    assert price[1].count("badge fits") == 1
    for words in (
        "Memory per accelerator",
        "Cost of the whole run",
        "Billing terms",
        "Price history",
        "Plan",
    ):
        assert words in html, words


def test_an_offer_is_taken_away_and_another_put_beside_by_links(client: TestClient, market: Market) -> None:
    keys = ids(market)
    html = client.get(asked(keys[:2], RUN)).text
    away = re.findall(r'class="away" href="([^"]+)"', html)
    assert [entities.unescape(link) for link in away] == [asked([keys[1]], RUN), asked([keys[0]], RUN)]
    suggested = re.search(r'id="add".*?<a href="(/compare[^"]+)"', html, re.DOTALL)
    assert suggested
    more = entities.unescape(suggested[1])
    assert more.startswith(asked(keys[:2]))
    assert client.get(more).text.count('class="away"') == 3


def test_the_address_of_an_offers_page_is_enough_to_add_it(client: TestClient, market: Market) -> None:
    first, second, _ = ids(market)
    sent = client.get(f"/compare?offer={first}&add=https://rackrate.example/offers/{second}?model=gpt2")
    assert (sent.status_code, sent.headers["location"]) == (303, asked([first, second]))
    wrong = client.get(f"/compare?offer={first}&add=nothing")
    assert wrong.status_code == 422
    assert "paste the address" in wrong.text


def test_a_seventh_offer_is_refused_with_a_sentence_and_a_way_on(client: TestClient) -> None:
    shown = client.get(asked([f"{n:016x}" for n in range(7)]))
    assert shown.status_code == 422
    assert "at most 6 offers" in entities.unescape(shown.text)
    link = re.search(r'href="(/compare\?[^"]+)">Compare the first', shown.text)
    assert link
    assert client.get(entities.unescape(link[1])).status_code == 200


def test_only_what_differs_can_be_shown(client: TestClient, market: Market) -> None:
    keys = ids(market)
    every, few = client.get(asked(keys)).text, client.get(asked(keys, "only=differences")).text
    assert "Link domain" in every
    assert few.count('<tr class="differs">') == every.count('<tr class="differs">') > 5
    assert len(re.findall(r"<tr><th scope=\"row\">", few)) == 1


def test_nothing_to_compare_says_how_to_begin(client: TestClient) -> None:
    html = client.get("/compare").text
    assert "Nothing to compare yet" in html
    assert 'name="add"' in html


def test_a_run_that_cannot_be_is_told_by_its_field(client: TestClient, market: Market) -> None:
    shown = client.get(asked(ids(market)[:1], "model=gpt2&tokens=many"))
    assert shown.status_code == 422
    assert "<strong>tokens</strong>" in shown.text


def test_page_and_api_say_the_same(client: TestClient, market: Market) -> None:
    body = client.get("/api/v1" + asked(ids(market), RUN)).json()
    assert [item["id"] for item in body["offers"]] == ids(market)
    lines = {line["name"]: line for group in body["groups"] for line in group["lines"]}
    assert lines["total_usd"]["values"] == [item["cost"]["total_usd"] for item in body["offers"]]
    best = min(range(3), key=lambda place: lines["total_usd"]["values"][place])
    assert lines["total_usd"]["best"] == [best]
    assert client.get("/api/v1/compare?colour=red").json()["error"]["code"] == "unknown_parameter"


def test_in_arabic_latin_values_keep_their_order_and_sentences_run_the_other_way(
    client: TestClient, market: Market
) -> None:
    offer = market.board.records[0].id
    html = client.get(f"/compare?offer={offer}&model=llama-3.1-8b&method=qlora&lang=ar").text
    said = re.findall(r'<span dir="(ltr|rtl)">([^<]+)</span>', html)
    assert {way for way, _ in said} == {"ltr", "rtl"}
    for way, text in said:
        assert (way == "rtl") == bool(re.search(r"[\u0600-\u06ff]", text)), text
