"""Templates and how a page, or one block of it, becomes a response."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from gettext import NullTranslations
from pathlib import Path
from typing import Any

from fastapi import Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from app.domain.sentence import Sentence
from app.web import charts, formatting
from app.web.assets import asset_url

TEMPLATES = Path(__file__).resolve().parents[2] / "templates"
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": CSP,
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "vary": "HX-Request, HX-Target",
    "cache-control": "no-cache",
}
NAVIGATION = (
    "offers",
    "fit",
    "trial",
    "rent_or_buy",
    "accelerators",
    "models",
    "providers",
    "methods",
    "status",
)


@cache
def translations() -> NullTranslations:
    """The catalog of the reader's language; English has none."""
    return NullTranslations()


@cache
def environment() -> Environment:
    """The one template environment: autoescape on, unknown names are errors, texts through gettext."""
    env = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.i18n"],
    )
    env.install_gettext_translations(translations(), newstyle=True)  # type: ignore[attr-defined]
    env.globals |= {"asset_url": asset_url, "navigation": NAVIGATION}
    env.filters |= {
        "say": say,
        "compact": formatting.compact,
        "number": formatting.number,
        "gib": formatting.gib,
    }
    env.filters |= {
        "usd": formatting.usd,
        "usd_per_hour": formatting.usd_per_hour,
        "percent": formatting.percent,
    }
    env.filters |= {"hours": formatting.hours, "integer": formatting.integer, "count": formatting.count}
    env.filters |= {"duration": formatting.duration, "age": formatting.age, "spark": charts.sparkline}
    env.filters |= {"stack": charts.stack, "unknown": unknown}
    return env


def gettext(text: str) -> str:
    """A text in the reader's language."""
    return translations().gettext(text) if text else text


def say(text: object) -> str:
    """A `Sentence` (values may be sentences themselves), or anything with a plain text, in the reader's language."""
    if isinstance(text, Sentence):
        return gettext(text.template).format(**{name: say(value) for name, value in text.values.items()})
    if isinstance(text, str):
        return gettext(text)
    return str(text)


def unknown(value: object) -> object:
    """The value, or the word for an unknown one."""
    return gettext("unknown") if value is None else value


def render(
    request: Request,
    template: str,
    view: Mapping[str, Any],
    status: int = 200,
    headers: Mapping[str, str] | None = None,
) -> HTMLResponse:
    """A whole page, or for an htmx request the block of it that the request targets."""
    return respond(html_of(template, target_of(request), view), status, headers)


def html_of(template: str, target: str, view: Mapping[str, Any]) -> str:
    """A page as text, or the block of it that is named like the target.

    This is the one place where fragments are chosen: `HX-Target: section#results` renders the block `results`.
    """
    page = environment().get_template(template)
    block = page.blocks.get(target)
    context = {"fragment": block is not None, **view}
    return page.render(context) if block is None else "".join(block(page.new_context(context)))


def respond(html: str, status: int = 200, headers: Mapping[str, str] | None = None) -> HTMLResponse:
    """HTML with the headers that every page has."""
    return HTMLResponse(html, status, HEADERS | dict(headers or {}))


def target_of(request: Request) -> str:
    """The id of the element that an htmx request will fill; empty for a whole page."""
    if (
        request.headers.get("hx-request") != "true"
        or request.headers.get("hx-history-restore-request") == "true"
    ):
        return ""
    return request.headers.get("hx-target", "").rpartition("#")[2]
