"""Back and Forward in a real Chromium: every step that was taken can be gone back, and forward again."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser import complaints

pytestmark = pytest.mark.browser
Open = Callable[..., Page]


def walk(page: Page, addresses: list[str], shows: Callable[[int], None]) -> None:
    """From the last of these addresses to the first and to the last again, twice, a step at a time; `shows` looks at
    the page of the n-th."""
    places = list(range(len(addresses)))
    for _ in range(2):
        for place in places[-2::-1]:
            page.go_back()
            expect(page).to_have_url(addresses[place])
            shows(place)
        for place in places[1:]:
            page.go_forward()
            expect(page).to_have_url(addresses[place])
            shows(place)


def test_back_and_forward_lead_through_every_order_of_the_table(open_page: Open, address: str) -> None:
    page = open_page(address)
    noise, addresses, columns = complaints(page), [page.url], ["", "accelerator_count", "provider"]
    for column in columns[1:]:
        page.locator(f"#sort-{column}").click()
        expect(page.locator(f"th[aria-sort] #sort-{column}")).to_be_visible()
        addresses.append(page.url)

    def shows(place: int) -> None:
        for number, column in enumerate(columns[1:], 1):
            expect(page.locator(f"th[aria-sort] #sort-{column}")).to_have_count(int(number == place))
        expect(page.locator("#offers tbody > tr")).to_have_count(40)

    walk(page, addresses, shows)
    assert noise == []


def test_back_and_forward_lead_through_every_run_that_was_judged(open_page: Open, address: str) -> None:
    page = open_page(f"{address}/fit?model=llama-3.1-8b")
    noise, addresses, methods = complaints(page), [page.url], ["", "lora", "qlora"]
    for method in methods[1:]:
        page.get_by_label("Method").select_option(method)
        expect(page).to_have_url(f"{addresses[0]}&method={method}")
        addresses.append(page.url)
    said: dict[int, str] = {}

    def shows(place: int) -> None:
        expect(page.get_by_label("Method")).to_have_value(methods[place])
        text = page.locator("#answer .caption").inner_text()
        assert said.setdefault(place, text) == text

    walk(page, addresses, shows)
    assert len(set(said.values())) > 1
    assert noise == []


def test_an_answer_to_the_same_question_is_no_step_of_its_own(open_page: Open, address: str) -> None:
    page = open_page(f"{address}/status")
    page.goto(f"{address}/?provider=vast")
    for _ in range(2):
        with page.expect_response("**/?provider=vast"):
            page.get_by_role("button", name="Show offers").click()
    page.go_back()
    expect(page).to_have_url(f"{address}/status")


def test_the_model_list_opens_on_a_page_that_was_gone_back_to(open_page: Open, address: str) -> None:
    page = open_page(f"{address}/fit?model=llama-3.1-8b")
    page.get_by_label("Method").select_option("lora")
    expect(page).to_have_url(f"{address}/fit?model=llama-3.1-8b&method=lora")
    page.go_back()
    expect(page.get_by_label("Method")).to_have_value("")
    page.get_by_role("combobox", name="Model", exact=True).fill("qwen 2.5 14")
    expect(page.locator("#models-popup [role=option]").first).to_contain_text("Qwen2.5 14B")
