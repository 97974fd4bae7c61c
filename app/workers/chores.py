"""Recurring work beside scraping: exchange rates, the day's lows and medians, and tidying up."""

from __future__ import annotations

import asyncio
import logging
from datetime import datetime

from sqlalchemy import Engine

from app.db import runs
from app.db.engine import writing
from app.domain.errors import UpstreamFault
from app.market import history
from app.market.ingest import record_failure
from app.market.rates import ECB, ECB_URL, RATES, parse_ecb, store_rates
from app.market.retention import Retention, compact
from app.workers.jobs import Job
from app.workers.scrape import Scraper

log = logging.getLogger(__name__)

HOURLY, DAILY = 3_600, 86_400


def chores(scraper: Scraper) -> list[Job]:
    """Every recurring job that is not a scrape."""

    async def rates(fence: int) -> None:
        await refresh_rates(scraper, fence)

    async def day(_fence: int) -> None:
        await asyncio.to_thread(keep_history, scraper.engine, scraper.clock())

    async def retention(_fence: int) -> None:
        await asyncio.to_thread(forget, scraper.engine, scraper.clock(), scraper.keep)

    return [
        Job(RATES.slug, RATES.interval_s, rates),
        Job("history", HOURLY, day),
        Job("retention", DAILY, retention),
    ]


async def refresh_rates(scraper: Scraper, fence: int | None = None) -> None:
    """Fetch the central bank's rates. On a failure the old ones stay, with their day shown."""
    started_at = scraper.clock()
    try:
        part = await scraper.http.get(ECB_URL, name="ecb")
        day, rates = parse_ecb(part.text)
    except UpstreamFault as error:
        log.warning("exchange rates: %s", error)
        await asyncio.to_thread(
            record_failure,
            scraper.engine,
            RATES,
            str(error),
            started_at=started_at,
            now=scraper.clock(),
            fence=fence,
        )
        return
    await asyncio.to_thread(store_rates, scraper.engine, day, rates, ECB)
    await asyncio.to_thread(_succeeded, scraper.engine, RATES.slug, scraper.clock())


def keep_history(engine: Engine, now: datetime) -> None:
    """Write down the day's lows and medians, and how they follow the day before."""
    history.record_day(engine, now)
    _succeeded(engine, "history", now)


def forget(engine: Engine, now: datetime, keep: Retention) -> None:
    """Forget what is too old."""
    dropped = {table: rows for table, rows in compact(engine, now, keep).items() if rows}
    if dropped:
        log.info("forgotten: %s", ", ".join(f"{rows} of {table}" for table, rows in dropped.items()))
    _succeeded(engine, "retention", now)


def _succeeded(engine: Engine, slug: str, now: datetime) -> None:
    with writing(engine) as connection:
        runs.lock_provider(connection, slug)
        changes = {"last_attempt": now, "last_success": now, "last_error": None, "failures": 0}
        runs.set_provider(connection, slug, changes)
