"""Price pages made for people: their text as lines, and the money in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser

from app.domain.errors import ShapeDrift
from app.providers.port import Part

LOWER_BOUND = "price_is_lower_bound"
"""Flag of a price that a page gives as "from …": nobody need be able to rent at it."""
_CURRENCIES = {"$": "USD", "€": "EUR", "£": "GBP"}
_PRICE = re.compile(
    r"(?P<least>\b(?:starting at|starts at|starting from|from|as low as)\s*)?(?P<sign>[$€£])\s?(?P<figure>\d[\d.,]*\d|\d)",
    re.IGNORECASE,
)
_HOURLY = re.compile(
    r"/\s*(?:GPU\s*/\s*)?(?:h|hr|hour)\b|\bper\s+(?:GPU[ -]*)?h(?:ou)?r\b|\bhourly\b", re.IGNORECASE
)


class Price(NamedTuple):
    """Money as a page states it. `least`: "from", a lower bound; `hourly`: the page says "per hour" beside it."""

    amount: Decimal
    currency: str
    least: bool
    hourly: bool


def lines_of(part: Part) -> list[str]:
    """The visible text of a page without its menus, one piece of text a line, in reading order.

    Raises:
        ShapeDrift: there is no text.
    """
    page = LexborHTMLParser(part.text)
    page.strip_tags(["script", "style", "noscript", "template", "nav", "footer"])
    text = page.body.text(separator="\n") if page.body else ""
    lines = [" ".join(line.split()) for line in text.splitlines()]
    found = [line for line in lines if line]
    if not found:
        raise ShapeDrift(f"{part.name}: a page without text")
    return found


def blocks(lines: Sequence[str], head: re.Pattern[str]) -> Iterator[tuple[str, list[str]]]:
    """Every line that is wholly a `head` with the lines up to the next one."""
    starts = [index for index, line in enumerate(lines) if head.fullmatch(line)]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        yield lines[start], list(lines[start + 1 : end])


def price_in(lines: Sequence[str]) -> Price | None:
    """The first price in a few lines that belong together; None where they name none."""
    text = " ".join(lines)
    found = _PRICE.search(text)
    if found is None:
        return None
    following = _PRICE.search(text, found.end())
    beside = text[found.end() : following.start() if following else len(text)]
    return Price(
        _amount(found["figure"]),
        _CURRENCIES[found["sign"]],
        bool(found["least"]),
        bool(_HOURLY.search(beside)),
    )


def _amount(figure: str) -> Decimal:
    """ "1,083.50" and "1.083,50" are both a thousand and some: the last mark with one or two digits after it is the
    decimal one."""
    whole, mark, rest = re.fullmatch(r"(.*?)(?:([.,])(\d{1,2}))?", figure).groups()  # type: ignore[union-attr]
    digits = re.sub(r"[.,]", "", whole) if mark or re.fullmatch(r"\d{1,3}(?:[.,]\d{3})+", whole) else whole
    return Decimal(f"{digits}.{rest}" if mark else digits)
