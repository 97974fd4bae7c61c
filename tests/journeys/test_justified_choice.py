"""From the empty page to a justified choice, as a new user goes: LoRA on Qwen 2.5 14B, 50 million tokens, by tomorrow,
under 40 USD, over the bundled prices in a real Chromium."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import pytest
from playwright.sync_api import Page, expect

from app.catalog import load_catalog
from app.db.engine import make_engine
from app.db.migrate import upgrade
from app.main import create_app
from app.market.ingest import seed
from app.market.service import Market
from app.settings import Settings
from tests.browser import PHONE, WIDE, browser, open_page, served

pytestmark = pytest.mark.browser
__all__ = ["browser", "open_page"]
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
TWO_MINUTES_S = 120.0
Open = Callable[..., Page]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The application over the bundled offers."""
    engine = make_engine(f"sqlite:///{tmp_path_factory.mktemp('choice') / 'rackrate.db'}")
    upgrade(engine)
    catalog = load_catalog()
    seed(engine, catalog, NOW)
    with served(create_app(Market.open(catalog, engine, lambda: NOW), Settings(refresh=False))) as url:
        yield url
    engine.dispose()


def figure(text: str | None) -> float:
    return float((text or "").replace(",", ""))


def fill_in(page: Page) -> None:
    """What the person knows, in the person's own words."""
    model = page.get_by_label("Model", exact=True)
    model.click()
    model.press_sequentially("Qwen 2.5 14B", delay=10)
    model.press("ArrowDown")
    model.press("Enter")
    page.get_by_label("Method").select_option("lora")
    page.get_by_label("Tokens to train on").fill("50 million")
    page.get_by_label("Deadline").fill("1 day")
    page.get_by_label("Budget").fill("40")
    page.get_by_label("Budget").press("Tab")
    expect(page).to_have_url(
        re.compile(r"model=qwen2.5-14b&method=lora&tokens=50000000&deadline_hours=24&budget_usd=40")
    )


@pytest.mark.parametrize("size", [WIDE, PHONE])
def test_a_new_user_gets_from_the_empty_page_to_a_justified_choice_in_two_minutes(
    open_page: Open, address: str, size: tuple[int, int]
) -> None:
    began = time.monotonic()
    page = open_page(address, size)
    page.get_by_role("link", name="Fit", exact=True).click()
    fill_in(page)
    expect(page.get_by_role("status").first).to_contain_text("One accelerator is enough")
    expect(page.locator("#limits")).to_contain_text("within your limits")
    lines = page.locator("#picks tbody tr")
    expect(lines.filter(has_text="Cheapest within the deadline")).to_have_count(1)
    expect(lines.filter(has_text="Cheapest on demand")).to_have_count(1)
    for line in lines.all():
        hours, usd, *_ = line.locator("td.num").all_text_contents()
        assert figure(hours) <= 24
        assert figure(usd) <= 40
    page.get_by_role("link", name="Compare these side by side").click()
    total = page.get_by_role("row", name=re.compile("^Total cost"))
    expect(total.locator(".best")).to_have_count(1)
    expect(page.get_by_role("row", name=re.compile("^Fit"))).to_contain_text("fits")
    page.locator(".compare thead th").nth(1).get_by_role("link").first.click()
    expect(page.get_by_role("heading", name="Memory per accelerator")).to_be_visible()
    expect(page.get_by_role("heading", name="Cost of the whole run")).to_be_visible()
    page.get_by_role("link", name="Save this estimate").click()
    expect(page.locator("#saved")).to_contain_text("Nothing moved.")
    assert time.monotonic() - began < TWO_MINUTES_S
