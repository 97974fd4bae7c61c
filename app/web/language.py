"""The reader's language: which there are, which one this request speaks, and its texts.

English is the source and has no catalog. The others are read from `app/locale/CODE/LC_MESSAGES/messages.po`. The
language of a request is a context variable that `negotiation.Speak` sets, so that whatever writes a page (templates,
cells, figures) speaks it without being handed it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from gettext import GNUTranslations, NullTranslations
from io import BytesIO
from pathlib import Path
from typing import TypeVar

from babel import Locale
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from app.catalog.narrowing import OPEN_QUESTIONS
from app.domain.place import Territory
from app.domain.sentence import Sentence

LOCALE = Path(__file__).resolve().parents[1] / "locale"
SOURCE = "en"
_ISOLATE, _END_ISOLATE = "\u2068", "\u2069"
Text = TypeVar("Text", bound=str)
_FIGURE = re.compile(r"([-+~≈≤≥±] ?)?\d{1,3}(,\d{3})*(\.\d+)?( ?[^\s\d.,]+)?")


@dataclass(frozen=True, slots=True)
class Language:
    """One language. `name` is its own word for itself, `direction` the value of HTML's `dir`; `separators` is a table
    for `str.translate` that turns an English figure (1,234.5) into its own."""

    code: str
    name: str
    direction: str
    separators: Mapping[int, str]

    @property
    def mirrored(self) -> bool:
        """Written from right to left."""
        return self.direction == "rtl"


def _language(code: str, name: str) -> Language:
    locale = Locale.parse(code)
    symbols = locale.number_symbols["latn"]
    own = {",": symbols["group"], ".": symbols["decimal"], "-": symbols["minusSign"]}
    changed = {ord(sign): written for sign, written in own.items() if sign != written}
    return Language(code, name, "rtl" if locale.text_direction == "rtl" else "ltr", changed)


LANGUAGES: Mapping[str, Language] = {
    "en": _language("en", "English"),
    "ar": _language("ar", "العربية"),
    "az": _language("az", "Azərbaycanca"),
}
"""By code, in the order of the switch; the first is the source. Figures have Latin digits in all of them."""

_spoken: ContextVar[Language] = ContextVar("language", default=LANGUAGES[SOURCE])


def language() -> Language:
    """The language of this request; English outside of one."""
    return _spoken.get()


def speak(code: str) -> None:
    """Speak this language for the rest of the request."""
    _spoken.set(LANGUAGES[code])


@contextmanager
def speaking(code: str) -> Iterator[None]:
    """Speak this language inside the block."""
    token = _spoken.set(LANGUAGES[code])
    try:
        yield
    finally:
        _spoken.reset(token)


@cache
def catalog(code: str) -> NullTranslations:
    """The texts of a language; those that nobody has translated come back in English."""
    path = LOCALE / code / "LC_MESSAGES" / "messages.po"
    if code == SOURCE:
        return NullTranslations()
    compiled = BytesIO()
    with path.open("rb") as file:
        write_mo(compiled, read_po(file, locale=code))
    compiled.seek(0)
    return GNUTranslations(compiled)


def catalogs() -> None:
    """Read every catalog now, so that no reader waits for it."""
    for code in LANGUAGES:
        catalog(code)


def gettext(text: str) -> str:
    """A text in the reader's language."""
    return catalog(language().code).gettext(text) if text else text


def ngettext(one: str, many: str, count: float) -> str:
    """A counted text in the reader's language; a share of one (half a card) counts as many."""
    return catalog(language().code).ngettext(one, many, int(count) if count == int(count) else 2)


class Written(str):
    """A figure in the reader's language: its separators are not to be turned a second time."""

    __slots__ = ()


def figure(text: str) -> str:
    """A figure as English writes it, with the separators of the reader's language."""
    own = language().separators
    return Written(text.translate(own)) if own and not isinstance(text, Written) else text


def isolated(text: Text) -> Text:
    """A value inside a sentence, kept from reordering the words around it where those run from right to left."""
    return type(text)(_ISOLATE + text + _END_ISOLATE) if language().mirrored else text


@cache
def _territories(code: str) -> Mapping[str, str]:
    return Locale.parse(code).territories


def country(territory: Territory) -> str:
    """A country's name in the reader's language; its own where the language has none."""
    return _territories(language().code).get(territory.code, str(territory))


def say(text: object) -> str:
    """A `Sentence` (values may be sentences themselves), a country, or anything with a plain text, in the reader's
    language."""
    if isinstance(text, Territory):
        return country(text)
    if isinstance(text, Sentence):
        words = ngettext(text.template, text.plural, text.count) if text.plural else gettext(text.template)
        return words.format(**{name: isolated(_value(value)) for name, value in text.values.items()})
    if isinstance(text, str):
        return gettext(text) if language() is LANGUAGES[SOURCE] else _label(text)
    return str(text)


_PART = re.compile(r"(\d+/\d+|\d+%) of (.+)")


def _label(text: str) -> str:
    """A text, or the catalog's name for hardware: what it leaves open and what it is a part of are words, not names."""
    if part := _PART.fullmatch(text):
        return gettext("{share} of {card}").format(share=isolated(part[1]), card=isolated(part[2]))
    name, _, left_open = text.rpartition(", ")
    if left_open in OPEN_QUESTIONS:
        return gettext("{name}, {left_open}").format(name=isolated(name), left_open=gettext(left_open))
    return gettext(text)


def _value(value: object) -> str:
    if isinstance(value, str) and _FIGURE.fullmatch(value):
        return figure(value)
    return say(value)
