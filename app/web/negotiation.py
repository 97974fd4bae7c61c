"""Which language a request is answered in: its `lang` parameter, else the remembered choice, else the browser's list."""

from __future__ import annotations

from collections.abc import Iterator

from babel.core import negotiate_locale
from starlette.datastructures import Headers, MutableHeaders, QueryParams
from starlette.requests import Request, cookie_parser
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.domain.errors import BadInput
from app.domain.sentence import none_of
from app.web.errors import error_page
from app.web.language import LANGUAGES, SOURCE, language, speak

PARAMETER = COOKIE = "lang"
REMEMBERED_S = 365 * 86_400
VARY = "Accept-Language, Cookie"


class Speak:
    """Chooses the language of each page, says so in the headers and remembers a choice made in the address.

    A `lang` that does not exist is refused like every other wrong parameter. The API speaks English and reads its
    `lang` itself (ADR 0060).
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http" or scope["path"].startswith("/api/"):
            await self.app(scope, receive, send)
            return
        asked = QueryParams(scope["query_string"]).get(PARAMETER, "").strip()
        headers = Headers(scope=scope)
        remembered = cookie_parser(headers.get("cookie", "")).get(COOKIE, "")
        speak(choose(asked, remembered, headers.get("accept-language", "")))
        # The language is left standing: the page for a broken server is written outside of this middleware.
        app = _refuse if asked and asked not in LANGUAGES else self.app
        await app(scope, receive, _telling(send, asked if asked != remembered else ""))


async def _refuse(scope: Scope, receive: Receive, send: Send) -> None:
    asked = QueryParams(scope["query_string"])[PARAMETER]
    error = BadInput(PARAMETER, none_of(asked, LANGUAGES))
    await error_page(Request(scope, receive), error)(scope, receive, send)


def _telling(send: Send, chosen: str) -> Send:
    """`send` that names the language of every page; `chosen` is remembered where it is a language."""

    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            if headers.get("content-type", "").startswith("text/html"):
                headers["content-language"] = language().code
                headers.add_vary_header(VARY)
            if chosen in LANGUAGES and message["status"] < 400:
                headers.append(
                    "set-cookie", f"{COOKIE}={chosen}; Max-Age={REMEMBERED_S}; Path=/; SameSite=Lax"
                )
        await send(message)

    return send_with_headers


def choose(asked: str, remembered: str, accepted: str) -> str:
    """The code of the language to speak: what the address asks, what was chosen before, what the browser accepts,
    English; words that name no language here are passed over."""
    for code in (asked, remembered):
        if code in LANGUAGES:
            return code
    return negotiate_locale(list(_by_preference(accepted)), list(LANGUAGES), sep="-") or SOURCE


def _by_preference(accepted: str) -> Iterator[str]:
    """The languages of an `Accept-Language` header, the most wanted first (RFC 9110, 12.5.4); malformed parts and
    those with a weight of zero are left out."""
    weighed = []
    for part in accepted.split(","):
        code, _, rest = part.strip().partition(";")
        name, _, text = rest.strip().partition("=")
        try:
            weight = float(text) if name.strip().lower() == "q" else 1.0
        except ValueError:
            continue
        if code and 0 < weight <= 1:
            weighed.append((weight, code.strip().lower()))
    yield from (code for _, code in sorted(weighed, key=lambda item: -item[0]))
