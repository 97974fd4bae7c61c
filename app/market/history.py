"""Prices over time: of one offer, and of an accelerator by purchase option; and what is forgotten when."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import pairwise
from statistics import median

from sqlalchemy import Connection, Engine, delete, func, select

from app.db.engine import writing
from app.db.offers import upsert
from app.db.tables import accelerator_day, hold, instance_type, offer, price_point, scrape_run
from app.domain.record import OfferRecord

EVERY_CHANGE = timedelta(days=90)
"""Younger than this, every price change is kept; older, the last of each day."""
FORGET = timedelta(days=3 * 365)
FRESH = timedelta(hours=36)
"""Only prices that a source confirmed this recently count towards a day's low and median."""
RUNS_KEPT = timedelta(days=60)
WITHDRAWN_KEPT = timedelta(days=180)


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
    """USD per accelerator-hour on one day: the lowest unflagged price, the median of the providers' medians."""

    day: date
    purchase_option: str
    low_usd: float
    median_usd: float
    offers: int
    providers: int


def price_points(engine: Engine, offer_id: str) -> list[PricePoint]:
    """Every price that an offer has had, oldest first; empty for an offer nobody has seen."""
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
        .order_by(price_point.c.at, price_point.c.via)
    )
    with engine.connect() as connection:
        rows = connection.execute(query).all()
    return [PricePoint(row[0], row[1], _float(row[2]), _float(row[3]), row[4], row[5]) for row in rows]


def accelerator_days(engine: Engine, accelerator: str, since: date | None = None) -> list[AcceleratorDay]:
    """Daily low and median of an accelerator for every purchase option, oldest first."""
    table = accelerator_day.c
    query = select(
        table.day, table.purchase_option, table.low_usd, table.median_usd, table.offers, table.providers
    ).where(table.accelerator == accelerator)
    if since is not None:
        query = query.where(table.day >= since)
    with engine.connect() as connection:
        return [
            AcceleratorDay(*row)
            for row in connection.execute(query.order_by(table.day, table.purchase_option))
        ]


def record_day(engine: Engine, records: Iterable[OfferRecord], now: datetime) -> int:
    """Write down today's low and median per accelerator and purchase option out of the offers that were confirmed
    within 36 hours; a second call on the same day overwrites the first. Returns the rows written."""
    fresh = [record for record in records if now - record.observed_at <= FRESH]
    rows = summarise(fresh, now.date())
    with writing(engine) as connection:
        upsert(connection, accelerator_day, rows, keep=())
    return len(rows)


def backfill(engine: Engine, records: Iterable[OfferRecord]) -> int:
    """Write down the days that dated offers speak of (the bundled snapshot): each offer counts on the day it was
    observed. Days that are there already stay. Returns the rows offered."""
    by_day: dict[date, list[OfferRecord]] = defaultdict(list)
    for record in records:
        by_day[record.observed_at.date()].append(record)
    rows = [row for day, told in by_day.items() for row in summarise(told, day)]
    with writing(engine) as connection:
        upsert(connection, accelerator_day, rows)
    return len(rows)


def summarise(records: Iterable[OfferRecord], day: date) -> list[dict[str, object]]:
    """Low and median per accelerator-hour; slices, unpriced and flagged offers do not count."""
    prices: dict[tuple[str, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for record in records:
        usable = record.accelerator_status == "known" and not record.flags
        if usable and record.accelerator and record.price_usd_per_hour:
            price = record.price_usd_per_hour / record.accelerator_count
            prices[record.accelerator, record.purchase_option][record.provider].append(price)
    return [
        {
            "accelerator": accelerator,
            "purchase_option": option,
            "day": day,
            "low_usd": min(min(told) for told in by_provider.values()),
            "median_usd": median(median(told) for told in by_provider.values()),
            "offers": sum(len(told) for told in by_provider.values()),
            "providers": len(by_provider),
        }
        for (accelerator, option), by_provider in prices.items()
    ]


def compact(engine: Engine, now: datetime) -> dict[str, int]:
    """Forget what nobody asks for any more; returns rows deleted per table. The newest price point of an offer, and
    every run that something still points to, are kept."""
    with writing(engine) as connection:
        return {
            "price_point": _thin_points(connection, now) + _drop_old_points(connection, now),
            "hold": _drop_closed_holds(connection, now),
            "offer": _drop_long_withdrawn(connection, now),
            "instance_type": _drop_unused_types(connection),
            "scrape_run": _drop_unused_runs(connection, now),
        }


def _thin_points(connection: Connection, now: datetime) -> int:
    """Beyond 90 days, of several changes on one day only the last stays."""
    point = price_point.c
    query = select(point.offer_id, point.via, point.at).where(point.at < now - EVERY_CHANGE)
    rows = connection.execute(query.order_by(point.offer_id, point.via, point.at)).all()
    surplus = [
        earlier
        for earlier, later in pairwise(rows)
        if earlier[:2] == later[:2] and earlier[2].date() == later[2].date()
    ]
    return _delete_points(connection, surplus)


def _drop_old_points(connection: Connection, now: datetime) -> int:
    """Beyond three years only the newest point of an offer that is still listed stays."""
    point = price_point.c
    newest = (
        select(point.offer_id, point.via, func.max(point.at).label("at"))
        .group_by(point.offer_id, point.via)
        .subquery()
    )
    listed = select(offer.c.id).where(offer.c.id == point.offer_id, offer.c.via == point.via).exists()
    query = (
        select(point.offer_id, point.via, point.at)
        .join(newest, (newest.c.offer_id == point.offer_id) & (newest.c.via == point.via))
        .where(point.at < now - FORGET, (point.at < newest.c.at) | ~listed)
    )
    return _delete_points(connection, connection.execute(query).all())


def _delete_points(connection: Connection, keys: Sequence[Sequence[object]]) -> int:
    point = price_point.c
    for offer_id, via, at in keys:
        connection.execute(
            delete(price_point).where(point.offer_id == offer_id, point.via == via, point.at == at)
        )
    return len(keys)


def _drop_closed_holds(connection: Connection, now: datetime) -> int:
    return connection.execute(delete(hold).where(hold.c.closed_at < now - RUNS_KEPT)).rowcount


def _drop_long_withdrawn(connection: Connection, now: datetime) -> int:
    return connection.execute(delete(offer).where(offer.c.withdrawn_at < now - WITHDRAWN_KEPT)).rowcount


def _drop_unused_types(connection: Connection) -> int:
    used = select(offer.c.instance_type_id)
    return connection.execute(delete(instance_type).where(instance_type.c.id.not_in(used))).rowcount


def _drop_unused_runs(connection: Connection, now: datetime) -> int:
    run = scrape_run.c
    used = [
        select(table.c.run_id).where(table.c.run_id == run.id).exists()
        for table in (offer, price_point, hold)
    ]
    statement = delete(scrape_run).where(run.finished_at < now - RUNS_KEPT, *[~found for found in used])
    return connection.execute(statement).rowcount


def _float(value: object) -> float | None:
    return None if value is None else float(str(value))
