"""Sentences for people, kept translatable until they are shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


def N_(text: str) -> str:
    """Mark a text for the translation catalogs without translating it here."""
    return text


@dataclass(frozen=True, slots=True)
class Sentence:
    """A template and the values that fill it: `Sentence("needs {need} GiB", {"need": "71.2"})`.

    The template is the message id of the gettext catalogs; `str()` gives the English text. Values are already
    formatted (numbers with their unit), so that a translation moves words and never figures.
    """

    template: str
    values: Mapping[str, object] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.template.format(**self.values)
