"""Tables of thousands of rows in a real Chromium, over the bundled prices: at once in sight, soon whole, never mixed."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.request import urlopen

import pytest
from playwright.sync_api import Page, expect

from app.web.cells import AT_ONCE
from tests.browser import browser, open_page
from tests.journeys.test_justified_choice import address

pytestmark = pytest.mark.browser
__all__ = ["address", "browser", "open_page"]
Open = Callable[..., Page]
IDS = "rows => rows.map(row => row.querySelector('th a').pathname)"
ROWS = "#offers > table > tbody > tr"


def sent(address: str, path: str) -> list[str]:
    """The offers of a page in the order in which the server wrote them."""
    with urlopen(address + path) as answer:
        table = answer.read().decode().partition('id="offers"')[2].partition("</noscript>")[0]
    return re.findall(r'<th scope="row"[^>]*>.*?href="(/offers/\w+)', table)


def test_every_row_comes_in_the_order_of_the_server(open_page: Open, address: str) -> None:
    page = open_page(f"{address}/?per_page=400")
    expect(page.locator(ROWS)).to_have_count(400)
    assert page.eval_on_selector_all(ROWS, IDS) == sent(address, "/?per_page=400")
    page.locator("#sort-region").click()
    expect(page.locator("th[aria-sort] #sort-region")).to_be_visible()
    expect(page.locator(ROWS)).to_have_count(400)
    assert page.eval_on_selector_all(ROWS, IDS) == sent(address, "/?per_page=400&sort=region")


def test_rows_of_an_answer_that_was_left_stay_away(open_page: Open, address: str) -> None:
    page = open_page(f"{address}/?per_page=400")
    page.evaluate("document.querySelector('#sort-region').click()")
    page.evaluate("document.querySelector('#sort-provider').click()")
    expect(page.locator("th[aria-sort] #sort-provider")).to_be_visible()
    expect(page.locator(ROWS)).to_have_count(400)
    assert page.eval_on_selector_all(ROWS, IDS) == sent(address, "/?per_page=400&sort=provider")


def test_going_back_brings_the_whole_table_back(open_page: Open, address: str) -> None:
    page = open_page(f"{address}/?per_page=400")
    page.locator("#sort-region").click()
    expect(page.locator("th[aria-sort] #sort-region")).to_be_visible()
    page.go_back()
    expect(page.locator("th[aria-sort] #sort-region")).to_have_count(0)
    expect(page.locator(ROWS)).to_have_count(400)
    assert page.eval_on_selector_all(ROWS, IDS) == sent(address, "/?per_page=400")


def test_a_row_that_came_later_can_be_ticked_and_stays_ticked(open_page: Open, address: str) -> None:
    page = open_page(f"{address}/?per_page=400")
    box = page.locator(ROWS).nth(AT_ONCE + 40).locator("input[name=offer]")
    chosen = box.get_attribute("value")
    box.check()
    page.locator("#sort-provider").click()
    expect(page.locator("th[aria-sort] #sort-provider")).to_be_visible()
    page.go_back()
    expect(page.locator(f'input[type=checkbox][value="{chosen}"]')).to_be_checked()


def test_without_a_script_every_row_is_there_at_once(open_page: Open, address: str) -> None:
    page = open_page(f"{address}/?per_page=400", java_script_enabled=False)
    expect(page.locator("#offers tbody > tr")).to_have_count(400)
    last = page.locator("#offers tbody > tr").last
    last.scroll_into_view_if_needed()
    expect(last.locator("th a")).to_be_visible()
