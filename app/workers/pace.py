"""A pace per host that all workers share: each draws its turn from one row of the database."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta

from sqlalchemy import Engine, func
from sqlalchemy.dialects.postgresql import insert

from app.db.tables import host_pace


def shared_gate(engine: Engine, requests_per_minute: float) -> Callable[[str], Awaitable[None]]:
    """A gate for `PoliteClient(gate=…)`: waits until the host may be asked, counting every worker's requests.
    PostgreSQL only; with SQLite there is one process, which keeps its own pace."""
    step = timedelta(minutes=1 / requests_per_minute)

    async def wait_for_turn(host: str) -> None:
        now = datetime.now(UTC)
        turn = await asyncio.to_thread(draw_turn, engine, host, step, now)
        await asyncio.sleep(max(0.0, (turn - now).total_seconds()))

    return wait_for_turn


def draw_turn(engine: Engine, host: str, step: timedelta, now: datetime) -> datetime:
    """The moment at which this request may go out; the next one is a step later."""
    statement = insert(host_pace).values(host=host, next_at=now + step)
    after = func.greatest(host_pace.c.next_at, now) + step
    upserted = statement.on_conflict_do_update(index_elements=["host"], set_={"next_at": after})
    with engine.begin() as connection:
        next_at: datetime = connection.execute(upserted.returning(host_pace.c.next_at)).scalar_one()
    return next_at - step
