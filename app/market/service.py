"""The market: the one object that pages, API and command line hold. Its methods are the use cases."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Engine

from app.catalog import Catalog
from app.db.offers import board_version, read_current
from app.domain.run import TrainingRun
from app.market import board as boards
from app.market import estimates, export, history, offers
from app.market import status as statuses
from app.market.board import Board, BoardHolder
from app.market.frame import Frame
from app.market.offers import OfferPage, OfferRow
from app.market.outliers import flag_outliers
from app.market.query import OfferQuery


def utc_now() -> datetime:
    """The clock of a running market."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Market:
    """Catalog, current board, database and clock; all that an answer needs."""

    catalog: Catalog
    holder: BoardHolder
    engine: Engine
    clock: Callable[[], datetime] = utc_now

    @classmethod
    def open(cls, catalog: Catalog, engine: Engine, clock: Callable[[], datetime] = utc_now) -> Market:
        """A market over a migrated database, its board read once."""
        return cls(catalog, BoardHolder(read_board(engine, catalog)), engine, clock)

    @property
    def board(self) -> Board:
        """The current board."""
        return self.holder.current

    def refresh_board(self) -> bool:
        """Swap in a new board if the database has moved on; says whether it had."""
        with self.engine.connect() as connection:
            version = str(board_version(connection))
        if version == self.board.version:
            return False
        self.holder.swap(read_board(self.engine, self.catalog))
        return True

    def frame(self, run: TrainingRun | None) -> Frame:
        """The board with the estimates of a run beside it."""
        board = self.board
        return Frame(board, estimates.estimate(board, run, self.catalog) if run is not None else None)

    def list_offers(self, query: OfferQuery, facets: bool = False) -> OfferPage:
        """See `offers.list_offers`."""
        return offers.list_offers(self, query, facets)

    def get_offer(self, offer_id: str) -> OfferRow:
        """See `offers.get_offer`."""
        return offers.get_offer(self, offer_id)

    def export_csv(self, query: OfferQuery) -> Iterator[str]:
        """See `export.export_csv`."""
        return export.export_csv(self, query)

    def price_points(self, offer_id: str) -> Any:
        """Price history of one offer, oldest first."""
        return history.price_points(self.engine, offer_id)

    def explain(self, offer_id: str, run: TrainingRun) -> Any:
        """Every term of a run on one offer."""
        return estimates.explain(self.board, offer_id, run, self.catalog)

    def answer(self, run: TrainingRun) -> Any:
        """The run on single accelerator, node and cluster, before any price."""
        return estimates.answer(run, self.catalog, self.board)

    def status(self) -> Any:
        """Providers, their last success and attempt, rejects and holds."""
        return statuses.status(self.engine)


def read_board(engine: Engine, catalog: Catalog) -> Board:
    """The board of the database's present state. Version and rows are read in one transaction."""
    with engine.connect() as connection:
        version = str(board_version(connection))
        records = flag_outliers(read_current(connection))
    return boards.build(records, catalog, version)
