"""The three languages in a real Chromium: mirrored where they should be, accessible, and kept from page to page."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from app.market.service import Market
from tests.browser import PHONE, WIDE, check, fits
from tests.web.test_browser import RUN, Look, paths

pytestmark = pytest.mark.browser
Open = Callable[..., Page]


@pytest.mark.parametrize(
    ("code", "size", "scheme", "look_at"),
    [("ar", WIDE, "light", fits), ("ar", PHONE, "dark", check), ("az", PHONE, "light", fits)],
)
def test_every_page_of_a_language_is_accessible_and_within_the_window(
    open_page: Open,
    address: str,
    market: Market,
    code: str,
    size: tuple[int, int],
    scheme: str,
    look_at: Look,
) -> None:
    page = open_page("about:blank", size, color_scheme=scheme, locale=code)
    for path in (*paths(market), "/market", "/learn", "/learn/memory"):
        page.goto(address + path)
        assert page.locator("html").get_attribute("lang") == code
        look_at(page)


def test_the_switch_keeps_a_question_that_was_asked_without_a_new_page(open_page: Open, address: str) -> None:
    page = open_page(address)
    page.get_by_label("Model", exact=True).fill("Llama 3.1 8B")
    page.get_by_label("Model", exact=True).press("Enter")
    expect(page).to_have_url(re.compile(RUN))
    page.get_by_role("link", name="العربية").click()
    expect(page.locator("html")).to_have_attribute("dir", "rtl")
    expect(page).to_have_url(re.compile(f"{RUN}.*lang=ar"))
    expect(page.locator("#f-model")).to_have_value("llama-3.1-8b")
    page.locator("select[name=method]").select_option("qlora")
    expect(page).to_have_url(re.compile("method=qlora.*lang=ar"))
    page.goto(f"{address}/methods")
    expect(page.locator("html")).to_have_attribute("lang", "ar")
    page.get_by_role("link", name="English").click()
    expect(page.locator("html")).to_have_attribute("dir", "ltr")


@pytest.mark.parametrize("size", [WIDE, PHONE])
def test_arabic_is_mirrored_and_its_plots_are_not(
    open_page: Open, address: str, size: tuple[int, int]
) -> None:
    page = open_page(f"{address}/?{RUN}&lang=ar", size)
    middle = size[0] / 2
    brand = page.locator(".brand").bounding_box()
    assert brand is not None
    assert brand["x"] > middle
    scroll = page.locator("div.scroll:has(table.offers)").last
    scroll.scroll_into_view_if_needed()
    right = scroll.evaluate("box => box.getBoundingClientRect().right")
    edge = "table => table.querySelector('tbody th').getBoundingClientRect().right"
    table = scroll.locator("table")
    assert abs(table.evaluate(edge) - right) < 4, "the first column begins at the right"
    scroll.evaluate("box => box.scrollBy(-300, 0)")
    assert abs(table.evaluate(edge) - right) < 4, "and stays there"
    ticks = page.locator("svg text").evaluate_all(
        "all => all.filter(text => /^[\\d.]+$/.test(text.textContent) && text.getAttribute('text-anchor') === 'middle')"
        ".map(text => [parseFloat(text.textContent), text.getBoundingClientRect().x])"
    )
    assert ticks == sorted(ticks), "numbers grow from left to right"


def test_figures_read_in_their_own_order_in_arabic(open_page: Open, address: str) -> None:
    page = open_page(f"{address}/methods?lang=ar")
    cell = page.locator("td.num", has_text=re.compile(r"^\s*\S*-\d+\.\d %")).first
    order = cell.evaluate(
        "cell => { const text = cell.firstChild, range = document.createRange(), at = i => { range.setStart(text, i);"
        " range.setEnd(text, i + 1); return range.getBoundingClientRect().x; };"
        " return [at(text.data.search(/-/)), at(text.data.search(/\\d/)), at(text.data.search(/%/))]; }"
    )
    assert order == sorted(order), "minus, digits, percent"


CUT_AT_THE_BEGINNING = """() => [...document.querySelectorAll("main td, main th, main td a, main th a")].filter((cell) => {
  const style = getComputedStyle(cell);
  return style.overflowX !== "visible" && style.display !== "inline" && cell.scrollWidth > cell.clientWidth
    && style.direction === "rtl" && /^[\\u2068\\s\\d×]*[A-Za-z]/.test(cell.textContent);
}).map((cell) => cell.textContent)"""


def test_latin_names_keep_their_beginning_where_a_cell_is_too_narrow_in_arabic(
    open_page: Open, address: str
) -> None:
    page = open_page("about:blank")
    for path in ("/?columns=accelerator_label,instance_type,source,price", "/rent-or-buy?accelerator=h100-sxm5-80gb",
                 "/accelerators/h100-sxm5-80gb"):  # fmt: skip
        page.goto(f"{address}{path}{'&' if '?' in path else '?'}lang=ar")
        names = page.locator("main td:has(bdi)")
        assert names.count()
        names.evaluate_all("cells => cells.forEach(cell => { cell.style.maxInlineSize = '3rem' })")
        assert page.evaluate(CUT_AT_THE_BEGINNING) == [], path


def test_the_sources_fit_beside_one_another_in_a_wide_window(open_page: Open, address: str) -> None:
    for code in ("en", "az", "ar"):
        page = open_page(f"{address}/status?lang={code}")
        assert page.locator(".scroll").first.evaluate("box => box.scrollWidth - box.clientWidth") <= 0, code
