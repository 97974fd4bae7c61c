"""Templates and how a page, or one block of it, becomes a response."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode

from fastapi import Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from markupsafe import Markup, escape

from app.market.labels import CONFIDENCE_LABELS, FORM_LABELS, HARDWARE_NAMES, PURCHASE_LABELS, VERDICT_LABELS
from app.web import charts, formatting
from app.web.assets import asset_url
from app.web.cells import flag_words
from app.web.language import LANGUAGES, SOURCE, Language, figure, gettext, isolated, language, ngettext, say

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
    "market",
    "accelerators",
    "models",
    "providers",
    "learn",
    "methods",
    "status",
)


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
    env.install_gettext_callables(gettext, ngettext, newstyle=True)  # type: ignore[attr-defined]
    env.policies["ext.i18n.trimmed"] = True
    env.globals |= {"gettext": _gettext, "ngettext": _ngettext}
    env.globals |= {"purchase": PURCHASE_LABELS}
    env.globals |= {
        "asset_url": asset_url,
        "navigation": NAVIGATION,
        "switch": switch,
        "verdicts": VERDICT_LABELS,
    }
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
        "rate": formatting.rate,
    }
    env.filters |= {"change": formatting.change, "one_decimal": formatting.one_decimal}
    env.filters |= {"hours": formatting.hours, "integer": formatting.integer, "count": formatting.count}
    env.filters |= {"exact": formatting.exact, "typed": formatting.typed, "named": named}
    env.filters |= {
        "english": english,
        "duration": formatting.duration,
        "age": formatting.age,
        "span": formatting.span,
        "spark": charts.sparkline,
        "stack": charts.stack,
        "unknown": unknown,
        "confidence": confidence,
        "direction": direction,
        "form": form,
        "flag_words": flag_words,
    }
    return env


@pass_context
def _gettext(context: Context, text: str, /, **values: object) -> str:
    return _filled(context, gettext(text), values)


@pass_context
def _ngettext(context: Context, one: str, many: str, num: float, /, **values: object) -> str:
    return _filled(context, ngettext(one, many, num), {"num": formatting.integer(num), **values})


def _filled(context: Context, text: str, values: Mapping[str, object]) -> str:
    """Jinja's newstyle gettext, with every value kept apart from the words around it."""
    written = {name: figure(str(v)) if isinstance(v, int | float) else v for name, v in values.items()}
    if context.eval_ctx.autoescape:
        return Markup(text) % {name: isolated(escape(value)) for name, value in written.items()}
    return text % {name: isolated(str(value)) for name, value in written.items()}


def switch(address: str) -> tuple[tuple[Language, str], ...]:
    """Every language and the present page in it, as an address relative to the page: the same query string but for
    `lang`. English is asked for by name too, since the browser may prefer another."""
    given = [(name, value) for name, value in parse_qsl(address.partition("?")[2]) if name != "lang"]
    return tuple((spoken, "?" + urlencode([*given, ("lang", code)])) for code, spoken in LANGUAGES.items())


def english(text: object) -> str:
    """What is quoted as it was written (sources, notes of the data, what an upstream said): English in every language,
    and marked as such for screen readers and for the direction of writing. What is our own prose among it is in the
    catalogs and said in the reader's language."""
    if text is None or language() is LANGUAGES[SOURCE]:
        return escape("" if text is None else text)
    said = say(text)
    if said != str(text):
        return escape(said)
    return Markup('<span lang="en" dir="ltr">{}</span>').format(text)


def form(factor: str) -> str:
    """A form factor: a name (SXM), or a word for it."""
    return gettext(FORM_LABELS[factor]) if factor in FORM_LABELS else named(factor)


def named(key: str) -> str:
    """A vendor or an architecture as its maker writes it."""
    return HARDWARE_NAMES.get(key, key)


def direction(text: object) -> str:
    """The value of `dir` for a formula: that of the words in it, from left to right where it has only Latin ones."""
    mirrored = any(unicodedata.bidirectional(letter) in ("R", "AL") for letter in say(text))
    return "rtl" if mirrored else "ltr"


def confidence(level: str) -> str:
    """A level of confidence in words that say so: "low" alone is also the end of a range."""
    return gettext(CONFIDENCE_LABELS[level])


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
    view = {"address": f"?{request.url.query}", **view}
    return respond(html_of(template, target_of(request), view), status, headers)


def html_of(template: str, target: str, view: Mapping[str, Any]) -> str:
    """A page as text, or the block of it that is named like the target.

    This is the one place where fragments are chosen: `HX-Target: section#results` renders the block `results`.
    """
    page = environment().get_template(template)
    block = page.blocks.get(target)
    context = {"fragment": target if block is not None else "", "language": language(), **view}
    return page.render(context) if block is None else "".join(block(page.new_context(context)))


def respond(html: str, status: int = 200, headers: Mapping[str, str] | None = None) -> HTMLResponse:
    """HTML with the headers that every page has."""
    return HTMLResponse(html, status, HEADERS | dict(headers or {}))


def target_of(request: Request) -> str:
    """The id of the element that an htmx request will fill; empty for a whole page."""
    if request.headers.get("hx-request") != "true" or is_restored(request):
        return ""
    return request.headers.get("hx-target", "").rpartition("#")[2]


def is_restored(request: Request) -> bool:
    """The browser went back or forward, and htmx asks for the page that it shows there."""
    return request.headers.get("hx-history-restore-request") == "true"
