"""Choices, rent or buy and the trial in a real Chromium: accessible, within the window, usable by hand."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser import PHONE, WIDE, check
from tests.training.test_calibration import SMI

pytestmark = pytest.mark.browser
Open = Callable[..., Page]
PATHS = (
    "/?model=llama-3.1-8b&method=qlora",
    "/rent-or-buy?accelerator=h100-sxm5-80gb",
    "/trial?model=llama-3.1-8b&measured_on=h100-sxm5-80gb+x8&measured_tokens_per_s=60000&busy_percent=97",
)


@pytest.mark.parametrize(("size", "scheme", "turned"), [(WIDE, "light", "ltr"), (PHONE, "dark", "rtl")])
def test_the_pages_that_help_decide_are_accessible_and_within_the_window(
    open_page: Open, address: str, size: tuple[int, int], scheme: str, turned: str
) -> None:
    page = open_page("about:blank", size, color_scheme=scheme)
    for path in PATHS:
        page.goto(address + path)
        page.evaluate(f"document.documentElement.dir = '{turned}'")
        check(page)


def test_from_a_trial_to_the_corrected_table_and_along_its_front(open_page: Open, address: str) -> None:
    page = open_page(f"{address}/trial", java_script_enabled=False)
    page.get_by_label("Model", exact=True).fill("llama-3.1-8b")
    page.get_by_label("Trial ran on").fill("h100-sxm5-80gb x8")
    page.get_by_label("Measured speed").fill("60000")
    page.get_by_label("Paste of nvidia-smi").fill(SMI)
    page.get_by_role("button", name="Judge the trial").click()
    expect(page.get_by_role("status")).to_contain_text("compute-bound")
    page.get_by_role("link", name="All offers with the corrected run").click()
    expect(page.locator("#calibration")).to_contain_text("Corrected by your trial")
    page.locator("#front tbody a").first.click()
    expect(page.get_by_role("heading", name="Interruptions and checkpoints")).to_be_visible()


def test_the_plot_follows_the_filters(open_page: Open, address: str) -> None:
    page = open_page(f"{address}/?model=llama-3.1-8b&method=qlora")
    expect(page.locator("svg.plot a")).not_to_have_count(0)
    front = page.locator("#front tbody tr")
    expect(front.filter(has_text="RTX")).not_to_have_count(0)
    page.get_by_label("Method").select_option(label="Full fine-tune")
    expect(page.locator("p.caption")).to_contain_text("full fine-tune")
    expect(front.filter(has_text="RTX")).to_have_count(0)
    expect(front).not_to_have_count(0)
