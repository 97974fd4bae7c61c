"""Journeys in a real Chromium: live answers, keyboard, accessibility, no surprise on any page."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from app.market.service import Market
from tests.browser import PHONE, WIDE, check, complaints, fits

pytestmark = pytest.mark.browser
Open = Callable[..., Page]
Look = Callable[[Page], None]
RUN = "model=llama-3.1-8b"


def paths(market: Market) -> list[str]:
    big = next(r.id for r in market.board.records if r.instance_type == "gpu_8x_h100_sxm5")
    small = next(r.id for r in market.board.records if r.instance_type == "gpu_1x_h100_sxm5")
    return [
        "/", f"/?{RUN}&show_hidden=1&provider=lambda", "/?provider=nobody", "/?price_max=cheap", "/fit", f"/fit?{RUN}",
        f"/fit?{RUN}&budget_usd=6&tokens=5e7", f"/fit?{RUN}&tokens=many", "/compare", f"/compare?offer={big}&offer={small}&{RUN}",
        "/columns", f"/offers/{big}", f"/offers/{big}?{RUN}", f"/offers/{small}?{RUN}", "/accelerators",
        "/accelerators/h100-sxm5-80gb", "/providers", "/providers/lambda", "/models", "/models/llama-3.1-8b", "/status",
        "/methods", "/api", "/nowhere",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("size", "scheme", "look_at"),
    [(WIDE, "light", check), (WIDE, "dark", fits), (PHONE, "light", fits), (PHONE, "dark", check)],
)
def test_every_page_is_accessible_quiet_and_within_the_window(
    open_page: Open, address: str, market: Market, size: tuple[int, int], scheme: str, look_at: Look
) -> None:
    page = open_page("about:blank", size, color_scheme=scheme)
    noise, asked = complaints(page), set[str]()
    page.on("request", lambda request: asked.add(urlsplit(request.url).netloc))
    for path in paths(market):
        page.goto(address + path)
        look_at(page)
        assert noise == [], path
    assert asked == {urlsplit(address).netloc}


def test_filling_in_the_run_shows_only_offers_that_hold_it(open_page: Open, address: str) -> None:
    page = open_page(address)
    expect(page.locator("p.caption")).to_contain_text("40 offers")
    page.get_by_label("Model", exact=True).fill("Llama 3.1 8B")
    page.get_by_label("Model", exact=True).press("Enter")
    expect(page.locator("p.caption")).to_contain_text("full fine-tune")
    expect(page).to_have_url(f"{address}/?{RUN}")
    rows = page.locator("table.offers tbody tr")
    expect(rows.filter(has_text="gpu_8x_h100_sxm5")).to_have_count(4)
    expect(rows.filter(has_text="gpu_8x_a100_80gb")).to_have_count(4)
    expect(rows.filter(has_text="gpu_1x_h100_sxm5")).to_have_count(0)
    expect(page.locator("th[aria-sort=ascending]")).to_contain_text("Total cost")
    expect(page.locator("#hidden")).to_contain_text("not enough accelerator memory")
    page.get_by_label("Method").select_option("qlora")
    expect(rows.filter(has_text="1x_rtx_4090")).to_have_count(4)
    expect(page).to_have_url(re.compile("method=qlora"))
    page.go_back()
    expect(rows.filter(has_text="1x_rtx_4090")).to_have_count(0)


def test_hidden_offers_come_back_greyed_with_the_sentence_why(open_page: Open, address: str) -> None:
    page = open_page(f"{address}/?{RUN}")
    page.get_by_role("link", name="Show them greyed").click()
    grey = page.locator("tr.out").filter(has_text="gpu_1x_h100_sxm5").first
    expect(grey).to_contain_text("per accelerator even in the leanest layout")
    page.get_by_role("link", name="Hide them").click()
    expect(page.locator("tr.out")).to_have_count(0)
    page.get_by_role("link", name="not enough accelerator memory").click()
    expect(page.locator("tbody tr:not(.out)")).to_have_count(0)
    expect(page.locator("tr.out").first).to_be_visible()
    page.get_by_role("link", name="Hide them").click()
    expect(page).to_have_url(f"{address}/?{RUN}")


def test_filters_act_at_once_and_a_chip_takes_one_away(open_page: Open, address: str) -> None:
    page = open_page(address)
    form = page.locator("#question")
    form.locator("summary", has_text=re.compile("^Provider")).click()
    form.get_by_role("checkbox", name="Vast.ai").check()
    expect(page.locator("p.caption")).to_contain_text("16 offers")
    form.locator("summary", has_text=re.compile("^Purchase")).click()
    form.get_by_role("checkbox", name="spot").check()
    expect(page.locator("p.caption")).to_contain_text("8 offers")
    expect(form.get_by_role("checkbox", name="Vast.ai")).to_be_visible()
    page.locator(".chips").get_by_role("link", name="Provider").click()
    expect(page.locator("p.caption")).to_contain_text("20 offers")
    expect(form.locator("input[name=provider][value=vast]")).not_to_be_checked()
    expect(form.locator("input[name=purchase_option][value=spot]")).to_be_checked()


def test_sorting_keeps_the_place_of_the_keyboard_and_turns_around(open_page: Open, address: str) -> None:
    page = open_page(address)
    page.locator("#sort-memory_gib_per_accelerator").focus()
    page.keyboard.press("Enter")
    expect(page.locator("th[aria-sort=descending]")).to_contain_text("Memory")
    assert page.evaluate("document.activeElement.id") == "sort-memory_gib_per_accelerator"
    page.keyboard.press("Enter")
    expect(page.locator("th[aria-sort=ascending]")).to_contain_text("Memory")


def test_searching_while_typing_keeps_what_is_typed(open_page: Open, address: str) -> None:
    page = open_page(address)
    page.locator("body").press("/")
    page.keyboard.type("8xh100 spot", delay=30)
    expect(page.locator("p.caption")).to_contain_text("2 offers")
    assert page.evaluate("document.activeElement.value") == "8xh100 spot"


def test_a_wrong_value_is_told_beside_the_table_and_the_form_keeps_it(open_page: Open, address: str) -> None:
    page = open_page(f"{address}/?{RUN}")
    page.get_by_label("Sequence length").fill("many")
    page.get_by_label("Sequence length").press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("sequence_length")
    expect(page.get_by_label("Sequence length")).to_have_value("many")
    expect(page).to_have_url(f"{address}/?{RUN}")


def test_without_javascript_the_form_and_the_links_do_the_same(open_page: Open, address: str) -> None:
    page = open_page(address, java_script_enabled=False)
    page.get_by_label("Model", exact=True).fill("llama-3.1-8b")
    page.get_by_label("Method").select_option("qlora")
    page.get_by_role("button", name="Show offers").click()
    expect(page).to_have_url(f"{address}/?{RUN}&method=qlora")
    expect(page.locator("table.offers tbody tr").filter(has_text="1x_rtx_4090")).to_have_count(4)
    page.get_by_role("link", name="Time", exact=True).click()
    expect(page.locator("th[aria-sort]")).to_contain_text("Time")


def test_from_the_table_to_the_breakdown_and_a_lever_that_makes_it_fit(open_page: Open, address: str) -> None:
    page = open_page(f"{address}/?{RUN}&q=gpu_1x_h100&show_hidden=1")
    page.locator("tbody th a").first.click()
    page.get_by_role("link", name="Everything about this offer").click()
    expect(page.get_by_role("heading", name="What to change to make it fit")).to_be_visible()
    page.get_by_role("link", name="QLoRA").click()
    expect(page.get_by_role("status")).to_contain_text("fits")
    expect(page.get_by_role("heading", name="Memory per accelerator")).to_be_visible()


def test_the_fit_page_answers_before_any_price_and_its_form_keeps_what_was_chosen(
    open_page: Open, address: str
) -> None:
    page = open_page(f"{address}/fit")
    page.get_by_label("Model", exact=True).fill("llama 3.1 8b")
    page.get_by_label("Model", exact=True).press("Enter")
    expect(page.get_by_role("status")).to_contain_text("One accelerator is not enough")
    page.get_by_label("Method").select_option("qlora")
    expect(page.get_by_role("status")).to_contain_text("One accelerator is enough")
    expect(page.get_by_label("Method")).to_have_value("qlora")
    expect(page).to_have_url(f"{address}/fit?{RUN}&method=qlora")
    page.get_by_label("Method").select_option("lora")
    expect(page).to_have_url(f"{address}/fit?{RUN}&method=lora")
    page.get_by_role("link", name=re.compile("See the .*offers? that hold")).first.click()
    expect(page).to_have_url(f"{address}/?{RUN}&method=lora")
    expect(page.locator("th[aria-sort=ascending]")).to_contain_text("Total cost")


def test_a_pasted_config_is_a_model_too(open_page: Open, address: str) -> None:
    page = open_page(f"{address}/fit")
    page.get_by_text("Not in the list?").click()
    page.get_by_label("config.json").fill(
        '{"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 2048, "num_hidden_layers": 16,'
        ' "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 8192, "vocab_size": 128256}'
    )
    page.get_by_role("button", name="Judge").click()
    expect(page.get_by_role("status")).to_contain_text("is enough")
    expect(page.get_by_label("config.json")).to_have_value(re.compile("LlamaForCausalLM"))
    expect(page).to_have_url(re.compile("config="))


def test_on_a_phone_the_question_folds_and_the_first_column_stays(open_page: Open, address: str) -> None:
    page = open_page(f"{address}/?{RUN}", PHONE)
    expect(page.get_by_label("Method")).to_be_hidden()
    page.locator("summary", has_text="Training run").click()
    expect(page.get_by_label("Method")).to_be_visible()
    table = page.locator(".scroll.tall")
    table.evaluate("box => box.scrollLeft = 400")
    first = table.locator("tbody th").first.bounding_box()
    frame = table.bounding_box()
    assert first and frame
    assert abs(first["x"] - frame["x"]) < 3
