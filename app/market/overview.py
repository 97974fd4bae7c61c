"""What is on offer by accelerator and by provider: counts and the cheapest prices of the board."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from statistics import median

from app.market.board import Board
from app.market.column import per_accelerator


@dataclass(frozen=True, slots=True)
class Spread:
    """Prices of whole accelerators per hour, USD; None where no offer of that kind states a price.

    `low_*` is the cheapest, `median_on_demand` the middle of all on-demand offers. `newest` is the last observation.
    """

    offers: int
    providers: int
    accelerators: int
    low_on_demand: float | None
    median_on_demand: float | None
    low_spot: float | None
    newest: datetime | None


@lru_cache(maxsize=2)
def by_accelerator(board: Board) -> Mapping[str, Spread]:
    """Catalog key → spread, whole cards only."""
    return _grouped(board, "accelerator")


@lru_cache(maxsize=2)
def by_provider(board: Board) -> Mapping[str, Spread]:
    """Provider slug → spread."""
    return _grouped(board, "provider")


def _grouped(board: Board, field: str) -> Mapping[str, Spread]:
    rows: dict[str, list[int]] = {}
    for row, record in enumerate(board.records):
        key = getattr(record, field)
        if key and (field != "accelerator" or record.accelerator_status == "known"):
            rows.setdefault(key, []).append(row)
    return {key: _spread(board, found) for key, found in rows.items()}


def _spread(board: Board, rows: list[int]) -> Spread:
    records = [board.records[row] for row in rows]
    prices: dict[str, list[float]] = {}
    for record in records:
        price = per_accelerator(record)
        if price is not None:
            prices.setdefault(record.purchase_option, []).append(price)
    on_demand = prices.get("on_demand", [])
    return Spread(
        offers=len(records),
        providers=len({record.provider for record in records}),
        accelerators=len({record.accelerator for record in records if record.accelerator}),
        low_on_demand=min(on_demand, default=None),
        median_on_demand=median(on_demand) if on_demand else None,
        low_spot=min(prices.get("spot", []), default=None),
        newest=max((record.observed_at for record in records), default=None),
    )
