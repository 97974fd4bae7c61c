"""Every text of the house is translated, and says the same with the same values."""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Iterator
from functools import cache

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.plurals import get_plural

from tools.messages import TRANSLATED, is_translated, read_catalog, template

pytestmark = pytest.mark.parametrize("code", TRANSLATED)


@cache
def found() -> Catalog:
    return template()


def texts(code: str) -> Iterator[tuple[str, str, Message]]:
    """Each form of each translation with the English form that it stands for."""
    for message in read_catalog(code):
        if isinstance(message.id, str) and message.id:
            yield message.id, str(message.string), message
        elif message.id:
            yield from ((message.id[1], form, message) for form in message.string)


def holes(text: str) -> set[str]:
    if "%(" in text:
        return set(re.findall(r"%\((\w+)\)s", text))
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_a_catalog_holds_exactly_the_texts_of_the_house(code: str) -> None:
    """After a change of texts: `python -m tools.messages`, then translate what is empty."""
    here = {message.id for message in found() if message.id}
    there = {message.id for message in read_catalog(code) if message.id}
    assert here - there == set(), "not in the catalog"
    assert there - here == set(), "said nowhere any more"


def test_every_text_is_translated_and_nothing_is_a_guess(code: str) -> None:
    messages = [message for message in read_catalog(code) if message.id]
    assert [message.id for message in messages if not is_translated(message.string)] == []
    assert [message.id for message in messages if message.fuzzy] == []


def test_every_counted_text_has_the_forms_of_the_language(code: str) -> None:
    counted = [message for message in read_catalog(code) if message.pluralizable]
    assert counted
    assert {len(message.string) for message in counted} == {get_plural(code).num_plurals}
    assert read_catalog(code).plural_expr == get_plural(code).plural_expr


def test_a_translation_has_the_values_of_its_text_and_no_others(code: str) -> None:
    for english, said, message in texts(code):
        if message.pluralizable:  # one form may say "one" or "two" in words
            assert holes(said) <= holes(english), said
        else:
            assert holes(said) == holes(english), said


def test_a_translation_can_be_filled(code: str) -> None:
    for english, said, _ in texts(code):
        values = dict.fromkeys(holes(english), "7")
        if "%(" in english or "%%" in english:
            assert said % values
        elif values:
            assert said.format(**values)


def test_markup_and_blanks_at_the_ends_stay_as_they_are(code: str) -> None:
    for english, said, _ in texts(code):
        assert said == said.strip() or english != english.strip(), said
        assert "<" not in re.sub(r"<\d", "", said) or "<" in english, said


ALPHABETS = {"ar": {"ARABIC", "ASCII", "GREEK", "MICRO"}, "az": {"LATIN", "GREEK", "MICRO"}}
"""What texts of a language are written in: names stay in plain Latin letters, symbols may be Greek."""


def test_a_text_is_written_in_the_letters_of_its_language(code: str) -> None:
    for english, text, _ in texts(code):
        for letter in filter(str.isalpha, text):
            plain = code == "ar" and letter.isascii()
            assert ("ASCII" if plain else unicodedata.name(letter).split()[0]) in ALPHABETS[code], (
                english,
                text,
            )


def test_an_arabic_sentence_has_arabic_words(code: str) -> None:
    """A text that fits in either alphabet may still be in the wrong language."""
    for english, text, _ in texts(code):
        spoken = re.sub(r"%\(\w+\)s|\{\w+\}", "", english)
        if code == "ar" and len(re.findall(r"\b[a-z]{4,}\b", spoken)) > 2:
            assert re.search(r"[\u0600-\u06ff]", text), (english, text)
