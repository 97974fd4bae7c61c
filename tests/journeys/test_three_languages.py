"""The main journeys in each language, at two widths, light and dark, in a real Chromium over the bundled prices: the
run on the fit page, the offers that hold it, two of them side by side, one with every term, and the estimate kept."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import product

import pytest
from playwright.sync_api import Page, expect

from app.web.language import LANGUAGES, gettext, speaking
from tests.browser import PHONE, WIDE, browser, check, complaints, open_page
from tests.journeys.test_justified_choice import address

pytestmark = pytest.mark.browser
__all__ = ["address", "browser", "open_page"]
Open = Callable[..., Page]
RUN = "model=qwen2.5-14b&method=lora&tokens=50000000&deadline_hours=24&budget_usd=40"
LOOKS = [(size, scheme) for size in (WIDE, PHONE) for scheme in ("light", "dark")]


def said(code: str, text: str) -> str:
    with speaking(code):
        return gettext(text)


@pytest.mark.parametrize(("code", "look"), [*product(LANGUAGES, LOOKS)])
def test_from_a_run_to_a_kept_estimate(
    open_page: Open, address: str, code: str, look: tuple[tuple[int, int], str]
) -> None:
    size, scheme = look
    page = open_page(f"{address}/fit?lang={code}", size, color_scheme=scheme)
    noise = complaints(page)
    for name, value in (
        ("model", "qwen2.5-14b"),
        ("tokens", "50M"),
        ("deadline_hours", "24"),
        ("budget_usd", "40"),
    ):
        page.locator(f"[name={name}]").first.fill(value)
    page.locator("select[name=method]").select_option("lora")
    expect(page).to_have_url(re.compile(RUN.replace(".", r"\.")))
    expect(page.locator("html")).to_have_attribute("dir", LANGUAGES[code].direction)
    expect(page.locator("#picks tbody tr").first).to_be_visible()
    check(page)
    page.goto(f"{address}/?{RUN}&lang={code}")
    rows = page.locator("#offers tbody > tr")
    expect(rows.first).to_be_visible()
    ids = [rows.nth(n).locator("input[name=offer]").get_attribute("value") for n in (0, 1)]
    page.goto(f"{address}/compare?offer={ids[0]}&offer={ids[1]}&{RUN}&lang={code}")
    expect(page.get_by_role("heading", level=1)).to_have_text(said(code, "Offers side by side"))
    check(page)
    page.goto(f"{address}/offers/{ids[0]}?{RUN}&lang={code}")
    check(page)
    page.get_by_role("link", name=said(code, "Save this estimate")).click()
    expect(page.locator("#saved")).to_contain_text(said(code, "Nothing moved."))
    assert noise == []


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_table_is_searched_sorted_grouped_and_unfolded(open_page: Open, address: str, code: str) -> None:
    page = open_page(f"{address}/?per_page=20&lang={code}", PHONE if code == "az" else WIDE)
    page.locator("[name=q]").first.fill("8xH100 <30")
    page.locator("[name=q]").first.press("Enter")
    expect(page).to_have_url(re.compile(r"q=8xH100\+%3C30|q=8xH100\+<30"))
    check(page)
    page.locator("#sort-region").click()
    expect(page.locator("th[aria-sort=ascending] #sort-region")).to_be_visible()
    check(page)
    page.locator("#offers tbody > tr > th a").first.click()
    expect(page.locator("tr.fold .unfolded")).to_be_visible()
    page.goto(f"{address}/?group=provider&q=8xH100&lang={code}")
    page.locator("#offers tbody > tr > th a").first.click()
    expect(page.locator("tr.fold .unfolded")).to_be_visible()
    check(page)
