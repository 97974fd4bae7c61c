"""Puts workers together: what `rackrate worker`, `rackrate refresh` and the web process on SQLite run."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Engine

from app.catalog import Catalog
from app.db.engine import is_postgresql
from app.domain.errors import BadInput, NotFound
from app.domain.sentence import Sentence
from app.market.retention import DEFAULT, Retention
from app.providers import discover
from app.workers.http import PoliteClient
from app.workers.jobs import Foreman, Job
from app.workers.manners import Manners
from app.workers.pace import shared_gate
from app.workers.queue import Pace, lease_for, run_worker
from app.workers.schedule import jobs_of, run_embedded, run_now
from app.workers.scrape import Scraper

SOURCES_OFF = "RACKRATE_SOURCES_OFF"


def check_switches(off: frozenset[str]) -> None:
    """Whether every source that is switched off exists.

    Raises:
        BadInput: names those that do not.
    """
    if unknown := sorted(off - discover().keys()):
        raise BadInput(SOURCES_OFF, Sentence("there is no source {name}", {"name": ", ".join(unknown)}))


@dataclass(frozen=True, slots=True)
class Workshop:
    """What work needs: database, catalog, keys by environment variable, manners, a folder for kept answers,
    how long history is kept, and the slugs of sources that the operator has switched off.

    Raises:
        BadInput: there is no source of a slug in `off`.
    """

    engine: Engine
    catalog: Catalog
    environment: Mapping[str, str]
    manners: Manners
    cache: Path | None = None
    keep: Retention = DEFAULT
    off: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        check_switches(self.off)

    @property
    def foreman(self) -> Foreman:
        """This process as a worker; its name says machine and process."""
        return Foreman(self.engine, f"{socket.gethostname()}-{os.getpid()}", lease_for(Pace()))

    @asynccontextmanager
    async def jobs(self) -> AsyncIterator[dict[str, Job]]:
        """Every recurring job by slug, while the client is open. On PostgreSQL all workers share one pace per host."""
        shared = is_postgresql(self.engine)
        gate = shared_gate(self.engine, self.manners.requests_per_minute) if shared else None
        async with PoliteClient(self.manners, cache=self.cache, gate=gate) as http:
            scraper = Scraper(http, self.environment, self.engine, self.catalog, keep=self.keep, off=self.off)
            yield jobs_of(scraper, discover())


async def refresh(
    shop: Workshop, slugs: Iterable[str], begin: Callable[[str], object] | None = None
) -> list[str]:
    """Scrape these sources now (all, if none is named); the slugs of those that another worker is at. `begin` is told
    of each before it is asked.

    Raises:
        NotFound: no source of that name.
    """
    async with shop.jobs() as jobs:
        chosen = list(slugs) or list(discover())
        for slug in chosen:
            if slug not in jobs:
                raise NotFound("provider", slug)
        return await run_now(shop.foreman, [jobs[slug] for slug in chosen], begin)


async def refresh_in_background(shop: Workshop, stop: asyncio.Event) -> None:
    """The embedded schedule, until `stop` is set."""
    async with shop.jobs() as jobs:
        await run_embedded(shop.foreman, jobs, stop)


async def work(shop: Workshop) -> None:
    """`rackrate worker`: until SIGTERM or SIGINT. On PostgreSQL as one of any number, on SQLite as the only one."""
    stop = stop_on_signals()
    if not is_postgresql(shop.engine):
        await refresh_in_background(shop, stop)
        return
    async with shop.jobs() as jobs:
        await run_worker(shop.engine.url.render_as_string(hide_password=False), shop.foreman, jobs, stop)


def stop_on_signals() -> asyncio.Event:
    """An event that is set when this process is asked to end."""
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    return stop
