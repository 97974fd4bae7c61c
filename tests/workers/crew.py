"""A worker process for tests: `python -m tests.workers.crew URL NAME LOG`. Its sources take a second each and
write down when they begin and end, so that a test sees who worked on what and when."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from app.catalog import load_catalog
from app.db.engine import make_engine
from app.domain.errors import Unreachable
from app.domain.offer import Parsed
from app.providers.card import ProviderCard
from app.providers.port import Http, Part, Payload, Provider
from app.workers.entry import stop_on_signals
from app.workers.jobs import Foreman
from app.workers.queue import Pace, lease_for, run_worker
from app.workers.schedule import jobs_of
from app.workers.scrape import Scraper
from tests.scraped import scraped

QUICK = Pace(dispatch_s=1, poll_s=0.2, heartbeat_s=0.5, dead_s=2.0, stop_s=0.2, at_once=2)
SOURCES = 6
OFFERS = 5


class Nowhere:
    """A client for sources that ask nobody; the exchange rates find no one either."""

    async def get(self, url: str, **_: object) -> Part:
        raise Unreachable(f"{url}: no network in this test")


def source(number: int, worker: str, log: Path, seconds: float = 1.0) -> Provider:
    """A source with five offers."""
    card = ProviderCard(
        f"source-{number}", f"Source {number}", "api", "list_price", homepage="", interval_s=3600
    )

    async def fetch(_http: Http, _settings: Mapping[str, str]) -> Payload:
        note(log, "begin", card.slug, worker)
        await asyncio.sleep(seconds)
        note(log, "end", card.slug, worker)
        return Payload(parts=(), unanswered=())

    def parse(_payload: Payload) -> Parsed:
        offers = [scraped(provider=card.slug, region=f"region-{region}") for region in range(OFFERS)]
        return Parsed(offers=tuple(offers))

    return Provider(card, fetch, parse)


def note(log: Path, *words: str) -> None:
    with log.open("a") as file:
        file.write(" ".join((f"{time.time():.3f}", *words)) + "\n")


def main(url: str, name: str, log: str) -> None:
    engine = make_engine(url)
    sources = {one.card.slug: one for one in (source(number, name, Path(log)) for number in range(SOURCES))}
    scraper = Scraper(Nowhere(), {}, engine, load_catalog())
    foreman = Foreman(engine, name, lease_for(QUICK))

    async def work() -> None:
        await run_worker(url, foreman, jobs_of(scraper, sources), stop_on_signals(), QUICK)

    asyncio.run(work())
    note(Path(log), "stopped", "-", name)


if __name__ == "__main__":
    main(*sys.argv[1:])
