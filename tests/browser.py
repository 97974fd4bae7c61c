"""A real headless Chromium and a real server for it, as fixtures. Import them into a `conftest.py`."""

from __future__ import annotations

import os
import shutil
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
import uvicorn
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright
from starlette.types import ASGIApp

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
WIDE, PHONE = (1440, 900), (390, 844)
PATIENCE_S = 20.0
expect.set_options(timeout=PATIENCE_S * 1000)
AXE_OPTIONS = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    "resultTypes": ["violations"],  # to describe all that is right takes as long as the checks
}
_AT_REST = """async () => {
  while (document.querySelector("[aria-busy=true]")) await new Promise(requestAnimationFrame);
  const ending = document.getAnimations().filter((one) => one.effect.getComputedTiming().endTime !== Infinity);
  await Promise.allSettled(ending.map((one) => one.finished));
}"""
_LAID_OUT = (
    "for (const rows of document.querySelectorAll('.fast > tbody')) rows.style.contentVisibility = 'visible'"
)
"""Rows far below are laid out only when they come into sight; until then their guessed places overlap."""
_TOO_WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def check(page: Page) -> None:
    """Once at rest, the page has no accessibility violation and is no wider than the window."""
    fits(page)
    page.evaluate(_LAID_OUT)
    found = Axe().run(page, options=AXE_OPTIONS)
    assert found.violations_count == 0, f"{page.url}\n{found.generate_report()}"


def fits(page: Page) -> None:
    """Once at rest, the page is no wider than the window: what every width must hold, at a hundredth of the cost."""
    page.evaluate(_AT_REST)
    wider = page.evaluate(_TOO_WIDE)
    assert wider <= 0, f"{page.url} is {wider} px wider than the window"


def complaints(page: Page) -> list[str]:
    """Grows by what the page's console says from now on, but for refusals that a test provokes."""
    said: list[str] = []
    page.on(
        "console", lambda message: said.append(message.text) if "status of 4" not in message.text else None
    )
    page.on("pageerror", lambda error: said.append(str(error)))
    return said


@contextmanager
def served(app: ASGIApp) -> Iterator[str]:
    """The address of `app`, served by uvicorn on a free port in a thread."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = uvicorn.Server(uvicorn.Config(app, port=port, log_level="warning", lifespan="off"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    deadline = time.monotonic() + PATIENCE_S
    while not server.started:
        if time.monotonic() > deadline:
            raise TimeoutError("the server did not start")
        time.sleep(0.02)
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join(PATIENCE_S)


def chromium() -> str | None:
    """Debian's Chromium, or the one that RACKRATE_CHROMIUM names; None for Playwright's own."""
    return os.environ.get("RACKRATE_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for the tests of a module."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Open a page in a context of its own; `watched` collects what the console and the network complain about."""
    contexts: list[BrowserContext] = []

    def open_it(address: str, size: tuple[int, int] = WIDE, **options: object) -> Page:
        context = browser.new_context(viewport={"width": size[0], "height": size[1]}, **options)
        context.set_default_timeout(PATIENCE_S * 1000)
        contexts.append(context)
        page = context.new_page()
        page.goto(address)
        return page

    yield open_it
    for context in contexts:
        context.close()
