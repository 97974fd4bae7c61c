"""Runs and boards that the tests of estimates share."""

from __future__ import annotations

from typing import Any

from app.catalog import load_catalog
from app.domain.record import OfferRecord
from app.domain.run import TrainingRun
from app.market import estimates
from app.market.board import Board, build
from app.market.estimates import Estimates
from tests.market.samples import offer

CATALOG = load_catalog()


def run(**fields: Any) -> TrainingRun:
    return TrainingRun.from_fields({"model": "llama-3.1-8b", **fields})


def single(number: int, **changes: Any) -> OfferRecord:
    alone: dict[str, Any] = {
        "accelerator_count": 1,
        "intra_node_link": "none",
        "link_domain": 1,
        "ram_gib": 200,
    }
    return offer(number, **{**alone, **changes})


def board_of(*records: OfferRecord) -> Board:
    return build(records, CATALOG, "1")


def estimated(*records: OfferRecord, **fields: Any) -> tuple[Board, Estimates]:
    board = board_of(*records)
    return board, estimates.estimate(board, run(**fields), CATALOG)


def row(board: Board, number: int) -> int:
    return board.row_of(f"{number:016x}")
