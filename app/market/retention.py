"""What is forgotten when. Price points thin out with age, day rows stay as long as prices do, runs and withdrawn
offers go sooner; the newest price of a listed offer, and every run that something points to, always stay."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, Engine, and_, delete, func, select

from app.db.engine import writing
from app.db.tables import accelerator_day, hold, instance_type, offer, price_point, provider_day, scrape_run

_STRETCH = timedelta(days=32)


@dataclass(frozen=True, slots=True)
class Retention:
    """How long what is kept. Younger than `every_change`, every price change; older, the last of each day; beyond
    `prices`, only the newest price of what is still listed, and no day."""

    every_change: timedelta = timedelta(days=90)
    prices: timedelta = timedelta(days=3 * 365)
    runs: timedelta = timedelta(days=60)
    withdrawn: timedelta = timedelta(days=180)

    @classmethod
    def of_days(cls, changes: int, prices: int, withdrawn: int, runs: int) -> Retention:
        """Of whole days, as they are set."""
        every, listed, gone, run = (timedelta(days=days) for days in (changes, prices, withdrawn, runs))
        return cls(every_change=every, prices=listed, withdrawn=gone, runs=run)


DEFAULT = Retention()


def compact(engine: Engine, now: datetime, keep: Retention = DEFAULT) -> dict[str, int]:
    """Forget what nobody asks for any more, in set-based statements; returns rows deleted per table."""
    with writing(engine) as connection:
        return {
            "price_point": _thin_points(connection, now - keep.every_change)
            + _drop_old_points(connection, now - keep.prices),
            "accelerator_day": _drop(
                connection, accelerator_day, accelerator_day.c.day < (now - keep.prices).date()
            ),
            "provider_day": _drop(connection, provider_day, provider_day.c.day < (now - keep.prices).date()),
            "hold": _drop(connection, hold, hold.c.closed_at < now - keep.runs),
            "offer": _drop_withdrawn(connection, now - keep.withdrawn),
            "instance_type": _drop_unused_types(connection),
            "scrape_run": _drop_unused_runs(connection, now - keep.runs),
        }


def _thin_points(connection: Connection, before: datetime) -> int:
    """Of several changes of one day only the last stays. Goes back stretch by stretch until one is thin already, as all
    before it then are."""
    dropped, end = 0, before
    while found := _thin_stretch(connection, end - _STRETCH, end):
        dropped, end = dropped + found, end - _STRETCH
    return dropped


def _thin_stretch(connection: Connection, since: datetime, before: datetime) -> int:
    point, later = price_point.c, price_point.alias("later")
    same_day = and_(
        later.c.offer_id == point.offer_id,
        later.c.via == point.via,
        later.c.at > point.at,
        func.date(later.c.at) == func.date(point.at),
    )
    crowded = select(later.c.at).where(same_day).exists()
    return _drop(connection, price_point, and_(point.at >= since, point.at < before, crowded))


def _drop_old_points(connection: Connection, before: datetime) -> int:
    """Only the newest point of an offer that is still listed stays."""
    point, later = price_point.c, price_point.alias("later")
    superseded = select(later.c.at).where(
        later.c.offer_id == point.offer_id, later.c.via == point.via, later.c.at > point.at
    )
    listed = select(offer.c.id).where(offer.c.id == point.offer_id, offer.c.via == point.via)
    return _drop(connection, price_point, and_(point.at < before, superseded.exists() | ~listed.exists()))


def _drop_withdrawn(connection: Connection, before: datetime) -> int:
    """Long withdrawn; of offers that a dated file brought back, long after that file was read."""
    old = select(scrape_run.c.id).where(scrape_run.c.finished_at < before)
    return _drop(connection, offer, and_(offer.c.withdrawn_at < before, offer.c.run_id.in_(old)))


def _drop_unused_types(connection: Connection) -> int:
    return _drop(connection, instance_type, instance_type.c.id.not_in(select(offer.c.instance_type_id)))


def _drop_unused_runs(connection: Connection, before: datetime) -> int:
    run = scrape_run.c
    pointed = select(price_point.c.run_id).where(price_point.c.run_id == run.id).exists()
    used = [run.id.not_in(select(table.c.run_id)) for table in (offer, hold)]
    return _drop(connection, scrape_run, and_(run.finished_at < before, ~pointed, *used))


def _drop(connection: Connection, table: Any, condition: ColumnElement[bool]) -> int:
    return connection.execute(delete(table).where(condition)).rowcount
