"""Who may work on a source now: one statement decides, and a growing number fences off whoever was too slow.

A lease ends by itself, so a killed worker blocks nobody for long. Whoever writes checks its fence in the same
transaction (`market.ingest`), so a worker that lost its lease without noticing cannot write either.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, Engine, or_, select, update

from app.db.engine import writing
from app.db.offers import upsert
from app.db.tables import provider


def register(engine: Engine, slugs: Iterable[str]) -> None:
    """Make sources known; new ones are due at once."""
    rows = [{"slug": slug} for slug in sorted(slugs)]
    with writing(engine) as connection:
        upsert(connection, provider, rows)


def due(engine: Engine, slugs: Iterable[str], now: datetime) -> list[str]:
    """Which of these sources should be worked on and are not, the longest waiting first."""
    query = select(provider.c.slug).where(provider.c.slug.in_(list(slugs)), *_free(now))
    with engine.connect() as connection:
        return list(connection.execute(query.order_by(provider.c.next_due, provider.c.slug)).scalars())


def acquire(
    engine: Engine, slug: str, owner: str, now: datetime, ttl: timedelta, force: bool = False
) -> int | None:
    """Take a source for `ttl`; the fence number, or None if it is taken or not due (`force` = due or not)."""
    statement = (
        update(provider)
        .where(provider.c.slug == slug, *(_free(now)[1:] if force else _free(now)))
        .values(lease_owner=owner, lease_until=now + ttl, fence=provider.c.fence + 1)
        .returning(provider.c.fence)
    )
    with writing(engine) as connection:
        fence = connection.execute(statement).scalar_one_or_none()
    return None if fence is None else int(fence)


def renew(engine: Engine, slug: str, fence: int, now: datetime, ttl: timedelta) -> bool:
    """Hold a source longer; False when somebody else has it."""
    statement = update(provider).where(provider.c.slug == slug, provider.c.fence == fence)
    with writing(engine) as connection:
        return connection.execute(statement.values(lease_until=now + ttl)).rowcount == 1


def give_up(engine: Engine, slug: str, fence: int, next_due: datetime) -> bool:
    """Let go of a source and say when it is due next; False when somebody else has it."""
    statement = update(provider).where(provider.c.slug == slug, provider.c.fence == fence)
    with writing(engine) as connection:
        changes = {"lease_owner": None, "lease_until": None, "next_due": next_due}
        return connection.execute(statement.values(**changes)).rowcount == 1


def failures(engine: Engine, slug: str) -> int:
    """How many attempts in a row have failed."""
    with engine.connect() as connection:
        return int(
            connection.execute(select(provider.c.failures).where(provider.c.slug == slug)).scalar_one()
        )


def _free(now: datetime) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    is_due = or_(provider.c.next_due.is_(None), provider.c.next_due <= now)
    is_free = or_(provider.c.lease_until.is_(None), provider.c.lease_until <= now)
    return is_due, is_free
