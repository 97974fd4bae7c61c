"""What the comparison page costs a browser on a slow machine: Chromium at 4× CPU slowdown over the bundled snapshot.

    python -m bench.page [REPEATS]

Figures: first contentful paint; for 20 screens of scrolling the longest task and how many are over 50 ms; for sort,
filter, search word and next page (or, on the last, the one before) the delay from the click to the next paint (Event
Timing, what INP takes the worst of), the processor time of the longest task on the main thread, and of all until the
first new rows are painted; bytes of the fragment as sent (brotli). Processor time hardly depends on what else the machine
does; wall time does.

Baseline ("ordinary table"): the same page and rows, with the table laid out by `display: table` and automatic column
widths, as it was before rows were laid out by chunk.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any
from urllib.request import Request, urlopen

from playwright.sync_api import Browser, CDPSession, Page, sync_playwright

from app.main import create_app
from app.market.service import Market
from app.settings import Settings
from tests.browser import FLAGS, WIDE, chromium, served

SLOWDOWN = 4
TARGETS = {"first contentful paint, ms": 1000.0, "next paint, ms": 100.0, "fragment, kB": 60.0}
ORDINARY = """
.fast { display: table !important } .fast > thead { display: table-header-group !important }
.fast > tbody { display: table-row-group !important; content-visibility: visible !important }
.fast tr { display: table-row !important }
.fast td, .fast th { display: table-cell !important; overflow: hidden !important }
"""
ACTIONS = {
    "sort": "document.querySelector('#sort-memory_gib_per_accelerator').click()",
    "next page": "document.querySelector('#next, #previous').click()",
    "filter": "document.querySelector('#question input[name=purchase_option][value=spot]').click()",
    "search": "(() => { const q = document.querySelector('#q-q'); q.value = q.value ? '' : 'h100';"
    " q.dispatchEvent(new Event('change', {bubbles: true})) })()",
}
WATCH = """
window.painted = () => new Promise((done) => {
  document.addEventListener('htmx:after:swap', () => requestAnimationFrame(() => setTimeout(done)), {once: true});
  setTimeout(done, 15000);
});
window.delays = [];
new PerformanceObserver((list) => { for (const one of list.getEntries()) if (one.interactionId) delays.push(one.duration); })
  .observe({type: 'event', durationThreshold: 16, buffered: true});
"""


@contextmanager
def traced(session: CDPSession, page: Page) -> Iterator[list[dict[str, Any]]]:
    """The trace events of the block."""
    events: list[dict[str, Any]] = []
    ended: list[object] = []

    def collect(data: dict[str, Any]) -> None:
        events.extend(data["value"])

    session.on("Tracing.dataCollected", collect)
    session.once("Tracing.tracingComplete", lambda told: ended.append(told))
    session.send(
        "Tracing.start", {"categories": "devtools.timeline,toplevel", "transferMode": "ReportEvents"}
    )
    yield events
    session.send("Tracing.end")
    while not ended:
        page.wait_for_timeout(20)
    session.remove_listener("Tracing.dataCollected", collect)


def tasks_ms(events: list[dict[str, Any]]) -> list[float]:
    """Processor milliseconds of every task on the thread that lays out the page."""
    thread = next((event["tid"] for event in events if event["name"] == "UpdateLayoutTree"), None)
    return [
        event.get("tdur", 0) / 1000
        for event in events
        if event["name"] == "ThreadControllerImpl::RunTask" and event["tid"] == thread
    ]


def opened(browser: Browser, address: str, style: str) -> tuple[Page, CDPSession]:
    """The page at an address, slowed down; `style` is added to it."""
    context = browser.new_context(viewport={"width": WIDE[0], "height": WIDE[1]}, bypass_csp=True)
    context.add_init_script(WATCH)
    page = context.new_page()
    session = context.new_cdp_session(page)
    session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWDOWN})
    page.goto(address)
    if style:
        page.add_style_tag(content=style)
    page.wait_for_timeout(1500)
    return page, session


def first_paint_ms(page: Page) -> float:
    """First contentful paint since the navigation began."""
    return float(page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime"))


def acted(page: Page, session: CDPSession, script: str) -> tuple[float, float]:
    """Longest task and sum of tasks, processor ms, from an action until its answer is painted."""
    with traced(session, page) as events:
        page.evaluate(f"(() => {{ const told = painted(); {script}; return told; }})()")
        page.wait_for_timeout(150)
    spent = tasks_ms(events)
    return max(spent, default=0.0), sum(spent)


def next_paint_ms(page: Page) -> float:
    """Delay of a real click on a heading to the next paint."""
    page.evaluate("delays.length = 0")
    page.locator("#sort-provider").click()
    page.wait_for_timeout(2500)
    return float(page.evaluate("Math.max(0, ...delays)"))


def scrolled(page: Page, session: CDPSession) -> list[float]:
    """Processor milliseconds of every task while the table is scrolled by 20 screens with the wheel."""
    page.evaluate("document.querySelector('#offers').scrollIntoView()")
    page.mouse.move(WIDE[0] * 0.6, WIDE[1] / 2)
    with traced(session, page) as events:
        for _ in range(60):
            page.mouse.wheel(0, WIDE[1] / 3)
            page.wait_for_timeout(50)
    return tasks_ms(events)


def measure(browser: Browser, address: str, style: str, repeats: int) -> dict[str, float]:
    """Medians by name."""
    page, session = opened(browser, address, style)
    figures = {"first contentful paint, ms": first_paint_ms(page)}
    for name, script in ACTIONS.items():
        spent = [acted(page, session, script) for _ in range(repeats)]
        figures[f"{name}: longest task, ms"] = median(one for one, _ in spent)
        figures[f"{name}: all tasks, ms"] = median(whole for _, whole in spent)
    figures["next paint, ms"] = median(next_paint_ms(page) for _ in range(repeats))
    spent_scrolling = scrolled(page, session)
    figures["scroll: longest task, ms"] = max(spent_scrolling, default=0.0)
    figures["scroll: tasks over 50 ms"] = sum(one > 50 for one in spent_scrolling)
    page.context.close()
    return figures


def fragment_kb(address: str) -> float:
    """Bytes of a fragment as sent, compressed."""
    headers = {"HX-Request": "true", "HX-Target": "section#results", "Accept-Encoding": "br"}
    with urlopen(Request(address, headers=headers)) as answer:
        return len(answer.read()) / 1000


def main(repeats: int = 3) -> None:
    """Print figures, targets and ratios."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        market = Market.at(f"sqlite:///{Path(folder) / 'bench.sqlite3'}")
        browser = playwright.chromium.launch(executable_path=chromium(), args=list(FLAGS))
        with served(create_app(market, Settings(refresh=False))) as address:
            for path in ("/", "/?model=llama-3.1-8b&method=lora", "/?per_page=1000", "/?per_page=5000"):
                page = address + path
                fragment_kb(page)  # the answer of a server that runs already
                now = measure(browser, page, "", repeats) | {"fragment, kB": fragment_kb(page)}
                base = measure(browser, page, ORDINARY, repeats)
                print(f"{path}   (ratio to: ordinary table)")
                for name, figure in now.items():
                    target = f"  target {TARGETS[name]:g}" if name in TARGETS else ""
                    ratio = f"  {figure / base[name]:.2f} of {base[name]:.0f}" if base.get(name) else ""
                    print(f"  {name:32} {figure:8.0f}{ratio}{target}", flush=True)
        browser.close()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
