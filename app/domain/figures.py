"""Figures as people write them: 50M, 1.5 billion, 50,000,000, 2 days."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from app.domain.sentence import N_, Sentence

SIZES: Mapping[str, float] = {
    "k": 1e3,
    "thousand": 1e3,
    "m": 1e6,
    "million": 1e6,
    "b": 1e9,
    "g": 1e9,
    "bn": 1e9,
    "billion": 1e9,
    "t": 1e12,
    "trillion": 1e12,
}
HOURS: Mapping[str, float] = {
    "h": 1.0,
    "hour": 1.0,
    "hours": 1.0,
    "d": 24.0,
    "day": 24.0,
    "days": 24.0,
    "w": 168.0,
    "week": 168.0,
    "weeks": 168.0,
}
_FIGURE = re.compile(
    r"(\d{1,3}(?:[,_ \u00a0\u202f]\d{3})+(?:\.\d+)?|\d+(?:\.\d*)?|\.\d+)\s*([a-z]+)", re.IGNORECASE | re.ASCII
)
_GROUPED = re.compile(r"\d{1,3}([,_ \u00a0\u202f])\d{3}(?:\1\d{3})*(?:\.\d+)?", re.ASCII)
_DOLLARS = re.compile(
    r"(?:(?:US\s*)?\$|USD)\s*(\d.*)|(\d.*?)\s*(?:(?:US\s*)?\$|USD)", re.IGNORECASE | re.ASCII
)
_CODE = r"([a-z]{3}|[\u00a3\u00a5\u20a0-\u20cf])"
_CURRENCY = re.compile(rf"{_CODE}\s*[\d.,]+|[\d.,]+\s*{_CODE}", re.IGNORECASE)
_MARKS = str.maketrans("", "", ",_ \u00a0\u202f")
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d*)?(?:e[+-]?\d+)?", re.IGNORECASE | re.ASCII)
_DECIMAL_COMMA = re.compile(r"[^\d.,]*(?:\d{1,3}(?:\.\d{3})+|\d*),\d+(?:[^\d.,].*)?", re.ASCII)
_POINTED_THOUSANDS = re.compile(r"[^\d.,]*\d{1,3}(?:\.\d{3}){2,}(?:[^\d.,].*)?", re.ASCII)


def written_out(text: str, words: Mapping[str, float] = SIZES) -> str | float:
    """The number that a person wrote with a size word or with marks between the thousands; anything else unchanged.

    A comma is never a decimal sign: `0,5` stays what it is and is refused by whoever reads numbers.
    """
    text = text.strip()
    if _GROUPED.fullmatch(text):
        return text.translate(_MARKS)
    told = _FIGURE.fullmatch(text)
    size = words.get(told[2].lower()) if told else None
    if told is None or size is None:
        return text
    return round(float(told[1].translate(_MARKS)) * size, 6)


def dollars(text: str) -> str:
    """An amount of US dollars without its sign: $40, 40 USD, US$ 1.2k; anything else unchanged."""
    told = _DOLLARS.fullmatch(text.strip())
    return text if told is None else told[1] or told[2]


def other_currency(text: str) -> str | None:
    """The currency beside an amount, by its code or sign, where that is not the US dollar: EUR, £."""
    told = _CURRENCY.fullmatch(dollars(text).strip())
    return None if told is None else (told[1] or told[2]).upper()


def ungrouped(text: str) -> str:
    """A number without its commas, where each stands before exactly three digits: 1,000 → 1000; else unchanged."""
    return text.replace(",", "") if _THOUSANDS.fullmatch(text.strip()) else text


def not_a_number(text: str) -> Sentence:
    """The refusal of a text as a number; one with a decimal comma, or with points between its thousands, is told how
    it would be written here. The values are quoted, so that no language turns their points into commas."""
    value = text.strip()
    if _DECIMAL_COMMA.fullmatch(value) or _POINTED_THOUSANDS.fullmatch(value):
        meant = value.replace(".", "").replace(",", ".")
        said = {"value": repr(value[:60]), "meant": repr(meant[:60])}
        return Sentence(N_("{value} is not how numbers are written here: write {meant}"), said)
    return Sentence("{value} is not a number", {"value": repr(text[:60])})


def plain(value: float, digits: int = 6) -> str:
    """A figure without an exponent: whole numbers in full with their thousands apart, others with so many significant
    digits: 16,777,216 · 0.0417."""
    if not math.isfinite(value) or value == int(value):
        return f"{value:,.0f}"
    places = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    text = f"{value:,.{places}f}"
    return text.rstrip("0").rstrip(".") if places else text


def shortened(value: float) -> str:
    """A large figure as briefly as it can be read back exactly: 50M, 1.5B, 12345678."""
    for sign, size in (("T", 1e12), ("B", 1e9), ("M", 1e6)):
        brief = f"{value / size:.6g}"
        if value >= size and "e" not in brief and len(brief) <= 5 and round(float(brief) * size, 6) == value:
            return brief + sign
    return f"{value:.0f}" if value == int(value) and value < 1e15 else f"{value!r}"
