"""Market and histories in a real browser: accessible, within the window, in both directions of script."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from app.market.service import Market
from tests.browser import PHONE, WIDE, check, complaints, served
from tests.web.site import make_app
from tests.web.test_market import H100, past

pytestmark = pytest.mark.browser
__all__ = ["past"]
Open = Callable[..., Page]


@pytest.fixture(scope="module")
def site(past: Market) -> Iterator[str]:
    """A real server over the market with a past."""
    with served(make_app(past)) as url:
        yield url


def paths(past: Market) -> list[str]:
    mover = next(record.id for record in past.board.records if record.provider == "vast")
    return [
        "/market", "/market?purchase_option=spot&sort=high&order=desc", "/market?purchase_option=block", f"{H100}?days=365",
        f"/offers/{mover}", "/providers/lambda", "/models/llama-3.1-8b", "/market?lang=ar",
    ]  # fmt: skip


@pytest.mark.parametrize(("size", "scheme"), [(WIDE, "light"), (PHONE, "dark")])
def test_every_history_is_accessible_quiet_and_within_the_window(
    open_page: Open, site: str, past: Market, size: tuple[int, int], scheme: str
) -> None:
    page = open_page("about:blank", size, color_scheme=scheme)
    noise = complaints(page)
    for path in paths(past):
        page.goto(site + path)
        page.evaluate("document.querySelectorAll('main details').forEach(one => one.open = true)")
        check(page)
        assert noise == [], path


def test_time_runs_from_left_to_right_in_arabic_too(open_page: Open, site: str) -> None:
    for lang in ("en", "ar"):
        page = open_page(f"{site}/market?lang={lang}")
        ticks = page.locator("svg.prices text.mid").all()
        places = [(tick.text_content() or "", tick.bounding_box() or {}) for tick in ticks]
        assert len(places) >= 2
        assert [text for text, _ in places] == sorted(text for text, _ in places)
        lefts = [box["x"] for _, box in places]
        assert lefts == sorted(lefts)


def test_from_a_mover_to_its_history_and_from_a_level_into_the_table(open_page: Open, site: str) -> None:
    page = open_page(f"{site}/market")
    page.locator("#movers tbody th a").first.click()
    expect(page.locator("#history svg.prices")).to_be_visible()
    page.go_back()
    page.get_by_role("link", name="spot", exact=False).first.click()
    expect(page.locator("#now caption")).to_contain_text("spot")
    page.locator("#now tbody td a").nth(1).click()
    expect(page.locator("table.offers tbody tr").first).to_be_visible()
