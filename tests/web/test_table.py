"""The table by plain requests: switches, groups, details, exports and refusals work without JavaScript."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date

import pytest
from fastapi.testclient import TestClient

from app.market.board import BoardHolder
from app.market.column_sets import COLUMN_SETS
from app.market.columns import BY_NAME
from app.market.interval import parse_number
from app.market.query import OfferQuery
from app.market.service import Market
from tests.web.site import make_app

RUN = "model=llama-3.1-8b"
RATES = {"USD": (None, 1.0), "EUR": (date(2026, 11, 27), 1.25)}


@pytest.fixture(scope="module")
def euro(market: Market) -> TestClient:
    """The same offers where the rate of the euro is known."""
    holder = BoardHolder(replace(market.board, rates=RATES, version="with-rates"))
    return TestClient(make_app(replace(market, holder=holder)), follow_redirects=False)


def prices(html: str) -> list[str]:
    return re.findall(
        r'<td class="num (?:k2 )?w8 key">(?:<span class="flag".*?</span></span>)?([\d,.]+)</td>', html
    )


def heading(html: str, name: str) -> tuple[str, str]:
    found = re.search(rf'id="sort-{name}"[^>]*>([^<]+)</a><small>([^<]*)</small>', html)
    assert found
    return found[1], found[2]


def test_a_currency_changes_the_numbers_and_the_heading_together(euro: TestClient) -> None:
    ask = "/?provider=vast&sort=price_usd_per_hour"
    plain, other = euro.get(ask).text, euro.get(ask + "&currency=EUR").text
    assert heading(plain, "price_usd_per_hour") == ("Price", "USD/h")
    assert heading(other, "price_usd_per_hour") == ("Price", "EUR/h")
    assert [f"{float(price) / 1.25:.3f}" for price in prices(plain)] == prices(other) != []
    assert '<option value="EUR" selected>' in other


def test_choices_plot_and_table_speak_the_currency_and_the_rate_stands_beside_the_switch(
    euro: TestClient,
) -> None:
    def told(text: str) -> tuple[str, list[float]]:
        html = text[text.index('id="choices"') : text.index("</section>", text.index('id="choices"'))]
        return html, [float(one.replace(",", "")) for one in re.findall(r'class="num key">([\d.,]+)', html)]

    ask = f"/?{RUN}&tokens=5e7"
    plain, other = euro.get(ask).text, euro.get(f"{ask}&currency=EUR").text
    dollars, euros = told(plain)[1], told(other)[1]
    assert euros == pytest.approx([amount / 1.25 for amount in dollars], rel=0.01, abs=0.006) != []
    assert "USD" not in told(other)[0] and "EUR" in told(other)[0] and "EUR" not in told(plain)[0]
    assert re.search(r'id="rate">1 <?.*?EUR.* = .*1\.2500.* USD · Reference rate of .*2026-11-27', other)
    assert 'id="rate"' not in plain


def test_a_missing_rate_stays_in_dollars_with_a_note(client: TestClient) -> None:
    html = client.get("/?currency=EUR").text
    assert "No exchange rate for EUR is known yet" in html
    assert heading(html, "price_usd_per_hour") == ("Price", "USD/h")
    assert re.search(r'<option value="GBP" disabled>', html)


def test_a_month_and_one_accelerator_change_heading_numbers_csv_and_markdown(client: TestClient) -> None:
    ask = "?instance_type=gpu_8x_h100&price_of=accelerator&price_per=month&columns=provider,price"
    html = client.get("/" + ask).text
    assert heading(html, "price_usd_per_hour") == ("Price per accelerator", "USD/month")
    assert "A month is 730 hours." in html
    assert prices(html)[-1] == "2,183"
    csv = client.get("/api/v1/offers.csv" + ask).text
    assert csv.splitlines()[0] == "id,provider,price_usd_per_accelerator_month"
    assert csv.splitlines()[-1].endswith(",2182.7")
    markdown = client.get("/offers.md" + ask)
    assert markdown.headers["content-type"].startswith("text/markdown")
    assert markdown.text.splitlines()[0] == "| Provider | Price per accelerator (USD/month) |"
    assert markdown.text.splitlines()[-1] == "| Lambda | 2,183 |"


def test_headings_of_groups_say_that_prices_are_of_one_accelerator(client: TestClient) -> None:
    html = client.get("/?group=accelerator").text
    for word in ("Lowest", "Median", "Highest"):
        assert re.search(rf"{word}<small>.*USD/h.* per accelerator</small>", html), word
    head = client.get("/offers.md?group=provider&price_per=month").text.splitlines()[0]
    assert "Lowest (USD/month per accelerator)" in head


@pytest.mark.parametrize(
    ("asked", "column", "words"),
    [
        ("", "Lowest", "Price per accelerator, lowest first"),
        ("order=desc", "Highest", "Price per accelerator, highest first"),
        (f"{RUN}&method=qlora", "Cheapest run", "Total cost, lowest first"),
        (f"{RUN}&method=qlora&sort=price_usd_per_hour", "Lowest", "Price per accelerator, lowest first"),
        (f"{RUN}&method=qlora&order=desc", "", "Total cost, highest first"),
        ("sort=hours&model=llama-3.1-8b", "", "Time, lowest first"),
        ("sort=region", "", "ordered by: Region"),
    ],
)
def test_groups_say_by_what_they_stand_and_the_marked_column_does(
    client: TestClient, asked: str, column: str, words: str
) -> None:
    html = client.get(f"/?group=accelerator&{asked}").text
    assert words in re.search(r'id="order">(.*?)</p>', html)[1]  # type: ignore[index]
    table = html.split('<table class="offers groups', 1)[1].split("</table>")[0]
    heads = re.findall(r"<th scope=\"col\"([^>]*)>([^<]*)", table)
    marked = [(place, title, kind) for place, (kind, title) in enumerate(heads) if "aria-sort" in kind]
    assert [title for _, title, _ in marked] == ([column] if column else [])
    for place, _, kind in marked:
        rows = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in table.split("<tr>")[2:]]
        known = [float(row[place].replace(",", "")) for row in rows if "unknown" not in row[place]]
        assert known == sorted(known, reverse="descending" in kind) != []


def test_markdown_has_the_rows_of_the_page_in_its_order_and_runs_nothing(client: TestClient) -> None:
    lines = client.get("/offers.md?per_page=7&page=2&columns=provider,price,source").text.splitlines()
    assert len(lines) == 2 + 7
    assert lines[1] == "| --- | ---: | --- |"
    assert "\\<b\\>list" in lines[2]


def test_groups_are_rows_with_prices_whose_links_show_their_offers(
    client: TestClient, market: Market
) -> None:
    html = client.get("/?group=accelerator").text
    groups = market.list_offers(OfferQuery.parse("group=accelerator")).groups
    links = re.findall(r'<th scope="row"><a href="([^"]+)" data-block="rows"><bdi>([^<]+)</bdi>', html)
    assert [label for _, label in links] == ["unknown" if g.value == "unknown" else g.label for g in groups]
    for (link, _), group in zip(links, groups, strict=True):
        page = client.get(link.replace("&amp;", "&")).text
        assert f": {group.offers} offer" in page
    rows = client.get(
        links[0][0].replace("&amp;", "&"), headers={"HX-Request": "true", "HX-Target": "td#rows"}
    ).text
    assert rows.lstrip().startswith('<div class="unfolded">')
    assert rows.count('<th scope="row"') == groups[0].offers


def test_a_row_unfolds_to_everything_known_and_is_the_offer_page_without_a_script(
    client: TestClient, market: Market
) -> None:
    offer = market.board.records[0].id
    fragment = {"HX-Request": "true", "HX-Target": "td#details"}
    html = client.get(f"/offers/{offer}/row?{RUN}&price_per=month", headers=fragment).text
    assert "<!doctype" not in html
    assert "USD/month" in html
    assert "per accelerator" in html
    assert f'href="/offers/{offer}?{RUN}"' in html
    answer = client.get(f"/offers/{offer}/row?{RUN}&price_per=month")
    assert (answer.status_code, answer.headers["location"]) == (303, f"/offers/{offer}?{RUN}")
    assert client.get("/offers/ffffffffffffffff/row", headers=fragment).status_code == 404


def test_the_form_is_redrawn_only_when_the_question_changed(client: TestClient) -> None:
    headers = {"HX-Request": "true", "HX-Target": "section#results", "HX-Current-URL": f"http://x/?{RUN}"}
    sorted_ = client.get(f"/?{RUN}&sort=hours", headers=headers).text
    assert '<hx-partial hx-target="#question"' not in sorted_
    assert '<hx-partial hx-target="#kept"' in sorted_
    assert '<input type="hidden" name="sort" value="hours">' in sorted_
    filtered = client.get(f"/?{RUN}&provider=lambda", headers=headers).text
    assert '<hx-partial hx-target="#question"' in filtered


@pytest.mark.parametrize("name", COLUMN_SETS)
def test_a_set_of_columns_is_a_link_in_the_menu_and_in_the_chooser(client: TestClient, name: str) -> None:
    chosen = COLUMN_SETS[name]
    assert all(column in BY_NAME for column in chosen.names)
    asked = f"?{RUN}&columns={','.join(chosen.names)}"
    link = re.compile(r'href="/\?[^"]*columns=[^"]+"[^>]*aria-current="true">' + chosen.title)
    for path in ("/", "/columns"):
        assert link.search(client.get(path + asked).text), path
    assert (f">{chosen.title}</a>" in client.get("/columns").text) == (not chosen.needs_run)


def test_an_unknown_value_names_the_parameter_and_links_to_near_ones(client: TestClient) -> None:
    answer = client.get("/?provider=lamda&price_max=9")
    assert answer.status_code == 422
    assert "<code>provider</code>" in answer.text
    assert '<a href="/?provider=lambda&amp;price_max=9"><bdi>lambda</bdi></a>' in answer.text
    error = client.get("/api/v1/offers?quoted_currency=XXX").json()["error"]
    assert (error["code"], error["field"]) == ("bad_input", "quoted_currency")


def test_a_range_open_downwards_below_zero_is_told_as_what_it_is(client: TestClient) -> None:
    answer = client.get("/?price=..-1")
    assert answer.status_code == 422
    assert "is never below zero (given: -" in answer.text


def test_an_empty_answer_says_what_to_take_away_and_what_that_would_give(client: TestClient) -> None:
    html = client.get("/?provider=vast&price_min=9").text
    assert "No offer answers this question" in html
    found = re.findall(r'<a href="([^"]+)">without ([^:]+: [^<]+): (\d+) offers?</a>', html)
    assert {text.partition(":")[0] for _, text, _ in found} == {"Provider", "Price"}
    for link, _, count in found:
        assert f": {count} offer" in client.get(link.replace("&amp;", "&")).text


def test_old_prices_and_a_failed_refresh_are_said_above_the_table(client: TestClient, market: Market) -> None:
    assert 'id="stale"' not in client.get("/").text
    later = replace(market, clock=lambda: market.clock().replace(year=2027))
    assert "These prices are old" in TestClient(make_app(later)).get("/").text


def test_the_api_gathers_offers_in_dollars(client: TestClient, market: Market) -> None:
    body = client.get("/api/v1/offers?group=provider&price_per=month").json()
    assert {group["value"] for group in body["groups"]} == {"lambda", "vast"}
    vast = next(group for group in body["groups"] if group["value"] == "vast")
    assert (
        vast["price_usd_per_accelerator_hour_low"] == 0.02 or vast["price_usd_per_accelerator_hour_low"] > 0
    )
    assert body["total"] == 40
    assert "groups" not in client.get("/api/v1/offers").json()


def test_estimates_can_be_saved_like_views(client: TestClient) -> None:
    for path in ("/", f"/fit?{RUN}"):
        assert re.search(
            r'<details class="menu" data-saved hidden>.*data-saved-list', client.get(path).text, re.S
        ), path


@pytest.mark.parametrize("code", ["en", "az", "ar"])
def test_an_example_in_a_form_is_read_as_the_number_that_it_shows(client: TestClient, code: str) -> None:
    html = client.get("/?model=llama-3.1-8b", headers={"accept-language": code}).text
    examples = re.findall(r'name="(\w+)_(min|max)"[^>]*placeholder="([^"]*\d[^"]*)"', html)
    english = client.get("/?model=llama-3.1-8b").text
    assert examples
    for name, end, example in examples:
        assert f'name="{name}_{end}" value="" inputmode="decimal" placeholder="{example}"' in english
        parse_number(name, example)
