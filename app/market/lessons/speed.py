"""Lessons on speed: what bounds a step on which card, and how a ten-minute trial corrects the estimate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from app.domain.accelerator import Accelerator
from app.domain.record import OfferRecord
from app.domain.units import GB, TFLOP
from app.market.estimating import Estimates
from app.market.lessons.basis import LORA_14B, Basis, estimates_of, question, run_of
from app.market.offers import OfferRow
from app.training.cost import CostBreakdown

if TYPE_CHECKING:
    from app.market.service import Market
    from app.training.throughput import TimeBreakdown

MOST_CARDS = 8
QLORA_8B: Mapping[str, str] = {"model": "llama-3.1-8b", "method": "qlora"}
WIDTH = 4096
TOKENS = (1, 16, 256, 4096)
MOST_CANDIDATES = 4
SLOWER = 0.8
"""The trial of the example is this share of the estimate."""
TRIAL_HOURS = 10.0 / 60.0


@dataclass(frozen=True, slots=True)
class CardRow:
    """One accelerator on offer: dense BF16 TFLOP/s, memory GB/s, `ridge` = operations per byte from which arithmetic
    is the limit. `compute`, `memory`, `waiting` = shares of a step of the run; None where it does not hold it alone."""

    key: str
    name: str
    tflops: float
    gbytes_per_s: float
    ridge: float
    bound: str | None
    compute: float | None
    memory: float | None
    basis: Basis


@dataclass(frozen=True, slots=True)
class ProductRow:
    """A matrix product of WIDTH × WIDTH weights with `tokens` at once: operations per byte moved, and the share of each
    card's peak that memory allows, in the order of the lesson's `compared` cards."""

    tokens: int
    intensity: float
    shares: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class BoundLesson:
    """`cards` = those with most offers alone in an instance, of which both rates are known; `compared` = the weakest, the
    middle and the strongest of them by arithmetic, which `products` are told of."""

    cards: tuple[CardRow, ...]
    compared: tuple[CardRow, ...]
    products: tuple[ProductRow, ...]
    width: int
    model: str
    query: str


def bound_lesson(market: Market) -> BoundLesson:
    """The roofline of the cards that are most on offer, and where a run sits under it."""
    table = estimates_of(market, **QLORA_8B)
    cards = tuple(_card(market, table, key) for key in _common_cards(market))
    ranked = sorted(cards, key=lambda card: (card.tflops, card.key))
    compared = tuple(dict.fromkeys(ranked[place] for place in (0, len(ranked) // 2, -1))) if ranked else ()
    return BoundLesson(
        cards=cards,
        compared=compared,
        products=tuple(_product(tokens, compared) for tokens in TOKENS),
        width=WIDTH,
        model=market.catalog.model(QLORA_8B["model"]).name,
        query=question(**QLORA_8B).to_query_string(),
    )


def intensity(tokens: int, width: int) -> float:
    """Operations per byte of a square product in 16 bits: 2·T·h² ÷ 2·(T·h + T·h + h²) = T·h ÷ (2T + h)."""
    return tokens * width / (2.0 * tokens + width)


def ridge_of(card: Accelerator) -> float | None:
    """Operations per byte at which both limits meet; None where a rate is unknown."""
    if not card.bf16_tflops or not card.memory_bandwidth_gbytes_per_s:
        return None
    return card.bf16_tflops * TFLOP / (card.memory_bandwidth_gbytes_per_s * GB)


def _common_cards(market: Market) -> list[str]:
    board = market.board
    words, alone = board.texts["accelerator"], board.numbers["accelerator_count"] == 1
    alone &= (words.codes >= 0) & board.texts["accelerator_status"].where("known".__eq__)
    counts = np.bincount(words.codes[alone], minlength=len(words.names)).tolist()
    counted = [(-n, key) for key, n in zip(words.names, counts, strict=True) if n]
    known = [key for _, key in sorted(counted) if ridge_of(market.catalog.accelerator(key)) is not None]
    return known[:MOST_CARDS]


def _card(market: Market, table: Estimates, key: str) -> CardRow:
    card, ridge = market.catalog.accelerator(key), ridge_of(market.catalog.accelerator(key))
    assert ridge is not None
    assert card.bf16_tflops is not None
    assert card.memory_bandwidth_gbytes_per_s is not None
    found = _time_alone(market, table, key)
    return CardRow(
        key=key,
        name=card.name,
        tflops=card.bf16_tflops,
        gbytes_per_s=card.memory_bandwidth_gbytes_per_s,
        ridge=ridge,
        bound=found.bound if found else None,
        compute=_part(found, ("matrix products", "attention")) if found else None,
        memory=_part(found, ("memory traffic", "de-quantisation", "optimizer")) if found else None,
        basis=Basis.of(market, accelerator=key, accelerator_count=1),
    )


def _time_alone(market: Market, table: Estimates, key: str) -> TimeBreakdown | None:
    """The step of the run on one accelerator of this kind that holds it."""
    board = market.board
    alone = board.texts["accelerator"].where(key.__eq__) & (board.numbers["accelerator_count"] == 1)
    holds = np.array([verdict.holds for verdict in table.verdicts], np.bool_)[table.hardware.of_row]
    rows = np.flatnonzero(alone & holds)
    if not len(rows):
        return None
    return market.explain(board.records[int(rows[0])].id, run_of(**QLORA_8B)).time


def _part(time: TimeBreakdown, names: tuple[str, ...]) -> float:
    return sum(term.seconds for term in time.terms if term.name in names and term.counts) / time.step_s


def _product(tokens: int, cards: tuple[CardRow, ...]) -> ProductRow:
    found = intensity(tokens, WIDTH)
    return ProductRow(tokens, found, tuple(min(1.0, found / card.ridge) for card in cards))


@dataclass(frozen=True, slots=True)
class Candidate:
    """One offer worth a trial: the estimate with its band, the bill of the whole run, and what ten minutes of it cost at
    its hourly price, steps and minimum left out; None where the price is unknown."""

    record: OfferRecord
    tokens_per_s: float
    low_tokens_per_s: float
    high_tokens_per_s: float
    total_usd: float
    low_usd: float
    high_usd: float
    ten_minutes_usd: float | None
    run_query: str
    trial_query: str


@dataclass(frozen=True, slots=True)
class Corrected:
    """The first candidate after a trial that measured `measured_tokens_per_s`: hours and bill before and after."""

    record: OfferRecord
    measured_tokens_per_s: float
    before: CostBreakdown
    after: CostBreakdown
    query: str


@dataclass(frozen=True, slots=True)
class BenchmarkLesson:
    """`candidates` = the cheapest totals on demand, one for each accelerator; `corrected` None without any."""

    model: str
    tokens: float
    candidates: tuple[Candidate, ...]
    corrected: Corrected | None
    slower: float
    run_query: str


def benchmark_lesson(market: Market) -> BenchmarkLesson:
    """What to try first, what the try costs, and what its result changes."""
    candidates = _candidates(market)
    return BenchmarkLesson(
        model=market.catalog.model(LORA_14B["model"]).name,
        tokens=float(LORA_14B["tokens"]),
        candidates=candidates,
        corrected=_corrected(market, candidates[0]) if candidates else None,
        slower=1.0 - SLOWER,
        run_query=question(**LORA_14B).to_query_string(),
    )


def _candidates(market: Market) -> tuple[Candidate, ...]:
    query = question(**LORA_14B, purchase_option="on_demand", flagged="0", per_page=500)
    first: dict[str, OfferRow] = {}
    for row in market.list_offers(query).rows:
        if row.record.accelerator_status == "known" and row["total_usd"] is not None and row["nodes"] == 1:
            first.setdefault(row.record.accelerator or "", row)
        if len(first) == MOST_CANDIDATES:
            break
    return tuple(_candidate(market, row) for row in first.values())


def _candidate(market: Market, row: OfferRow) -> Candidate:
    time = market.explain(row.id, run_of(**LORA_14B)).time
    assert time is not None
    price = row.record.price_usd_per_hour
    return Candidate(
        record=row.record,
        tokens_per_s=time.tokens_per_s,
        low_tokens_per_s=time.low_tokens_per_s,
        high_tokens_per_s=time.high_tokens_per_s,
        total_usd=row["total_usd"],
        low_usd=row["total_usd_low"],
        high_usd=row["total_usd_high"],
        ten_minutes_usd=None if price is None else price * TRIAL_HOURS,
        run_query=question(**LORA_14B).to_query_string(),
        trial_query=question(**LORA_14B, measured_on=_machine(row.record)).to_query_string(),
    )


def _machine(record: OfferRecord) -> str:
    return f"{record.accelerator} x{record.accelerator_count:g}"


def _corrected(market: Market, candidate: Candidate) -> Corrected:
    measured = round(candidate.tokens_per_s * SLOWER)
    told = {"measured_on": _machine(candidate.record), "measured_tokens_per_s": str(measured)}
    asked = {**LORA_14B, **told}
    before = market.explain(candidate.record.id, run_of(**LORA_14B)).cost
    after = market.explain(candidate.record.id, run_of(**asked)).cost
    assert before is not None
    assert after is not None
    query = question(**asked).to_query_string()
    return Corrected(candidate.record, float(measured), before, after, query)
