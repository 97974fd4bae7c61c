"""Haste: what is typed and what is clicked before the answer came are both in the next answer, in any order."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

pytestmark = pytest.mark.browser
Open = Callable[..., Page]
SLOW_S = 0.6


def search(page: Page, text: str) -> None:
    page.locator("#q-q").press_sequentially(text)


def slowly(page: Page, wanted: str) -> None:
    """Answers to addresses with this text come late."""

    def wait(route: Route) -> None:
        if re.search(wanted, route.request.url):
            time.sleep(SLOW_S)
        route.continue_()

    page.route(re.compile(r"\?"), wait)


def settled(page: Page, *parts: str) -> None:
    """The address has these parts and keeps them once nothing is on its way."""
    for part in parts:
        expect(page).to_have_url(re.compile(part))
    page.wait_for_timeout(SLOW_S * 1000 + 500)
    for part in parts:
        assert re.search(part, page.url), page.url


@pytest.mark.parametrize("late", ["nothing", "q=h100(?!.*sort=)", "sort="])
def test_a_heading_clicked_while_a_search_is_typed_sorts_what_was_searched(
    open_page: Open, address: str, late: str
) -> None:
    page = open_page(address)
    slowly(page, late)
    search(page, "h100")
    page.locator("#sort-vcpus").click()
    settled(page, "q=h100", "sort=vcpus")
    expect(page.locator("thead th[aria-sort]")).to_contain_text("vCPUs")
    expect(page.locator("#q-q")).to_have_value("h100")
    expect(page.locator("#offers tbody tr").first).to_contain_text("H100")


def test_a_search_typed_while_a_sort_is_on_its_way_keeps_the_sort(open_page: Open, address: str) -> None:
    page = open_page(address)
    slowly(page, "sort=vcpus(?!.*q=)")
    page.locator("#sort-vcpus").click()
    search(page, "h100")
    settled(page, "q=h100", "sort=vcpus")


def test_a_chip_taken_away_while_a_search_is_typed_stays_away(open_page: Open, address: str) -> None:
    page = open_page(f"{address}/?provider=vast&purchase_option=spot")
    search(page, "rtx")
    page.locator(".chips a").filter(has_text="Vast").click()
    settled(page, "q=rtx", "purchase_option=spot")
    assert "provider" not in page.url


def test_a_switch_changed_while_a_search_is_typed_stays_changed(open_page: Open, address: str) -> None:
    page = open_page(address)
    search(page, "h100")
    page.locator("#v-price_per").select_option("month")
    settled(page, "q=h100", "price_per=month")


def test_a_page_turned_just_before_a_search_is_not_turned_in_its_answer(
    open_page: Open, address: str
) -> None:
    page = open_page(f"{address}/?per_page=10")
    slowly(page, "page=2")
    page.locator("#next").click()
    search(page, "h100")
    settled(page, "q=h100")
    assert "&page=" not in page.url


def test_a_heading_alone_asks_for_its_own_address(open_page: Open, address: str) -> None:
    page = open_page(f"{address}/?provider=vast")
    wanted = page.locator("#sort-vcpus").get_attribute("href")
    page.locator("#sort-vcpus").click()
    expect(page).to_have_url(f"{address}{wanted}")
    expect(page.locator("#sort-vcpus")).to_be_focused()


@pytest.mark.parametrize("path", ["/", "/fit"])
def test_enter_in_a_field_asks_once_and_again_when_it_is_pressed_again(
    open_page: Open, address: str, path: str
) -> None:
    page = open_page(f"{address}{path}?model=llama-3.1-8b")
    asked: list[str] = []
    page.on("request", lambda sent: asked.append(sent.url) if "hx-request" in sent.headers else None)
    field = page.get_by_label("Sequence length", exact=False).first
    field.fill("2048")
    field.press("Enter")
    settled(page, "sequence_length=2048")
    assert len(asked) == 1
    field.press("Enter")
    settled(page, "sequence_length=2048")
    assert len(asked) == 2
