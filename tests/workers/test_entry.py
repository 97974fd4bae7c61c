"""Workers as the command line and the web process put them together."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import Engine

from app.catalog import load_catalog
from app.domain.errors import BadInput, NotFound
from app.market.provider_facts import source_of
from app.market.status import status
from app.providers import discover
from app.workers.entry import Workshop, refresh, refresh_in_background
from app.workers.manners import Manners
from tests.scraped import NOON, scraped, take_in

NOBODY = Manners(timeout_s=0.5, attempts=1, via="http://127.0.0.1:9")
"""Every request goes to a port where nobody listens."""


def shop(engine: Engine) -> Workshop:
    return Workshop(engine, load_catalog(), {}, NOBODY)


def test_every_discovered_source_and_the_chores_are_jobs(sqlite_engine: Engine) -> None:
    async def slugs() -> set[str]:
        async with shop(sqlite_engine).jobs() as jobs:
            return set(jobs)

    assert asyncio.run(slugs()) == {*discover(), "exchange-rates", "history", "retention"}


def test_refresh_of_an_unknown_source_is_refused_by_name(sqlite_engine: Engine) -> None:
    with pytest.raises(NotFound, match="nowhere"):
        asyncio.run(refresh(shop(sqlite_engine), ["nowhere"]))


def test_refresh_without_a_network_says_so_and_changes_no_offer(sqlite_engine: Engine) -> None:
    assert asyncio.run(refresh(shop(sqlite_engine), ["runpod", "exchange-rates"])) == []
    for slug in ("runpod", "exchange-rates"):
        state = status(sqlite_engine).source(slug)
        assert state is not None
        assert (state.failures, state.last_success, state.offers) == (1, None, 0)


def test_a_source_that_is_switched_off_is_not_asked_and_what_it_said_stays(sqlite_engine: Engine) -> None:
    take_in(sqlite_engine, scraped(provider="runpod"), card=discover()["runpod"].card)
    off = replace(shop(sqlite_engine), off=frozenset({"runpod"}))
    assert asyncio.run(refresh(off, ["runpod"])) == []
    state = status(sqlite_engine).source("runpod")
    assert state is not None
    assert (state.failures, state.last_success, state.offers) == (0, NOON, 1)
    assert state.last_attempt is not None and state.last_attempt < NOON + timedelta(minutes=1)
    assert source_of(discover()["runpod"].card, status(sqlite_engine)).off


def test_switching_off_a_source_that_does_not_exist_is_refused_by_name(sqlite_engine: Engine) -> None:
    with pytest.raises(BadInput, match="rumpod") as refused:
        replace(shop(sqlite_engine), off=frozenset({"rumpod", "runpod"}))
    assert refused.value.field == "RACKRATE_SOURCES_OFF"


def test_background_refresh_ends_soon_after_it_is_told(sqlite_engine: Engine) -> None:
    async def serve() -> None:
        stop = asyncio.Event()
        task = asyncio.create_task(refresh_in_background(shop(sqlite_engine), stop))
        await asyncio.sleep(0.3)
        stop.set()
        await asyncio.wait_for(task, 5)

    asyncio.run(serve())


@pytest.mark.postgres
def test_workers_on_postgresql_share_one_pace(postgres_engine: Engine) -> None:
    asyncio.run(refresh(shop(postgres_engine), ["runpod"]))
    with postgres_engine.connect() as connection:
        hosts = connection.exec_driver_sql("SELECT host FROM host_pace").scalars().all()
    assert hosts == ["api.runpod.io"]
