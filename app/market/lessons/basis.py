"""What a figure of a lesson rests on: how many offers, how old, and the address that shows exactly them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from app.domain.coded import RowArray
from app.domain.run import TrainingRun
from app.market.board import Board
from app.market.estimating import Estimates, estimate
from app.market.offers import select
from app.market.query import OfferQuery

if TYPE_CHECKING:
    from app.market.service import Market

FULL_8B: Mapping[str, str] = {"model": "llama-3.1-8b", "method": "full"}
LORA_14B: Mapping[str, str] = {"model": "qwen2.5-14b", "method": "lora", "tokens": "50000000"}
"""The two runs that the lessons return to: one that wants a node, one that a single accelerator holds."""


@dataclass(frozen=True, slots=True)
class Basis:
    """`n` offers, confirmed between `oldest` and `newest` (UTC; None without any). `query` opens them in the table."""

    n: int
    oldest: datetime | None
    newest: datetime | None
    query: str

    @classmethod
    def of(cls, market: Market, **asked: object) -> Basis:
        """What the table shows for these parameters."""
        query = question(**asked)
        return cls.over(market, rows_of(market, query), query)

    @classmethod
    def over(cls, market: Market, rows: RowArray, query: OfferQuery) -> Basis:
        """These rows of the board, which `query` opens."""
        seen = market.board.numbers["observed_at"][rows]
        oldest, newest = (_moment(seen.min()), _moment(seen.max())) if len(seen) else (None, None)
        return cls(len(rows), oldest, newest, query.to_query_string())


def question(**asked: object) -> OfferQuery:
    """A question from parameters as a link would carry them.

    Raises:
        BadInput: as `OfferQuery.parse`.
    """
    return OfferQuery.parse({name: [str(value)] for name, value in asked.items()})


def run_of(**fields: Any) -> TrainingRun:
    """A training run from its fields."""
    return TrainingRun.from_fields(fields)


def fit_query(**fields: object) -> str:
    """The query string that asks the fit page about a run."""
    return question(**fields).to_query_string()


def rows_of(market: Market, query: OfferQuery) -> RowArray:
    """Rows of the board that answer a question, in the board's order."""
    return np.flatnonzero(select(market, query).chosen)


def providers_of(board: Board) -> list[str]:
    """Every provider that has an offer, by slug."""
    words = board.texts["provider"]
    return sorted(words.names[code] for code in np.unique(words.codes) if code >= 0)


def estimates_of(market: Market, **fields: Any) -> Estimates:
    """The estimates of a run over the whole board."""
    return estimate(market.board, run_of(**fields), market.catalog)


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
