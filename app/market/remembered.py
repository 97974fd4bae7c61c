"""An offer whether it still stands or not, and a run on it at a price of another day."""

from __future__ import annotations

from contextlib import suppress
from datetime import date
from typing import TYPE_CHECKING

import msgspec

from app.db.remembered import Remembered, read_remembered
from app.domain.errors import NotFound
from app.domain.record import OfferRecord
from app.domain.run import TrainingRun
from app.market.board import Board, build
from app.market.explain import Explanation, explain
from app.market.history import PricePoint

if TYPE_CHECKING:
    from app.market.service import Market


def remembered(market: Market, offer_id: str) -> Remembered:
    """An offer of the board, else as it was last told before it was withdrawn.

    Raises:
        NotFound: nobody ever offered this, or it was forgotten.
    """
    board = market.board
    with suppress(NotFound):
        return Remembered(board.records[board.row_of(offer_id)], None)
    with market.engine.connect() as connection:
        found = read_remembered(connection, offer_id)
    if found is None:
        raise NotFound("offer", offer_id)
    return found


def board_of_one(market: Market, record: OfferRecord) -> Board:
    """A board of one offer, for columns and estimates of what the current board does not hold."""
    return build((record,), market.catalog, "aside")


def explain_at(
    market: Market, record: OfferRecord, run: TrainingRun, usd_per_hour: float | None
) -> Explanation:
    """A run on an offer as if its whole instance cost so much an hour today, all else as it is.

    Raises:
        BadInput: the run cannot be answered.
    """
    priced = msgspec.structs.replace(record, price_usd_per_hour=usd_per_hour)
    return explain(board_of_one(market, priced), record.id, run, market.catalog, aside=True)


def price_on(points: list[PricePoint], day: date) -> PricePoint | None:
    """The last price that was told up to the end of a day (UTC); None where nothing was told by then."""
    told = [point for point in points if point.at.date() <= day]
    return told[-1] if told else None
