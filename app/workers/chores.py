"""Recurring work beside scraping: exchange rates, the day's lows and medians, and tidying up."""

from __future__ import annotations

import asyncio
import logging
from datetime import datetime, timedelta

from sqlalchemy import Engine

from app.db import runs
from app.db.engine import writing
from app.db.offers import read_current
from app.domain.errors import UpstreamFault
from app.market import history
from app.market.ingest import record_failure
from app.market.outliers import flag_outliers
from app.market.rates import ECB, ECB_URL, parse_ecb, store_rates
from app.providers.card import DAY, ProviderCard
from app.workers.jobs import Job
from app.workers.scrape import Scraper

log = logging.getLogger(__name__)

RATES = ProviderCard(
    "exchange-rates", ECB, "api", "list_price", homepage="https://www.ecb.europa.eu", interval_s=DAY
)
HOURLY = timedelta(hours=1)


def chores(scraper: Scraper) -> list[Job]:
    """Every recurring job that is not a scrape."""

    async def rates(fence: int) -> None:
        await refresh_rates(scraper, fence)

    async def day(_fence: int) -> None:
        await asyncio.to_thread(keep_history, scraper.engine, scraper.clock())

    return [Job(RATES.slug, RATES.interval_s, rates), Job("history", int(HOURLY.total_seconds()), day)]


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
    """Write down the day's lows and medians and forget what is too old."""
    with engine.connect() as connection:
        records = flag_outliers(read_current(connection))
    history.record_day(engine, records, now)
    history.compact(engine, now)
    _succeeded(engine, "history", now)


def _succeeded(engine: Engine, slug: str, now: datetime) -> None:
    with writing(engine) as connection:
        runs.lock_provider(connection, slug)
        changes = {"last_attempt": now, "last_success": now, "last_error": None, "failures": 0}
        runs.set_provider(connection, slug, changes)
