"""Free text as people type it: `8xH100 eu spot <25`. Every word narrows; a comparison that makes no sense is an error."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from app.domain.errors import BadInput
from app.domain.sentence import Sentence
from app.market.board import Mask
from app.market.filters import Filter, parse_filters, parse_number
from app.market.frame import Frame

SEARCHED = (
    "provider", "provider_name", "accelerator_label", "instance_type", "region", "zone", "country", "continent",
    "tier", "intra_node_link", "fabric", "architecture", "vendor", "form_factor",
)  # fmt: skip
"""Columns of words that a word may occur in; the accelerator's key and family are searched too."""

MAX_CHARACTERS, MAX_WORDS = 200, 20
PURCHASE_WORDS = {
    "spot": "spot", "interruptible": "spot", "preemptible": "spot", "on-demand": "on_demand", "ondemand": "on_demand",
    "on_demand": "on_demand", "reserved": "reserved", "reservation": "reserved", "block": "block",
    "savings": "savings_plan",
}  # fmt: skip
SYNONYMS: Mapping[str, tuple[str, ...]] = {
    "eu": ("eu", "europe"),
    "usa": ("us",),
    "uk": ("gb", "uk"),
    "apac": ("apac", "asia", "oceania"),
    "ib": ("infiniband",),
}
_COUNT = re.compile(r"(\d+)[x×](.*)", re.IGNORECASE)
_COMPARISON = re.compile(r"(>=|<=|≥|≤|=|>|<)(.*)")
_AMOUNT = re.compile(r"\$?([^a-z$/]+)(gib|gb|g|gbps|gb/s|usd|/h|usd/h|\$|\$/h)?", re.IGNORECASE)
_MEMORY = re.compile(r"\d+(gib|gb)", re.IGNORECASE)
_MEASURES = {
    "gib": "memory_gib",
    "gb": "memory_gib",
    "g": "memory_gib",
    "gbps": "fabric_gbps",
    "gb/s": "fabric_gbps",
}


@dataclass(frozen=True, slots=True)
class FreeText:
    """`filters` are the words that mean a filter, `words` those that must occur somewhere in a row."""

    filters: tuple[Filter, ...] = ()
    words: tuple[str, ...] = ()

    def masks(self, frame: Frame, now: datetime) -> Iterator[Mask]:
        """One mask per word, each shape (n,)."""
        for item in self.filters:
            yield item.mask(frame, now)
        for word in self.words:
            yield _occurs(word, frame)


def parse(text: str) -> FreeText:
    """What a free text asks for.

    Raises:
        BadInput: it is too long, or a comparison has no number.
    """
    if len(text) > MAX_CHARACTERS:
        raise BadInput("q", Sentence("is longer than {count} characters", {"count": MAX_CHARACTERS}))
    joined = re.sub(r"(>=|<=|[<>≤≥=])\s+", r"\1", text.casefold())
    tokens = [token for token in re.split(r"[\s,;]+", re.sub(r"\b(\d+)\s*[x×]\s+", r"\1x", joined)) if token]
    if len(tokens) > MAX_WORDS:
        raise BadInput("q", Sentence("has more than {count} words", {"count": MAX_WORDS}))
    filters: list[Filter] = []
    words: list[str] = []
    for token in tokens:
        params, rest = _meaning(token)
        filters.extend(parse_filters(params))
        words.extend([rest] if rest else [])
    return FreeText(tuple(filters), tuple(words))


def _meaning(token: str) -> tuple[dict[str, list[str]], str]:
    if token in PURCHASE_WORDS:
        return {"purchase_option": [PURCHASE_WORDS[token]]}, ""
    if match := _COMPARISON.fullmatch(token):
        return _comparison(token, match.group(1), match.group(2)), ""
    if match := _COUNT.fullmatch(token):
        return {"accelerator_count": [match.group(1)]}, match.group(2)
    if _MEMORY.fullmatch(token):
        return _comparison(token, "=", token), ""
    return {}, token


def _comparison(token: str, sign: str, amount: str) -> dict[str, list[str]]:
    match = _AMOUNT.fullmatch(amount)
    if match is None:
        raise BadInput(
            "q", Sentence("{value} compares with something that is not a number", {"value": repr(token[:60])})
        )
    number = parse_number("q", match.group(1))
    measure = _MEASURES.get((match.group(2) or "").casefold(), "price")
    return {measure: [f"{sign}{number!r}"]}


def _occurs(word: str, frame: Frame) -> Mask:
    pattern = re.compile("|".join(_pattern(term) for term in SYNONYMS.get(word, (word,))))
    found = np.zeros(len(frame.board), np.bool_)
    for name in SEARCHED:
        found |= frame.words(name).where(_matches(pattern, frame.board.labels.get(name, {})))
    return found | frame.facet("accelerator").where(_matches(pattern, {}))


def _matches(pattern: re.Pattern[str], labels: Mapping[str, str]) -> Callable[[str], bool]:
    return lambda value: bool(pattern.search(f"{value} {labels.get(value, '')}".casefold()))


def _pattern(term: str) -> str:
    """The term at the start of a word. After a digit, and for terms of one or two letters, the word must end too:
    `l4` is not `l40`, `de` is not `denvr`."""
    whole = term[-1].isdigit() or len(term) <= 2
    return rf"(?<![a-z0-9]){re.escape(term)}" + (r"(?![a-z0-9])" if whole else "")
