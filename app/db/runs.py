"""Writing scrape runs, their rejects, held batches and the state of each source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, RowMapping, delete, insert, select, update

from app.db.engine import is_postgresql
from app.db.offers import upsert
from app.db.tables import hold, provider, reject, scrape_run


def lock_provider(connection: Connection, slug: str) -> RowMapping:
    """The state of a source, held until the transaction ends: two ingests of one source take turns."""
    upsert(connection, provider, [{"slug": slug}])
    query = select(provider).where(provider.c.slug == slug)
    return (
        connection.execute(query.with_for_update() if is_postgresql(connection) else query).mappings().one()
    )


def set_provider(connection: Connection, slug: str, values: Mapping[str, Any]) -> None:
    """Change the state of a source."""
    connection.execute(update(provider).where(provider.c.slug == slug).values(**values))


def open_run(connection: Connection, slug: str, started_at: datetime, now: datetime) -> int:
    """A new run whose figures are still to be filled in; its number."""
    values = {"provider": slug, "started_at": started_at, "finished_at": now, "outcome": "ok"}
    return int(
        connection.execute(insert(scrape_run).values(**values).returning(scrape_run.c.id)).scalar_one()
    )


def close_run(connection: Connection, run_id: int, values: Mapping[str, Any]) -> None:
    """Fill in a run's outcome and figures."""
    connection.execute(update(scrape_run).where(scrape_run.c.id == run_id).values(**values))


def replace_rejects(
    connection: Connection, slug: str, run_id: int, rows: Sequence[Mapping[str, Any]]
) -> None:
    """Keep the rejects of a source's newest run only; `rows` have provider, reason, detail, raw, rows."""
    older = select(scrape_run.c.id).where(scrape_run.c.provider == slug, scrape_run.c.id != run_id)
    connection.execute(delete(reject).where(reject.c.run_id.in_(older)))
    if rows:
        connection.execute(insert(reject), [{"run_id": run_id, **row} for row in rows])


def add_hold(connection: Connection, values: Mapping[str, Any]) -> None:
    """Keep a refused batch."""
    connection.execute(insert(hold).values(**values))


def open_hold(connection: Connection, via: str, slug: str) -> RowMapping | None:
    """The batch of a provider that is held now, if any."""
    query = select(hold).where(hold.c.via == via, hold.c.provider == slug, hold.c.closed_at.is_(None))
    return connection.execute(query.order_by(hold.c.id.desc())).mappings().first()


def open_holds(connection: Connection, via: str) -> list[RowMapping]:
    """Every batch of a source that is held now, oldest first."""
    query = select(hold).where(hold.c.via == via, hold.c.closed_at.is_(None)).order_by(hold.c.id)
    return list(connection.execute(query).mappings())


def close_holds(connection: Connection, via: str, slug: str, now: datetime, by: str) -> None:
    """No batch of this provider is held any more: `agreement`, `operator`, `recovery` or `replaced`. The record stays,
    the rows of the batch are let go."""
    connection.execute(
        update(hold)
        .where(hold.c.via == via, hold.c.provider == slug, hold.c.closed_at.is_(None))
        .values(closed_at=now, closed_by=by, batch=b"")
    )
