"""The largest price changes of a week, among offers that are listed now and were priced by the same source before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Double, Engine, Select, and_, func, select, type_coerce

from app.db.tables import price_point
from app.domain.errors import NotFound
from app.domain.money import effective_hourly
from app.domain.record import OfferRecord
from app.market.board import Board

WEEK = timedelta(days=7)
MOST = 20
_SAME = 0.02
"""The price on the board may differ this much from the point's: by the exchange rate of another day."""


@dataclass(frozen=True, slots=True)
class Mover:
    """One price change, USD per accelerator-hour: from `old` (said at `old_at`) to `new` (said at `new_at`) by the source
    `via`; `change` is a share, in the source's own currency. `offers` counts alike offers in other regions too."""

    record: OfferRecord
    via: str
    old: float
    new: float
    old_at: datetime
    new_at: datetime
    change: float
    offers: int


@dataclass(frozen=True, slots=True)
class Movers:
    """The week from `since` to `until`: the largest changes first, how many offers moved at all, and how many of those
    are left out because their price is flagged."""

    since: datetime
    until: datetime
    largest: tuple[Mover, ...]
    moved: int
    flagged: int


def movers(engine: Engine, board: Board, until: datetime) -> Movers:
    """The movers of the week that ends at `until`."""
    since = until - WEEK
    found: dict[tuple[Any, ...], Mover] = {}
    moved = flagged = 0
    for mover in _changes(engine, board, since, until):
        moved += 1
        if mover.record.flags:
            flagged += 1
            continue
        key = _alike(mover)
        first = found.get(key, mover)
        count = first.offers + 1 if key in found else 1
        found[key] = Mover(
            first.record, first.via, first.old, first.new, first.old_at, first.new_at, first.change, count
        )
    ordered = sorted(found.values(), key=lambda mover: (-_size(mover), mover.record.id))
    return Movers(since, until, tuple(ordered[:MOST]), moved, flagged)


def _changes(engine: Engine, board: Board, since: datetime, until: datetime) -> Iterator[Mover]:
    with engine.connect() as connection:
        for key, via, old_at, new_at, *told in connection.execute(_changed(since, until)):
            try:
                record = board.records[board.row_of(key)]
            except NotFound:
                continue  # no longer on offer
            mover = _mover(record, via, (old_at, new_at), told)
            if mover is not None:
                yield mover


def _mover(record: OfferRecord, via: str, times: tuple[datetime, datetime], told: list[Any]) -> Mover | None:
    """None where a price is unknown, did not change, or is not the one that the board shows."""
    months, price = record.term_months, record.price_usd_per_hour
    old = effective_hourly(told[0], told[1], months)
    new = effective_hourly(told[4], told[5], months)
    old_usd, new_usd = told[3], told[7]
    if not (old and new and old_usd and new_usd and price) or record.accelerator_status != "known":
        return None
    if abs(new_usd / price - 1) > _SAME:
        return None
    change = new / old - 1 if told[2] == told[6] else new_usd / old_usd - 1
    if change == 0:
        return None
    count = record.accelerator_count
    return Mover(record, via, old_usd / count, new_usd / count, *times, change, 1)


def _changed(since: datetime, until: datetime) -> Select[Any]:
    """The last point of every series that has one in the week, beside the last one before the week."""
    point = price_point.c
    last = (
        select(point.offer_id, point.via, func.max(point.at).label("at"))
        .where(point.at > since, point.at <= until)
        .group_by(point.offer_id, point.via)
        .subquery()
    )
    earlier = price_point.alias("earlier")
    before = (
        select(func.max(earlier.c.at))
        .where(earlier.c.offer_id == last.c.offer_id, earlier.c.via == last.c.via, earlier.c.at <= since)
        .correlate(last)
        .scalar_subquery()
    )
    old, new = price_point.alias("old"), price_point.alias("new")
    money: list[ColumnElement[Any]] = []
    for side in (old, new):
        money += [type_coerce(side.c.price_per_hour, Double()), type_coerce(side.c.upfront, Double())]
        money += [side.c.currency, side.c.usd_per_hour]
    joined = last.join(
        old, and_(old.c.offer_id == last.c.offer_id, old.c.via == last.c.via, old.c.at == before)
    ).join(new, and_(new.c.offer_id == last.c.offer_id, new.c.via == last.c.via, new.c.at == last.c.at))
    return select(last.c.offer_id, last.c.via, old.c.at, new.c.at, *money).select_from(joined)


def _alike(mover: Mover) -> tuple[Any, ...]:
    record = mover.record
    price = (round(mover.old, 4), round(mover.new, 4))
    return (
        record.provider,
        record.instance_type,
        record.purchase_option,
        record.term_months,
        record.tier,
        price,
    )


def _size(mover: Mover) -> float:
    """Halving is as large as doubling."""
    return max(1 + mover.change, 1 / (1 + mover.change))
