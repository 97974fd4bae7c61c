"""What a provider is handed (`Http`) and what it hands on (`Payload`)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

import msgspec
import orjson

from app.domain.errors import MissingKey, ShapeDrift
from app.domain.offer import Parsed
from app.providers.card import ProviderCard

Settings = Mapping[str, str]
"""Environment variables by name; a provider reads only those that its card names."""


class Part(msgspec.Struct, frozen=True):
    """One raw answer. `name` says what it is to the reader; `as_of` is the age that the source itself states."""

    name: str
    url: str
    text: str
    as_of: datetime | None = None

    def json(self) -> Any:
        """The answer as JSON.

        Raises:
            ShapeDrift: the answer is empty, cut short, or something else (a login page, an error text).
        """
        try:
            return orjson.loads(self.text)
        except orjson.JSONDecodeError:
            start = " ".join(self.text[:60].split())
            raise ShapeDrift(
                f"{self.name}: not JSON but {start!r}" if start else f"{self.name}: empty answer"
            ) from None


class Payload(msgspec.Struct, frozen=True):
    """All raw answers of one fetch. `unanswered` names the parts that failed while others came (see `Parsed`)."""

    parts: tuple[Part, ...]
    unanswered: tuple[str, ...] = ()

    def part(self, name: str) -> Part:
        """The part of that name.

        Raises:
            ShapeDrift: there is none.
        """
        for part in self.parts:
            if part.name == name:
                return part
        raise ShapeDrift(f"no answer named {name!r}")


class Http(Protocol):
    """The polite client. Every method raises Unreachable when there is no usable answer after retries, ShapeDrift
    when the answer is too large or not text."""

    async def get(
        self,
        url: str,
        *,
        name: str = "answer",
        params: Mapping[str, str | int] | None = None,
        headers: Mapping[str, str] | None = None,
        timeout_s: float | None = None,
    ) -> Part:
        """GET; a 304 gives the body that was kept with its validator."""
        ...

    async def get_bytes(self, url: str, *, headers: Mapping[str, str] | None = None) -> bytes:
        """GET of a binary file (an archive)."""
        ...

    async def page(self, url: str, *, name: str = "page") -> Part:
        """GET of a page made for people: only where the site's robots.txt allows it."""
        ...

    async def post(
        self, url: str, body: object, *, name: str = "answer", headers: Mapping[str, str] | None = None
    ) -> Part:
        """POST of a JSON body."""
        ...

    def lines(self, url: str, *, headers: Mapping[str, str] | None = None) -> AsyncIterator[str]:
        """The lines of a large text answer as they arrive; memory stays bounded, the size limit does not apply."""
        ...


@dataclass(frozen=True, slots=True)
class Provider:
    """A discovered source: its card, `fetch` (all I/O) and `parse` (pure)."""

    card: ProviderCard
    fetch: Callable[[Http, Settings], Awaitable[Payload]]
    parse: Callable[[Payload], Parsed]


def required(settings: Settings, variable: str) -> str:
    """The value of an environment variable that a provider cannot do without.

    Raises:
        MissingKey: it is not set or blank.
    """
    value = settings.get(variable, "").strip()
    if not value:
        raise MissingKey(variable)
    return value
