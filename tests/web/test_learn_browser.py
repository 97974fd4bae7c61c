"""The lessons in a real browser: accessible, within the window, and no dead end."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from app.web.learn import TOPICS
from tests.browser import PHONE, WIDE, check, complaints

pytestmark = pytest.mark.browser
Open = Callable[..., Page]
PATHS = ["/learn", *(topic.href for topic in TOPICS)]


@pytest.mark.parametrize(("size", "scheme"), [(WIDE, "light"), (PHONE, "dark")])
def test_every_lesson_is_accessible_quiet_and_within_the_window(
    open_page: Open, address: str, size: tuple[int, int], scheme: str
) -> None:
    page = open_page("about:blank", size, color_scheme=scheme)
    noise = complaints(page)
    for path in PATHS:
        page.goto(address + path)
        check(page)
        assert noise == [], path


def test_a_reader_goes_from_the_index_to_the_offers_behind_a_figure(open_page: Open, address: str) -> None:
    page = open_page(f"{address}/learn")
    page.locator("main").get_by_role("link", name="How much memory training needs").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("How much memory training needs")
    link = page.locator("main table").get_by_role("link", name="offers").last
    count = link.inner_text()
    link.click()
    expect(page.get_by_role("status").first).to_contain_text(count.split()[0])


def test_from_an_answer_back_to_the_lesson_and_on_to_the_next(open_page: Open, address: str) -> None:
    page = open_page(f"{address}/learn/{TOPICS[0].slug}")
    for topic in TOPICS[1:3]:
        page.locator("a[rel=next]").click()
        expect(page.get_by_role("heading", level=1)).to_have_text(topic.title)
    page.get_by_role("navigation", name="Where you are").get_by_role("link").click()
    expect(page).to_have_url(f"{address}/learn")
