"""The fit form in a real Chromium: the model list, the verdict as one types, nothing lost, the file, the comparison."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from app.market.service import Market
from tests.browser import PHONE, WIDE, check

pytestmark = pytest.mark.browser
Open = Callable[..., Page]
RUN = "model=llama-3.1-8b&tokens=50000000"
CONFIG = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": 2048,
    "num_hidden_layers": 16,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "intermediate_size": 8192,
    "vocab_size": 128256,
}


def machines(market: Market, *names: str) -> list[str]:
    return [next(r.id for r in market.board.records if r.instance_type == name) for name in names]


def test_a_model_is_found_by_a_few_words_and_chosen_with_the_keyboard(open_page: Open, address: str) -> None:
    page = open_page(f"{address}/fit")
    model = page.get_by_role("combobox", name="Model", exact=True)
    model.click()
    model.press_sequentially("qwen 2.5 14", delay=20)
    first = page.locator("#models-popup [role=option]").first
    expect(first).to_contain_text("Qwen2.5 14B · 14.8B")
    expect(first).to_contain_text("48 layers")
    expect(model).to_have_attribute("aria-expanded", "true")
    model.press("ArrowDown")
    expect(first).to_have_attribute("aria-selected", "true")
    assert model.get_attribute("aria-activedescendant") == first.get_attribute("id")
    model.press("Enter")
    expect(page).to_have_url(f"{address}/fit?model=qwen2.5-14b")
    expect(page.get_by_role("listbox")).to_be_hidden()
    model.press_sequentially(" x")
    expect(page.locator("#models-popup [role=option]")).to_contain_text("No such model in the list")
    model.press("Escape")
    expect(page.get_by_role("listbox")).to_be_hidden()


def test_the_verdict_follows_what_is_typed_and_the_cursor_stays(open_page: Open, address: str) -> None:
    page = open_page(f"{address}/fit?model=llama-3.1-8b&method=lora")
    tokens = page.get_by_label("Tokens to train on")
    tokens.click()
    tokens.press_sequentially("50 million", delay=20)
    expect(page).to_have_url(f"{address}/fit?model=llama-3.1-8b&method=lora&tokens=50000000")
    assert page.evaluate("document.activeElement.id") == "f-tokens"
    expect(tokens).to_have_value("50 million")
    tokens.press("Tab")
    expect(tokens).to_have_value("50M")
    length = page.get_by_label("Sequence length")
    length.fill("32k")
    expect(page).to_have_url(re.compile("sequence_length=32000"))


def test_a_wrong_value_is_told_beside_the_field_while_the_rest_stays(open_page: Open, address: str) -> None:
    page = open_page(f"{address}/fit?{RUN}")
    deadline = page.get_by_label("Deadline")
    deadline.click()
    deadline.press_sequentially("soon", delay=20)
    told = page.locator("#f-deadline_hours-wrong")
    expect(told).to_contain_text("must be a number")
    assert "f-deadline_hours-wrong" in (deadline.get_attribute("aria-describedby") or "")
    expect(deadline).to_have_value("soon")
    expect(page.get_by_label("Tokens to train on")).to_have_value("50M")
    expect(page).to_have_url(f"{address}/fit?{RUN}")
    check(page)
    deadline.fill("2 days")
    expect(told).to_have_count(0)
    expect(page).to_have_url(f"{address}/fit?{RUN}&deadline_hours=48")


def test_a_config_file_is_read_into_the_form(open_page: Open, address: str, tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(CONFIG), encoding="utf-8")
    page = open_page(f"{address}/fit?model=gpt2")
    page.get_by_text("Not in the list?").click()
    page.get_by_label("… or choose the file").set_input_files(path)
    expect(page).to_have_url(re.compile(r"/fit\?config="))
    expect(page.get_by_label("Model", exact=True)).to_have_value("")
    expect(page.get_by_label("config.json (paste)")).to_have_value(re.compile("LlamaForCausalLM"))


def test_without_javascript_the_same_file_is_sent(open_page: Open, address: str, tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(CONFIG), encoding="utf-8")
    page = open_page(f"{address}/fit", java_script_enabled=False)
    page.get_by_text("Not in the list?").click()
    page.get_by_label("Method").select_option("lora")
    page.get_by_label("… or send the file").set_input_files(path)
    page.get_by_role("button", name="Read the file").click()
    expect(page).to_have_url(re.compile(r"/fit\?config=.*method=lora"))
    expect(page.locator("#answer")).to_contain_text("is enough")


def test_a_lever_changes_the_run_and_the_form_follows(open_page: Open, address: str) -> None:
    page = open_page(f"{address}/fit?{RUN}")
    page.locator("#levers").get_by_role("link", name="QLoRA").click()
    expect(page.get_by_label("Method")).to_have_value("qlora")
    expect(page.get_by_role("status")).to_contain_text("One accelerator is enough")


@pytest.mark.parametrize("size", [WIDE, PHONE])
def test_offers_side_by_side_read_on_any_width_with_the_headings_in_place(
    open_page: Open, address: str, market: Market, size: tuple[int, int]
) -> None:
    keys = machines(market, "gpu_8x_h100_sxm5", "gpu_8x_b200_sxm6", "gpu_8x_a100_80gb", "1x_rtx_4090")
    query = "&".join(f"offer={key}" for key in keys)
    page = open_page(f"{address}/compare?{query}&{RUN}", size)
    check(page)
    box = page.locator(".scroll").first
    box.evaluate("box => { box.scrollLeft = 400; box.scrollTop = 500 }")
    frame, head = box.bounding_box(), page.get_by_role("rowheader", name="Total cost").bounding_box()
    top = page.locator(".compare thead th").nth(1).bounding_box()
    assert frame and head and top
    assert abs(head["x"] - frame["x"]) < 3
    assert abs(top["y"] - frame["y"]) < 3


def test_from_an_offer_to_the_comparison_and_back_without_javascript(
    open_page: Open, address: str, market: Market
) -> None:
    first, second = machines(market, "gpu_8x_h100_sxm5", "gpu_8x_a100_80gb")
    page = open_page(f"{address}/offers/{first}?{RUN}", java_script_enabled=False)
    page.get_by_role("link", name="Compare with others").click()
    expect(page).to_have_url(f"{address}/compare?offer={first}&{RUN}")
    page.get_by_label("Address or id of an offer").fill(f"{address}/offers/{second}?{RUN}")
    page.get_by_role("button", name="Add").click()
    expect(page).to_have_url(f"{address}/compare?offer={first}&offer={second}&{RUN}")
    page.get_by_role("link", name="Take away").first.click()
    expect(page).to_have_url(f"{address}/compare?offer={second}&{RUN}")


def test_an_estimate_is_saved_by_its_link_and_shows_then_beside_now(
    open_page: Open, address: str, market: Market
) -> None:
    (key,) = machines(market, "gpu_8x_h100_sxm5")
    page = open_page(f"{address}/offers/{key}?{RUN}")
    page.get_by_role("link", name="Save this estimate").click()
    expect(page.get_by_role("heading", name="beside today")).to_be_visible()
    expect(page.locator("#saved")).to_contain_text("Nothing moved.")
    kept = page.evaluate("JSON.parse(localStorage.getItem('rackrate.saved'))")
    assert [one["href"] for one in kept] == [page.url.removeprefix(address)]
    assert kept[0]["name"].startswith("Llama 3.1 8B · 8× ")
    check(page)


def test_rows_ticked_in_the_table_stay_ticked_through_sorting_and_are_compared(
    open_page: Open, address: str, market: Market
) -> None:
    first, second = machines(market, "gpu_8x_h100_sxm5", "gpu_8x_b200_sxm6")
    page = open_page(f"{address}/?{RUN}")
    page.locator(f'input[name=offer][value="{first}"]').check()
    page.get_by_role("link", name="Time", exact=True).click()
    expect(page.locator("th[aria-sort]")).to_contain_text("Time")
    expect(page.locator(f'input[name=offer][value="{first}"]')).to_be_checked()
    page.get_by_role("searchbox", name="Search").fill("b200")
    page.locator(f'input[name=offer][value="{second}"]').check()
    expect(page.locator(f'input[name=offer][value="{first}"]:not([type=hidden])')).to_have_count(0)
    page.get_by_role("button", name="Compare ticked 2").click()
    expect(page.locator(".compare thead th a.away")).to_have_count(2)
    expect(page).to_have_url(re.compile(f"offer={first}&.*offer={second}"))


def test_a_seventh_row_cannot_be_ticked_and_the_table_says_why(open_page: Open, address: str) -> None:
    page = open_page(address)
    boxes = page.locator("#offers input[name=offer]")
    for place in range(6):
        boxes.nth(place).check()
    boxes.nth(6).click()
    expect(boxes.nth(6)).not_to_be_checked()
    expect(page.locator("#compare [role=status]")).to_contain_text("At most six offers")


def test_without_javascript_ticked_rows_are_a_form(open_page: Open, address: str, market: Market) -> None:
    first, second = machines(market, "gpu_8x_h100_sxm5", "gpu_8x_a100_80gb")
    page = open_page(f"{address}/?{RUN}", java_script_enabled=False)
    for key in (first, second):
        page.locator(f'input[name=offer][value="{key}"]').check()
    page.get_by_role("button", name="Compare ticked").click()
    expect(page.locator(".compare thead th a.away")).to_have_count(2)
    expect(page.get_by_role("rowheader", name="Total cost")).to_be_visible()
