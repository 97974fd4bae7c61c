"""What is on offer by accelerator and by provider: counts and the cheapest prices of the board."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
import numpy.typing as npt

from app.market.board import Board, per_board


@dataclass(frozen=True, slots=True)
class Spread:
    """Prices of whole accelerators per hour, USD; None where no offer of that kind states one that nobody doubts.

    `accelerators` counts names, also those that leave the variant open; `regions` is None where none is named. `low_*`
    is the cheapest, `median_on_demand` the middle of all on-demand offers. `newest` is the last observation.
    """

    offers: int
    providers: int
    accelerators: int
    regions: int | None
    low_on_demand: float | None
    median_on_demand: float | None
    low_spot: float | None
    newest: datetime | None


@per_board(2)
def by_accelerator(board: Board) -> Mapping[str, Spread]:
    """Catalog key → spread, whole cards only."""
    return _grouped(board, "accelerator")


@per_board(2)
def by_provider(board: Board) -> Mapping[str, Spread]:
    """Provider slug → spread."""
    return _grouped(board, "provider")


def _grouped(board: Board, field: str) -> Mapping[str, Spread]:
    words = board.texts[field]
    counted = words.codes >= 0
    if field == "accelerator":
        counted &= board.texts["accelerator_status"].where(lambda status: status == "known")
    rows = np.flatnonzero(counted)
    rows = rows[np.argsort(words.codes[rows], kind="stable")]
    codes, starts = np.unique(words.codes[rows], return_index=True)
    groups = np.split(rows, starts[1:]) if len(rows) else []
    return {words.names[code]: _spread(board, group) for code, group in zip(codes, groups, strict=True)}


def _spread(board: Board, rows: npt.NDArray[np.intp]) -> Spread:
    prices, options = (
        board.numbers["price_usd_per_accelerator_hour"][rows],
        board.texts["purchase_option"].take(rows),
    )
    priced = ~np.isnan(prices) & (board.numbers["flagged"][rows] == 0)
    on_demand = prices[priced & options.where(lambda option: option == "on_demand")]
    spot = prices[priced & options.where(lambda option: option == "spot")]
    return Spread(
        offers=len(rows),
        providers=len(np.unique(board.texts["provider"].codes[rows])),
        accelerators=len(np.unique(board.texts["accelerator_label"].codes[rows])),
        regions=_regions(board, rows),
        low_on_demand=float(on_demand.min()) if len(on_demand) else None,
        median_on_demand=float(np.median(on_demand)) if len(on_demand) else None,
        low_spot=float(spot.min()) if len(spot) else None,
        newest=datetime.fromtimestamp(board.numbers["observed_at"][rows].max(), UTC) if len(rows) else None,
    )


def _regions(board: Board, rows: npt.NDArray[np.intp]) -> int | None:
    """Regions are each provider's own."""
    provider, region = board.texts["provider"], board.texts["region"]
    stated = rows[region.codes[rows] >= 0]
    return (
        None
        if not len(stated)
        else len(
            np.unique(provider.codes[stated].astype(np.int64) * len(region.names) + region.codes[stated])
        )
    )
