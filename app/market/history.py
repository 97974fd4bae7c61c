"""Prices over time: of one offer, of an accelerator by purchase option, of a provider by accelerator."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Engine, Select, func, select

from app.db.engine import no_garbage, writing
from app.db.tables import accelerator_day, price_point, provider_day
from app.market.daily import Days
from app.market.price_index import IndexPoint, Link, Step, chain

MOST_POINTS = 2_000
"""Price changes of one offer that are read, the newest; a marketplace may have more."""


@dataclass(frozen=True, slots=True)
class PricePoint:
    """A price that held from `at` on, as `via` (the slug of a source) said; None = no price known from then on.
    `hourly` and `upfront` are in `currency`; `usd_per_hour` has the upfront spread, at the rate of that day."""

    at: datetime
    via: str
    hourly: float | None
    upfront: float | None
    currency: str
    usd_per_hour: float | None


@dataclass(frozen=True, slots=True)
class AcceleratorDay:
    """USD per accelerator-hour on one day: the lowest unflagged price, the median of the providers' medians; `flagged`
    offers are left out. `backfilled` = put together afterwards from dated files."""

    day: date
    purchase_option: str
    low_usd: float
    median_usd: float
    offers: int
    providers: int
    flagged: int = 0
    backfilled: bool = False


@dataclass(frozen=True, slots=True)
class ProviderDay:
    """A provider's lowest unflagged price of an accelerator on one day, USD per accelerator-hour."""

    day: date
    accelerator: str
    purchase_option: str
    low_usd: float
    offers: int


def price_points(engine: Engine, offer_id: str) -> list[PricePoint]:
    """Every price that an offer has had (the newest 2,000), oldest first; empty for an offer nobody has seen."""
    query = (
        select(
            price_point.c.at,
            price_point.c.via,
            price_point.c.price_per_hour,
            price_point.c.upfront,
            price_point.c.currency,
            price_point.c.usd_per_hour,
        )
        .where(price_point.c.offer_id == offer_id)
        .order_by(price_point.c.at.desc(), price_point.c.via.desc())
        .limit(MOST_POINTS)
    )
    with engine.connect() as connection:
        rows = connection.execute(query).all()[::-1]
    return [PricePoint(row[0], row[1], _float(row[2]), _float(row[3]), row[4], row[5]) for row in rows]


def accelerator_days(engine: Engine, accelerator: str, since: date | None = None) -> list[AcceleratorDay]:
    """Daily low and median of an accelerator for every purchase option, oldest first."""
    table = accelerator_day.c
    query: Select[Any] = select(
        table.day,
        table.purchase_option,
        table.low_usd,
        table.median_usd,
        table.offers,
        table.providers,
        table.flagged,
        table.backfilled,
    ).where(table.accelerator == accelerator)
    if since is not None:
        query = query.where(table.day >= since)
    with engine.connect() as connection:
        return [
            AcceleratorDay(*row)
            for row in connection.execute(query.order_by(table.day, table.purchase_option))
        ]


def provider_days(engine: Engine, provider: str, since: date | None = None) -> list[ProviderDay]:
    """Daily lows of a provider for every accelerator and purchase option, oldest first."""
    table = provider_day.c
    query = select(table.day, table.accelerator, table.purchase_option, table.low_usd, table.offers).where(
        table.provider == provider
    )
    if since is not None:
        query = query.where(table.day >= since)
    with engine.connect() as connection:
        return [ProviderDay(*row) for row in connection.execute(query.order_by(table.day, table.accelerator))]


def newest_day(engine: Engine) -> date | None:
    """The newest day of which anything is recorded."""
    with engine.connect() as connection:
        return connection.execute(select(func.max(accelerator_day.c.day))).scalar()


def oldest_day(engine: Engine) -> date | None:
    """The first day of which anything is recorded."""
    with engine.connect() as connection:
        return connection.execute(select(func.min(accelerator_day.c.day))).scalar()


def index_by_accelerator(engine: Engine, option: str, since: date) -> dict[str, list[IndexPoint]]:
    """The price index of every accelerator for a purchase option over the days from `since` on; see `price_index`."""
    table = accelerator_day.c
    query = (
        select(table.accelerator, table.day, table.log_change, table.matched, table.matched_providers)
        .where(table.purchase_option == option, table.day >= since)
        .order_by(table.accelerator, table.day)
    )
    steps: dict[str, list[Step]] = {}
    with engine.connect() as connection:
        for accelerator, day, change, offers, providers in connection.execute(query):
            link = None if change is None else Link(change, offers, providers)
            steps.setdefault(accelerator, []).append(Step(day, link))
    return {accelerator: chain(found) for accelerator, found in steps.items()}


def record_day(engine: Engine, now: datetime) -> int:
    """Write down today: per accelerator and purchase option low, median and the link to the recorded day before, out
    of the offers that were confirmed within 36 hours; the lows of every provider. A second call on the same day
    overwrites the first. Returns the rows written."""
    with (
        no_garbage(),
        engine.connect() as reading,
    ):  # seconds for many offers: nobody waits to write meanwhile
        rows = Days(reading, now).rows(now.date(), backfilled=False)
    with writing(engine) as connection:
        return rows.store(connection)


def record_past(connection: Connection, days: Collection[date], now: datetime) -> int:
    """Write down days gone by, out of the price points of then, and link the days that follow to them. What was
    recorded on such a day when it was today stays. Returns the rows written."""
    found = Days(connection, now)
    written = sum(found.rows(day, backfilled=True).store(connection) for day in sorted(set(days)))
    found.relink(days)
    return written


def day_before(day: date, days: int) -> date:
    """The first day of a span of so many days that ends with `day`."""
    return day - timedelta(days=days - 1)


def _float(value: object) -> float | None:
    return None if value is None else float(str(value))
