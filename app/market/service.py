"""The market: the one object that pages, API and command line hold. Its methods are the use cases."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from sqlalchemy import Engine

from app.catalog import Catalog, load_catalog
from app.db.engine import make_engine
from app.db.migrate import upgrade
from app.db.offers import board_version, read_rates
from app.db.present import read_table
from app.db.remembered import Remembered
from app.domain.model import ModelShape
from app.domain.record import OfferRecord
from app.domain.run import TrainingRun
from app.market import board as boards
from app.market import estimates, export, history, offers
from app.market import status as statuses
from app.market.board import Board, BoardHolder
from app.market.by_hardware import HardwareAnswer, by_hardware
from app.market.choices import Choices, choices_of
from app.market.frame import Frame, frame_of
from app.market.freshness import Freshness, freshness_of
from app.market.ingest import seed
from app.market.offers import OfferPage, OfferRow
from app.market.outliers import flag_outliers
from app.market.query import OfferQuery
from app.market.remembered import board_of_one, explain_at, remembered
from app.market.rent_or_buy import Decision, PurchaseCase, decide
from app.market.shapes import hardware_index
from app.market.trial import Trial
from app.market.trials import judge_trial
from app.training.parameters import count


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

    @classmethod
    def at(cls, url: str) -> Market:
        """A market over the database at an address, which is created and migrated as needed; an empty one gets the
        bundled snapshot.

        Raises:
            BadInput: the address cannot be used.
        """
        engine, catalog = make_engine(url), load_catalog()
        upgrade(engine)
        seed(engine, catalog, utc_now())
        return cls.open(catalog, engine)

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
        board = read_board(self.engine, self.catalog)
        hardware_index(board, self.catalog)  # else the first question with a run would wait for it
        self.holder.swap(board)
        return True

    def frame(self, run: TrainingRun | None) -> Frame:
        """The board with the estimates of a run beside it."""
        board = self.board
        return frame_of(board, estimates.estimate(board, run, self.catalog) if run is not None else None)

    def list_offers(self, query: OfferQuery, facets: bool = False) -> OfferPage:
        """See `offers.list_offers`."""
        return offers.list_offers(self, query, facets)

    def get_offer(self, offer_id: str) -> OfferRow:
        """See `offers.get_offer`."""
        return offers.get_offer(self, offer_id)

    def remembered(self, offer_id: str) -> Remembered:
        """See `remembered.remembered`."""
        return remembered(self, offer_id)

    def row_of(self, record: OfferRecord, withdrawn_at: datetime | None) -> OfferRow:
        """A remembered offer as a line without a run, whether it stands or not."""
        if withdrawn_at is None:
            return self.get_offer(record.id)
        return offers.row_on(board_of_one(self, record), record.id)

    def export_csv(self, query: OfferQuery) -> Iterator[str]:
        """See `export.export_csv`."""
        return export.export_csv(self, query)

    def price_points(self, offer_id: str) -> list[history.PricePoint]:
        """Price history of one offer, oldest first."""
        return history.price_points(self.engine, offer_id)

    def explain(self, offer_id: str, run: TrainingRun) -> estimates.Explanation:
        """Every term of a run on one offer."""
        return estimates.explain(self.board, offer_id, run, self.catalog)

    def explain_remembered(
        self, record: OfferRecord, withdrawn_at: datetime | None, run: TrainingRun
    ) -> estimates.Explanation:
        """The same for an offer that may be withdrawn: then at its last price, as if it still stood."""
        if withdrawn_at is None:
            return self.explain(record.id, run)
        return explain_at(self, record, run, record.price_usd_per_hour)

    def answer(self, run: TrainingRun) -> estimates.RunAnswer:
        """The run on single accelerator, node and cluster, before any price."""
        return estimates.answer(run, self.catalog, self.board)

    def by_hardware(self, run: TrainingRun) -> tuple[HardwareAnswer, ...]:
        """The run on every hardware shape on offer, the cheapest first."""
        board = self.board
        return by_hardware(board, estimates.estimate(board, run, self.catalog))

    def parameter_counts(self, shape: ModelShape) -> dict[str, int]:
        """Parameters of a model, all and those that one token meets."""
        counted = count(shape)
        return {"parameters": counted.total, "active_parameters": counted.active}

    def choices(self, query: OfferQuery) -> Choices | None:
        """See `choices.choices_of`."""
        return choices_of(self, query)

    def rent_or_buy(self, case: PurchaseCase) -> Decision:
        """See `rent_or_buy.decide`."""
        return decide(self, case)

    def trial(self, run: TrainingRun | None, figures: Mapping[str, str]) -> Trial:
        """See `trials.judge_trial`."""
        return judge_trial(run, figures, self.catalog)

    def freshness(self) -> Freshness:
        """See `freshness.freshness_of`."""
        return freshness_of(self)

    def status(self) -> statuses.Status:
        """Providers, their last success and attempt, rejects and holds."""
        return statuses.status(self.engine)


def read_board(engine: Engine, catalog: Catalog) -> Board:
    """The board of the database's present state. Version and rows are read in one transaction."""
    with engine.connect() as connection:
        version = str(board_version(connection))
        offers = flag_outliers(read_table(connection))
        rates = {code: (day, float(rate)) for code, (day, rate) in read_rates(connection).items()}
    return replace(boards.build_from(offers, catalog, version), rates=rates)
