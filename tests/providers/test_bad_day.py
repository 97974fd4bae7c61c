"""Every provider at once over real HTTP into a real database: a good day, a bad day, and the day after."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta

from sqlalchemy import Engine

from app.catalog import load_catalog
from app.db.present import read_current
from app.domain.record import OfferRecord
from app.providers import discover
from app.workers.http import PoliteClient
from app.workers.manners import Manners
from app.workers.scrape import Scraper
from tests.providers.internet import Internet, bad_day, payload, served
from tests.scraped import NOON

SLUGS = [slug for slug, source in discover().items() if source.card.source_kind != "hand_kept"]


def test_a_bad_day_loses_nothing_doubles_nothing_and_makes_nothing_look_fresh(engine: Engine) -> None:
    with served(*SLUGS) as internet:
        _scrape_all(engine, internet, NOON)
        good = _by_id(engine)
        internet.weather.update(bad_day(SLUGS))
        _scrape_all(engine, internet, NOON + timedelta(hours=6), patience_s=0.4)
        bad = _by_id(engine)
        internet.weather.clear()
        _scrape_all(engine, internet, NOON + timedelta(hours=12))
        after = _by_id(engine)

    assert len({record.provider for record in good.values()}) >= 40
    assert good.keys() == bad.keys() == after.keys()
    for id_, record in good.items():
        assert bad[id_].observed_at == record.observed_at, f"{record.source} looks fresh after a failed day"
        assert bad[id_].price_usd_per_hour == record.price_usd_per_hour == after[id_].price_usd_per_hour
    refreshed = [id_ for id_, record in good.items() if record.observed_at == NOON]
    assert refreshed
    assert {after[id_].observed_at for id_ in refreshed} == {NOON + timedelta(hours=12)}


def _scrape_all(engine: Engine, internet: Internet, now: datetime, patience_s: float = 20.0) -> None:
    manners = Manners(
        via=internet.origin,
        timeout_s=20.0,
        total_s=patience_s,
        attempts=1,
        first_wait_s=0.01,
        requests_per_minute=60_000.0,
    )
    environment = {name: value for slug in SLUGS for name, value in payload(slug).get("settings", {}).items()}

    async def scrape() -> None:
        async with PoliteClient(manners) as http:
            scraper = Scraper(http, environment, engine, load_catalog(), clock=lambda: now)
            await asyncio.gather(*(scraper.scrape_provider(discover()[slug]) for slug in SLUGS))

    asyncio.run(scrape())


def _by_id(engine: Engine) -> dict[str, OfferRecord]:
    with engine.connect() as connection:
        records = read_current(connection)
    found = {record.id: record for record in records}
    assert len(found) == len(records), "an offer stands twice"
    return found
