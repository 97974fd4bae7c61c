"""Sentences for people, kept translatable until they are shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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
    plural: str = field(default="", kw_only=True)
    count: float = field(default=1, kw_only=True)

    def __str__(self) -> str:
        chosen = self.plural if self.plural and self.count != 1 else self.template
        return chosen.format(**self.values)


def joined(items: Sequence[object], template: str) -> Sentence:
    """Some things, at least one, said one after another; the template says what stands between `first` and `next`."""
    told = items[0] if isinstance(items[0], Sentence) else Sentence("{value}", {"value": items[0]})
    for item in items[1:]:
        told = Sentence(template, {"first": told, "next": item})
    return told


def none_of(value: str, options: Iterable[str]) -> Sentence:
    """The refusal of a value that is none of the options."""
    said = {"value": repr(value[:60]), "options": ", ".join(option for option in options if option)}
    return Sentence("{value} is none of {options}", said)
