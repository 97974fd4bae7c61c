"""Sentences for people, kept translatable until they are shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field


def N_(text: str) -> str:
    """Mark a text for the translation catalogs without translating it here."""
    return text


@dataclass(frozen=True, slots=True)
class Sentence:
    """A template and the values that fill it: `Sentence("needs {need} GiB", {"need": "71.2"})`.

    The template is the message id of the gettext catalogs; `str()` gives the English text. Values are already
    formatted (numbers with their unit, as English writes them), so that a translation moves words and never figures.
    A text that counts has a `plural` for every `count` but one: languages have up to six forms.
    """

    template: str
    values: Mapping[str, object] = field(default_factory=dict)
    plural: str = ""
    count: float = 1

    def __str__(self) -> str:
        chosen = self.plural if self.plural and self.count != 1 else self.template
        return chosen.format(**self.values)


def none_of(value: str, options: Iterable[str]) -> Sentence:
    """The refusal of a value that is none of the options."""
    said = {"value": repr(value[:60]), "options": ", ".join(option for option in options if option)}
    return Sentence("{value} is none of {options}", said)
