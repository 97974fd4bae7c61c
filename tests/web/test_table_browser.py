"""The table in a real Chromium: keyboard, rows that unfold, switches, saved views, waiting and trouble."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser import PHONE, WIDE, check, fits

pytestmark = pytest.mark.browser
Open = Callable[..., Page]
RUN = "model=llama-3.1-8b"


def test_arrows_walk_over_rows_enter_unfolds_and_escape_folds(open_page: Open, address: str) -> None:
    page = open_page(address)
    page.locator("body").press("ArrowDown")
    links = page.locator("#offers tbody > tr > th a")
    expect(links.nth(0)).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(links.nth(1)).to_be_focused()
    page.keyboard.press("Enter")
    fold = page.locator("tr.fold")
    expect(fold).to_contain_text("Everything about this offer")
    expect(links.nth(1)).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    expect(links.nth(1)).to_be_focused()
    page.keyboard.press("Escape")
    expect(fold).to_have_count(0)
    expect(links.nth(1)).to_be_focused()
    page.keyboard.press("End")
    expect(links.last).to_be_focused()
    page.keyboard.press("Home")
    expect(links.nth(0)).to_be_focused()


def test_question_mark_opens_help_escape_closes_it_and_slash_searches(open_page: Open, address: str) -> None:
    page = open_page(address)
    page.locator("body").press("?")
    help = page.get_by_role("dialog", name="Keyboard")
    expect(help).to_be_visible()
    page.keyboard.press("Escape")
    expect(help).to_be_hidden()
    page.keyboard.press("/")
    expect(page.get_by_label("Search", exact=True)).to_be_focused()
    page.keyboard.type("?")
    expect(help).to_be_hidden()


def test_the_help_opens_without_a_script(open_page: Open, address: str) -> None:
    page = open_page(address, java_script_enabled=False)
    page.get_by_role("button", name="Keyboard help").click()
    expect(page.get_by_role("heading", name="Keyboard")).to_be_visible()


def test_units_switch_numbers_and_heading_in_place_and_in_the_address(open_page: Open, address: str) -> None:
    page = open_page(f"{address}/?instance_type=gpu_8x_h100")
    page.locator("#v-price_per").select_option("month")
    head = page.locator("thead th").filter(has=page.locator("#sort-price_usd_per_hour"))
    expect(head).to_contain_text("USD/month")
    page.locator("#v-price_of").select_option("accelerator")
    expect(head).to_contain_text("Price per accelerator")
    expect(page).to_have_url(re.compile("price_of=accelerator&price_per=month"))
    expect(page.locator("#offers tbody tr").first).to_contain_text("1,091")
    page.locator("#v-price_per").select_option(label="hour")
    page.locator("#v-price_of").select_option(label="the instance")
    expect(page).to_have_url(f"{address}/?instance_type=gpu_8x_h100")


def test_switches_and_columns_work_without_a_script(open_page: Open, address: str) -> None:
    page = open_page(address, java_script_enabled=False)
    page.locator("#v-group").select_option("provider")
    page.get_by_role("button", name="Apply").click()
    expect(page).to_have_url(f"{address}/?group=provider")
    page.get_by_role("link", name="Vast.ai").click()
    expect(page).to_have_url(f"{address}/?provider=vast")
    page.locator("summary", has_text="Columns").click()
    page.get_by_role("link", name="Choose one by one").click()
    page.get_by_role("checkbox", name="Provider", exact=True).uncheck()
    page.get_by_role("button", name="Show these columns").click()
    expect(page.locator("thead")).not_to_contain_text("Provider")
    page.locator("tbody th a").first.click()
    expect(page).to_have_url(re.compile("/offers/[0-9a-f]+$"))


def test_columns_are_chosen_in_place(open_page: Open, address: str) -> None:
    page = open_page(address)
    page.locator("summary", has_text="Columns").click()
    page.get_by_role("link", name="Choose one by one").click()
    chooser = page.locator("#chooser")
    expect(chooser).to_be_visible()
    check(page)
    chooser.get_by_role("checkbox", name="BF16").check()
    chooser.get_by_role("button", name="Show these columns").click()
    expect(page.locator("#sort-bf16_tflops")).to_be_visible()
    page.locator("summary", has_text="Columns").click()
    page.get_by_role("link", name="Host", exact=True).click()
    expect(page.locator("#sort-bf16_tflops")).to_have_count(0)
    expect(page.locator("#sort-local_disk_gb")).to_be_visible()


def test_a_group_unfolds_to_its_offers(open_page: Open, address: str) -> None:
    page = open_page(f"{address}/?group=accelerator")
    page.get_by_role("link", name="NVIDIA H100 SXM5 80GB", exact=True).click()
    inner = page.locator("tr.fold table.offers tbody tr")
    expect(inner).to_have_count(12)
    page.get_by_role("link", name="All 12 offers").click()
    expect(page.locator("p.caption")).to_contain_text("12 offers")


def test_views_are_saved_renamed_deleted_and_never_applied_by_themselves(
    open_page: Open, address: str
) -> None:
    page = open_page(f"{address}/?provider=vast")
    menu = page.locator("summary", has_text="Saved")
    menu.click()
    page.get_by_label("Name", exact=True).fill("Cheap cards")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("link", name="Cheap cards")).to_be_visible()
    page.once("dialog", lambda dialog: dialog.accept("Consumer cards"))
    page.get_by_role("button", name="Rename: Cheap cards").click()
    check(page)
    page.goto(address)
    expect(page.locator("p.caption")).to_contain_text("40 offers")
    menu.click()
    page.get_by_role("link", name="Consumer cards").click()
    expect(page).to_have_url(f"{address}/?provider=vast")
    menu.click()
    page.get_by_role("button", name="Delete: Consumer cards").click()
    expect(page.get_by_role("link", name="Consumer cards")).to_have_count(0)


def test_nothing_offers_to_save_without_a_script(open_page: Open, address: str) -> None:
    page = open_page(address, java_script_enabled=False)
    expect(page.locator("summary", has_text="Saved")).to_be_hidden()


def test_the_table_is_copied_as_markdown(open_page: Open, address: str) -> None:
    page = open_page(
        f"{address}/?provider=vast&per_page=3", permissions=["clipboard-read", "clipboard-write"]
    )
    page.get_by_role("link", name="Markdown").click()
    expect(page.get_by_text("Copied", exact=True)).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("| Accelerator | Count |")
    assert len(copied.splitlines()) == 5


@pytest.mark.parametrize("failure", ["network", "server"])
def test_a_request_that_fails_is_told_loses_nothing_and_can_be_tried_again(
    open_page: Open, address: str, failure: str
) -> None:
    page = open_page(address)

    def fail(route: Route) -> None:
        if failure == "network":
            route.abort()
        else:
            route.fulfill(status=502, body="<h1>bad gateway</h1>", content_type="text/html")

    page.route("**/?q=*", fail)
    page.get_by_label("Search", exact=True).fill("8xh100")
    trouble = page.locator("#trouble")
    expect(trouble).to_be_visible()
    expect(trouble).to_contain_text("cannot be reached" if failure == "network" else "broke on the server")
    check(page)
    assert page.get_by_label("Search", exact=True).input_value() == "8xh100"
    expect(page.locator("#offers tbody tr")).to_have_count(40)
    page.unroute("**/?q=*")
    page.get_by_role("button", name="Try again").click()
    expect(page.locator("p.caption")).to_contain_text("4 offers")
    expect(trouble).to_be_hidden()


def test_waiting_is_told_to_everyone(open_page: Open, address: str) -> None:
    page = open_page(address)
    held: list[Route] = []
    page.route("**/?q=*", lambda route: held.append(route))
    page.get_by_label("Search", exact=True).fill("spot")
    results = page.locator("#results")
    expect(results).to_have_attribute("aria-busy", "true")
    held[0].continue_()
    expect(page.locator("p.caption")).to_contain_text("20 offers")
    expect(results).not_to_have_attribute("aria-busy", "true")


def test_to_wait_for_an_answer_lays_nothing_out_and_gives_no_cell_a_new_style(
    open_page: Open, address: str
) -> None:
    page = open_page(address)
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")

    def layouts(script: str) -> float:
        page.evaluate(f"(() => {{ {script}; document.body.offsetHeight }})()")
        told = session.send("Performance.getMetrics")["metrics"]
        return float(next(one["value"] for one in told if one["name"] == "LayoutCount"))

    page.wait_for_timeout(300)
    results = "document.querySelector('#results')"
    before = layouts("")
    assert layouts(f"{results}.setAttribute('aria-busy', 'true')") == before
    assert layouts(f"{results}.style.paddingTop = '1px'") > before  # the count does count
    rules = page.evaluate("""() => [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules])
      .flatMap((rule) => [rule, ...(rule.cssRules ?? [])]).map((rule) => rule.selectorText ?? "")
      .filter((text) => text.includes("aria-busy")).flatMap((text) => text.split(", "))""")
    assert rules
    for selector in rules:
        assert re.fullmatch(r"[.\w]+\[aria-busy[^\]]*\](::before|::after)?", selector), (
            f"{selector} reaches into the table"
        )


@pytest.mark.parametrize(
    ("size", "lang", "look_at"),
    [(WIDE, "en", check), (WIDE, "ar", fits), (PHONE, "en", fits), (PHONE, "ar", check)],
)
def test_every_state_is_accessible_and_within_the_window(
    open_page: Open, address: str, size: tuple[int, int], lang: str, look_at: Callable[[Page], None]
) -> None:
    page = open_page("about:blank", size, color_scheme="dark" if size == PHONE else "light")
    for path in ("group=region", f"{RUN}&group=provider", "provider=vast&price_min=9", "provider=nobody", "currency=EUR",
                 "density=compact&columns=accelerator_label,accelerator_count,flags,why,source,price"):  # fmt: skip
        page.goto(f"{address}/?{path}&lang={lang}")
        look_at(page)
        if page.locator("#offers tbody tr").count():
            page.locator("#offers tbody th a").first.click()
            expect(page.locator("tr.fold .unfolded")).to_be_visible()
            look_at(page)


def test_the_header_and_the_first_two_columns_stay_in_sight(open_page: Open, address: str) -> None:
    page = open_page(f"{address}/?density=comfortable")
    box = page.locator("#offers")
    box.evaluate("box => { box.scrollLeft = 600; box.scrollTop = 500 }")
    frame, head = box.bounding_box(), page.locator("#offers thead").bounding_box()
    assert frame and head
    assert abs(head["y"] - frame["y"]) < 3
    for place in (0, 1):
        top = page.locator("#offers thead th").nth(place).bounding_box()
        cell = page.locator("#offers tbody tr").nth(14).locator("th, td").nth(place).bounding_box()
        assert top and cell
        assert abs(top["x"] - cell["x"]) < 1
        assert frame["x"] <= cell["x"] < frame["x"] + 320


def test_headings_stand_above_their_columns(open_page: Open, address: str) -> None:
    page = open_page(f"{address}/?{RUN}&show_hidden=1")
    shifted = page.evaluate("""() => {
      const heads = [...document.querySelectorAll("#offers thead th")].map((cell) => cell.getBoundingClientRect());
      return [...document.querySelectorAll("#offers tbody tr")].slice(0, 15).flatMap((row) =>
        [...row.cells].map((cell, place) => Math.abs(cell.getBoundingClientRect().x - heads[place].x)));
    }""")
    assert max(shifted) < 1


def test_the_table_prints_whole_and_without_the_frame_around_it(open_page: Open, address: str) -> None:
    page = open_page(address)
    page.emulate_media(media="print")
    for part in (".question", ".viewbar", ".tools", ".foot"):
        expect(page.locator(part).first).to_be_hidden()
    expect(page.locator("#offers tbody tr").last).to_be_visible()
    assert page.evaluate("getComputedStyle(document.querySelector('#offers')).overflow") == "visible"
