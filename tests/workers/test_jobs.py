"""Jobs under leases: once at a time, handed back, fenced off, and how long until the next try."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Engine, select

from app.db import leases
from app.db.tables import provider
from app.market.ingest import record_failure
from app.workers.jobs import Foreman, Job, next_due
from tests.scraped import LIST, NOON


def foreman(engine: Engine, owner: str = "me") -> Foreman:
    leases.register(engine, ["lambda"])
    return Foreman(engine, owner, timedelta(seconds=60), lambda: NOON)


def row(engine: Engine) -> dict[str, object]:
    with engine.connect() as connection:
        return dict(connection.execute(select(provider)).mappings().one())


async def nothing(_fence: int) -> None:
    return


def test_job_that_is_done_is_due_after_its_interval(engine: Engine) -> None:
    assert asyncio.run(foreman(engine).run(Job("lambda", 3600, nothing)))
    state = row(engine)
    assert state["lease_owner"] is None
    assert NOON + timedelta(minutes=54) <= state["next_due"] <= NOON + timedelta(minutes=66)


def test_job_that_is_not_due_is_left_alone_unless_forced(engine: Engine) -> None:
    boss, job = foreman(engine), Job("lambda", 3600, nothing)
    assert asyncio.run(boss.run(job))
    assert not asyncio.run(boss.run(job))
    assert asyncio.run(boss.run(job, force=True))


def test_job_that_somebody_does_is_left_alone_even_when_forced(engine: Engine) -> None:
    boss = foreman(engine)
    assert leases.acquire(engine, "lambda", "other", NOON, timedelta(seconds=60)) is not None
    assert not asyncio.run(boss.run(Job("lambda", 3600, nothing), force=True))


def test_lease_that_ran_out_is_taken_over_with_a_higher_fence(engine: Engine) -> None:
    foreman(engine)
    first = leases.acquire(engine, "lambda", "dead", NOON, timedelta(seconds=60))
    late = NOON + timedelta(seconds=61)
    second = leases.acquire(engine, "lambda", "alive", late, timedelta(seconds=60))
    assert first is not None and second == first + 1
    assert not leases.renew(engine, "lambda", first, late, timedelta(seconds=60))
    assert not leases.give_up(engine, "lambda", first, late)
    assert row(engine)["lease_owner"] == "alive"


def test_work_is_cancelled_when_the_lease_is_lost(engine: Engine) -> None:
    ended: list[str] = []

    async def work(_fence: int) -> None:
        later = NOON + timedelta(hours=1)
        assert leases.acquire(engine, "lambda", "thief", later, timedelta(seconds=60)) is not None
        try:
            await asyncio.sleep(5)
        finally:
            ended.append("cancelled")

    boss = replace(foreman(engine), lease=timedelta(seconds=0.1))
    asyncio.run(asyncio.wait_for(boss.run(Job("lambda", 3600, work)), 2))
    assert ended == ["cancelled"]
    assert row(engine)["lease_owner"] == "thief"


def test_lease_is_renewed_while_the_work_lasts(sqlite_engine: Engine) -> None:
    async def work(_fence: int) -> None:
        before = row(sqlite_engine)["lease_until"]
        await asyncio.sleep(0.3)
        assert row(sqlite_engine)["lease_until"] > before

    ticks = iter(range(1000))
    boss = replace(
        foreman(sqlite_engine),
        lease=timedelta(seconds=0.2),
        clock=lambda: NOON + timedelta(seconds=next(ticks)),
    )
    assert asyncio.run(boss.run(Job("lambda", 3600, work)))


def test_stopped_worker_hands_its_job_back_at_once(engine: Engine) -> None:
    async def stop_midway() -> None:
        task = asyncio.create_task(foreman(engine).run(Job("lambda", 3600, lambda _fence: asyncio.sleep(5))))
        await asyncio.sleep(0.2)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(stop_midway())
    assert (row(engine)["lease_owner"], row(engine)["next_due"]) == (None, NOON)
    assert leases.due(engine, ["lambda"], NOON) == ["lambda"]


def test_failing_source_is_tried_again_sooner_than_its_interval(engine: Engine) -> None:
    async def fail(fence: int) -> None:
        record_failure(engine, LIST, "answered 500", started_at=NOON, now=NOON, fence=fence)

    asyncio.run(foreman(engine).run(Job("lambda", 86_400, fail)))
    assert NOON + timedelta(seconds=54) <= row(engine)["next_due"] <= NOON + timedelta(seconds=66)


def test_job_with_a_bug_is_not_tried_again_at_once(sqlite_engine: Engine) -> None:
    async def bug(_fence: int) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        asyncio.run(foreman(sqlite_engine).run(Job("lambda", 86_400, bug)))
    assert row(sqlite_engine)["lease_owner"] is None
    assert NOON + timedelta(seconds=54) <= row(sqlite_engine)["next_due"] <= NOON + timedelta(seconds=66)


@given(st.integers(60, 604_800), st.integers(0, 200), st.floats(-1, 1))
def test_next_try_comes_within_the_interval_and_never_within_fifty_seconds(
    interval: int, failures: int, spread: float
) -> None:
    wait = (next_due(NOON, interval, failures, spread) - NOON).total_seconds()
    assert 54 <= wait <= interval * 1.1 + 0.001


@given(st.integers(1, 50))
def test_each_failure_in_a_row_waits_at_least_as_long(failures: int) -> None:
    assert next_due(NOON, 86_400, failures + 1, 0) >= next_due(NOON, 86_400, failures, 0)
