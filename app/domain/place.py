"""Names of places that know what they are, so that a page can say them in its own language."""

from __future__ import annotations


class Territory(str):
    """A country's English name; `code` is ISO 3166 alpha-2."""

    __slots__ = ("code",)
    code: str

    def __new__(cls, name: str, code: str) -> Territory:
        """A name with its code."""
        territory = super().__new__(cls, name)
        territory.code = code
        return territory
