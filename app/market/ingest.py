"""Takes in what a source said: one transaction, good rows in, doubtful batches held, nothing lost in silence."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, Engine, RowMapping, select

from app.catalog import Catalog
from app.db import runs
from app.db.engine import no_garbage, writing
from app.db.tables import offer
from app.domain.errors import LeaseLost, NotFound
from app.domain.offer import Parsed
from app.market import holds
from app.market.apply import SNAPSHOT
from app.market.batch import Batch, IngestReport
from app.market.history import record_past
from app.providers.card import ProviderCard

__all__ = ["SNAPSHOT_CARD", "IngestReport", "ingest", "record_failure", "record_skip", "release", "seed"]

SNAPSHOT_CARD = ProviderCard(SNAPSHOT, "Bundled snapshot", "snapshot", "aggregator", homepage="")


def ingest(
    engine: Engine,
    card: ProviderCard,
    parsed: Parsed,
    *,
    started_at: datetime,
    now: datetime,
    catalog: Catalog,
    fence: int | None = None,
) -> IngestReport:
    """Take in one scrape of a source. Per provider that the source covers, the batch is applied, or held whole, or
    applied but for the offers whose price is doubtful.

    Args:
        started_at: when the source was asked; that is the age of every row that states none of its own.
        fence: the number of the lease under which this runs, if any.

    Raises:
        LeaseLost: a newer lease on this source exists; nothing was written.
    """
    with no_garbage(), writing(engine) as connection:
        _take_turn(connection, card, fence)
        batch = Batch.open(connection, card, parsed, (started_at, now), catalog)
        batch.settle_all()
        return batch.finish()


def seed(engine: Engine, catalog: Catalog, now: datetime) -> IngestReport | None:
    """Load the catalog's dated snapshot into a database without offers; None where there are some already. The
    days that the snapshot speaks of become the first of the price history."""
    with writing(engine) as connection:
        _take_turn(connection, SNAPSHOT_CARD, None)
        if connection.execute(select(offer.c.id).limit(1)).first() is not None:
            return None
        parsed = Parsed(offers=tuple(catalog.snapshot()))
        batch = Batch.open(connection, SNAPSHOT_CARD, parsed, (now, now), catalog)
        batch.settle_all()
        report = batch.finish()
        days = {offer.observed_at.date() for offer in parsed.offers if offer.observed_at}
        record_past(connection, days, now)
        return report


def record_failure(
    engine: Engine,
    card: ProviderCard,
    error: str,
    *,
    started_at: datetime,
    now: datetime,
    fence: int | None = None,
) -> None:
    """Note that a source could not be asked or understood. Offers and their age stay as they are.

    Raises:
        LeaseLost: a newer lease on this source exists; nothing was written.
    """
    with writing(engine) as connection:
        state = _take_turn(connection, card, fence)
        run_id = runs.open_run(connection, card.slug, started_at, now)
        runs.close_run(connection, run_id, {"outcome": "failed", "note": error})
        changes = {"last_attempt": now, "last_error": error, "failures": state["failures"] + 1}
        runs.set_provider(connection, card.slug, changes)


def record_skip(engine: Engine, card: ProviderCard, why: str, *, fence: int | None = None) -> None:
    """Note why a source was not asked at all (a key is missing). That is no failure and no attempt.

    Raises:
        LeaseLost: a newer lease on this source exists; nothing was written.
    """
    with writing(engine) as connection:
        _take_turn(connection, card, fence)
        runs.set_provider(connection, card.slug, {"last_error": why, "failures": 0})


def release(engine: Engine, card: ProviderCard, *, now: datetime, catalog: Catalog) -> IngestReport:
    """Apply every held batch of a source on the operator's word, at the age at which it was scraped.

    Raises:
        NotFound: nothing of this source is held.
    """
    with writing(engine) as connection:
        runs.lock_provider(connection, card.slug)
        held = runs.open_holds(connection, card.slug)
        if not held:
            raise NotFound("held batch", card.slug)
        scraped = [one for row in held for one in holds.unpack(row["batch"])]
        started_at = min(row["held_at"] for row in held)
        batch = Batch.open(connection, card, Parsed(offers=tuple(scraped)), (started_at, now), catalog)
        for row in held:
            batch.release(row["provider"], row["whole"])
            runs.close_holds(connection, card.slug, row["provider"], now, "operator")
        return batch.finish(keep_rejects=True)


def _take_turn(connection: Connection, card: ProviderCard, fence: int | None) -> RowMapping:
    state = runs.lock_provider(connection, card.slug)
    if fence is not None and state["fence"] != fence:
        raise LeaseLost(card.slug)
    return state
