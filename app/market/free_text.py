"""Free text as people type it: `8xH100 eu spot <25`. Every word narrows; a comparison that makes no sense is an error."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from app.domain.errors import BadInput
from app.domain.figures import not_a_number, plain, ungrouped
from app.domain.money import HOURS_PER_MONTH
from app.domain.sentence import Sentence
from app.market.board import Mask
from app.market.filters import Filter, parse_filters
from app.market.frame import Frame
from app.market.interval import parse_number

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
_COUNT_AFTER = re.compile(r"(mi\d{3}x|[a-z]+\d+[a-z]*?)[x×](\d{1,2})", re.IGNORECASE)
_MODEL_NUMBER = re.compile(r"(?<=[a-z])[-_]?(?=\d{3})")
"""Where spellings of a card differ by nothing but a blank or a hyphen: RTX4090, RTX-4090, rtx_4090. Regions do not:
us-east-1 and us-east1 are two."""
_COMPARISON = re.compile(r"(>=|<=|≥|≤|=|>|<)(.*)")
_AMOUNT = re.compile(r"[$€]?([^a-z$€/]+)([a-z$€/]*)", re.IGNORECASE)
_FIGURE = re.compile(r"(>=|<=|≥|≤|=|>|<)?([$€]?)([\d,.]+)([a-z$€/]*)", re.IGNORECASE | re.ASCII)
"""A number with its sign and unit, commas and all."""
_FEW_DECIMALS = re.compile(r"\d{1,3},\d{1,2}", re.ASCII)
_MEMORY = re.compile(r"\d+(gib|gb)", re.IGNORECASE)
_TERM = re.compile(r"(\d{1,3})(y|yr|years?|mo|months?)", re.IGNORECASE)
_MEASURES: Mapping[str, tuple[str, float]] = {
    **dict.fromkeys(("", "$", "usd", "/h", "$/h", "usd/h", "/hour", "usd/hour"), ("price", 1.0)),
    **dict.fromkeys(("/month", "/mo", "usd/month", "$/month"), ("price", 1.0 / HOURS_PER_MONTH)),
    **dict.fromkeys(("/gpu", "/accelerator", "usd/gpu", "$/gpu"), ("accelerator_price", 1.0)),
    **dict.fromkeys(("gib", "gb", "g"), ("memory_gib", 1.0)),
    **dict.fromkeys(("gbram", "gibram"), ("ram_gib", 1.0)),
    **dict.fromkeys(("gbps", "gb/s", "gbit/s"), ("fabric_gbps", 1.0)),
    **dict.fromkeys(("vcpu", "vcpus", "cpu", "cpus"), ("vcpus", 1.0)),
}
"""What stands behind a number → the filter, and what the number is multiplied with."""


@dataclass(frozen=True, slots=True)
class Word:
    """One word as typed: the `filters` that it means, and the text that must occur in a row, or must not (`shut_out`).
    Neither is there where it says nothing."""

    typed: str
    filters: tuple[Filter, ...] = ()
    occurs: str = ""
    shut_out: bool = False

    def mask(self, frame: Frame, now: datetime) -> Mask:
        """Rows that pass, shape (n,)."""
        passed = np.ones(len(frame.board), np.bool_)
        for item in self.filters:
            passed &= item.mask(frame, now)
        if self.occurs:
            found = _occurs(self.occurs, frame)
            passed &= ~found if self.shut_out else found
        return passed


@dataclass(frozen=True, slots=True)
class FreeText:
    """What a free text asks for, word by word; every word narrows."""

    words: tuple[Word, ...] = ()

    def without(self, word: Word) -> str:
        """The text but for one word."""
        return " ".join(other.typed for other in self.words if other is not word)


def parse(text: str) -> FreeText:
    """What a free text asks for.

    Raises:
        BadInput: it is too long, or a comparison has no number or an unknown unit.
    """
    if len(text) > MAX_CHARACTERS:
        raise BadInput("q", Sentence("is longer than {count} characters", {"count": MAX_CHARACTERS}))
    joined = re.sub(r"(>=|<=|[<>≤≥=])\s+", r"\1", text.casefold())
    joined = re.sub(r"\b(\d+)\s+(gi?b)\b", r"\1\2", re.sub(r"\b(\d+)\s*[x×]\s+", r"\1x", joined))
    parts = re.split(r"[\s;]+|,(?!\d)|(?<!\d),", joined)
    tokens = [token for part in parts for token in _apart(part) if token]
    if len(tokens) > MAX_WORDS:
        raise BadInput("q", Sentence("has more than {count} words", {"count": MAX_WORDS}))
    return FreeText(tuple(map(_word, tokens)))


def _apart(part: str) -> list[str]:
    """The words of a part in which commas stand between digits. Those of a number part its thousands; a decimal comma
    is refused, since a number that falls in two would ask for something else."""
    figure = _FIGURE.fullmatch(part)
    if figure is None or "," not in part:
        return part.split(",")
    sign, currency, number, unit = figure.groups()
    if ungrouped(number) != number:
        return [(sign or "") + currency + ungrouped(number) + unit]
    if sign or currency or _FEW_DECIMALS.fullmatch(number):
        raise BadInput("q", not_a_number(part))
    return part.split(",")


def _word(token: str) -> Word:
    if not _COMPARISON.match(token) and not any(map(str.isalnum, token)):
        return Word(token)  # "-": the beginning of a word that is to be shut out, or a dash
    if token[0] in "-!" and len(token) > 1:
        wanted = token[1:]
        if wanted in PURCHASE_WORDS:
            return Word(token, parse_filters({"purchase_option": [f"!{PURCHASE_WORDS[wanted]}"]}))
        return Word(token, occurs=wanted, shut_out=True)
    params, rest = _meaning(token)
    return Word(token, parse_filters(params), rest)


def _meaning(token: str) -> tuple[dict[str, list[str]], str]:
    if token in PURCHASE_WORDS:
        return {"purchase_option": [PURCHASE_WORDS[token]]}, ""
    if match := _COMPARISON.fullmatch(token):
        return _comparison(token, match.group(1), match.group(2)), ""
    if match := _COUNT.fullmatch(token):
        return {"accelerator_count": [match.group(1)]}, match.group(2)
    if match := _COUNT_AFTER.fullmatch(token):
        return {"accelerator_count": [match.group(2)]}, match.group(1)
    if match := _TERM.fullmatch(token):
        months = int(match.group(1)) * (12 if match.group(2)[0] == "y" else 1)
        return {"term_months": [str(months)]}, ""
    if _MEMORY.fullmatch(token):
        return _comparison(token, "=", token), ""
    return {}, token


def _comparison(token: str, sign: str, amount: str) -> dict[str, list[str]]:
    if "€" in amount:
        raise BadInput(
            "q", Sentence("{value}: prices are searched in US dollars", {"value": repr(token[:60])})
        )
    match = _AMOUNT.fullmatch(amount)
    measure = _MEASURES.get(match.group(2).casefold()) if match else None
    if match is None or measure is None:
        raise BadInput(
            "q",
            Sentence("{value} compares with something that is not a number", {"value": repr(token[:60])}),
        )
    name, factor = measure
    number = parse_number("q", match.group(1)) * factor
    return {name: [sign + plain(number).replace(",", "")]}


def _occurs(word: str, frame: Frame) -> Mask:
    pattern = re.compile("|".join(_pattern(term) for term in SYNONYMS.get(word, (word,))))
    found = np.zeros(len(frame.board), np.bool_)
    for name in SEARCHED:
        found |= frame.words(name).where(_matches(pattern, frame.board.labels.get(name, {})))
    return found | frame.facet("accelerator").where(_matches(pattern, {}))


def _matches(pattern: re.Pattern[str], labels: Mapping[str, str | Sentence]) -> Callable[[str], bool]:
    return lambda value: bool(pattern.search(f"{value} {labels.get(value, '')}".casefold()))


def _pattern(term: str) -> str:
    """The term at the start of a word. After a digit, and for terms of one or two letters, the word must end too:
    `l4` is not `l40`, `de` is not `denvr`."""
    whole = term[-1].isdigit() or len(term) <= 2
    pieces = ("[-_ ]".join(map(re.escape, re.split("[-_]", piece))) for piece in _MODEL_NUMBER.split(term))
    spelled = "[-_ ]?".join(pieces)
    return rf"(?<![a-z0-9]){spelled}" + (r"(?![a-z0-9])" if whole else "")
