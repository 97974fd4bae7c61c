"""A chosen currency goes along from the table to the pages behind it, and numbers and headings change together."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from fastapi.testclient import TestClient

from app.market.board import BoardHolder
from app.market.service import Market
from tests.web.site import make_app
from tests.web.test_table import RATES

RUN = "model=llama-3.1-8b&method=qlora&tokens=1000000"
CARRIED = re.compile(r'<a [^>]*?href="((?:/offers|/accelerators|/providers)/[^"]+|/compare\?[^"]*|/\?[^"]*)"')
HOURLY = re.compile(r"<dd>([\d.,]+) <small>(\w+)/h</small></dd>")
AMOUNT = re.compile(r"([\d.,]+) (?:USD|EUR)")


@pytest.fixture(scope="module")
def euro(market: Market) -> TestClient:
    """A euro is worth 1.25 dollars."""
    holder = BoardHolder(replace(market.board, rates=RATES, version="with-rates"))
    return TestClient(make_app(replace(market, holder=holder)), follow_redirects=False)


@pytest.fixture(scope="module")
def pages(market: Market) -> list[str]:
    """One page of every kind that a row of the table leads to."""
    first, second = [record.id for record in market.board.records if record.accelerator_count == 8][:2]
    both = f"/compare?offer={first}&offer={second}&"
    return [
        f"/offers/{first}?",
        f"/offers/{first}?{RUN}&",
        "/accelerators/h100-sxm5-80gb?",
        "/providers/lambda?",
        "/market?",
        "/market?purchase_option=spot&days=30&",
        both,
        f"{both}{RUN}&",
    ]


def test_every_page_behind_a_row_is_told_in_the_chosen_currency_and_carries_it_on(
    euro: TestClient, pages: list[str]
) -> None:
    for page in pages:
        html = euro.get(f"{page}currency=EUR").text
        assert re.search(r'id="rate">1 EUR = 1\.2500 USD · Reference rate of 2026-11-27', html), page
        links = CARRIED.findall(html)
        assert links, page
        assert [link for link in links if "currency=EUR" not in link] == [], page


def test_figures_and_their_unit_change_together(euro: TestClient, pages: list[str]) -> None:
    for page in pages[:4]:
        plain, other = (HOURLY.findall(euro.get(page + asked).text) for asked in ("", "currency=EUR"))
        assert {unit for _, unit in plain} == {"USD"}
        assert {unit for _, unit in other} == {"EUR"}
        wanted = [float(value.replace(",", "")) / 1.25 for value, _ in plain]
        assert [float(value.replace(",", "")) for value, _ in other] == pytest.approx(wanted, abs=1e-3)


@pytest.mark.parametrize("name", ["Price", "Total cost"])
def test_lines_of_a_comparison_are_in_the_currency_and_the_same_ones_are_best(
    euro: TestClient, pages: list[str], name: str
) -> None:
    line = re.compile(rf'<tr[^>]*><th scope="row">{name}(?:<| <).*?</tr>', re.DOTALL)
    before, after = (line.search(euro.get(pages[-1] + asked).text) for asked in ("", "currency=EUR"))
    assert before
    assert after
    assert "USD" not in after[0]
    figures = [[float(one.replace(",", "")) for one in AMOUNT.findall(text[0])] for text in (before, after)]
    assert figures[1] == pytest.approx([value / 1.25 for value in figures[0]], rel=0.01) != []
    assert re.findall("best|<td", before[0]) == re.findall("best|<td", after[0])


def test_the_table_hands_its_currency_to_its_rows_and_to_the_comparison(euro: TestClient) -> None:
    html = euro.get(f"/?{RUN}&currency=EUR").text
    rows = html.split('id="offers"', 1)[1].split("</table>")[0]
    links = re.findall(r'href="((?:/offers|/accelerators)/[^"]+)"', rows)
    assert links
    assert [link for link in links if "currency=EUR" not in link] == []
    form = re.search(r'<form id="compare".*?</form>', html, re.DOTALL)
    assert form
    assert '<input type="hidden" name="currency" value="EUR">' in form[0]


def test_a_currency_without_a_rate_says_so_on_every_page_and_one_that_is_none_is_refused(
    client: TestClient, pages: list[str]
) -> None:
    for page in pages:
        assert "No exchange rate for EUR is known yet" in client.get(f"{page}currency=EUR").text, page
        refused = client.get(f"{page}currency=DOGE")
        assert refused.status_code == 422
        assert "currency" in refused.text


def test_levels_of_the_market_and_their_headings_change_together(euro: TestClient) -> None:
    def level(asked: str) -> tuple[list[str], list[float]]:
        table = euro.get(f"/market?{asked}").text.split('id="now"', 1)[1].split("</table>")[0]
        units = re.findall(r"<small>(?:<bdi>)?(\w+/[^<]+)<", table)
        cells = re.findall(r'<td class="num[^"]*">(?:<a[^>]*>)?([\d,]+\.\d+)', table)
        return units, [float(cell.replace(",", "")) for cell in cells]

    plain, other = level(""), level("currency=EUR")
    assert [unit.replace("USD", "EUR") for unit in plain[0]] == other[0] != plain[0]
    assert other[1] == pytest.approx([value / 1.25 for value in plain[1]], rel=0.02, abs=6e-4)
    assert len(plain[1]) > 10
