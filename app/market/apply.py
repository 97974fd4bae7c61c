"""Writes an accepted batch of one provider: only what changed, in a handful of statements."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import Connection, update

from app.db import offers as store
from app.db.tables import instance_type, offer, price_point
from app.domain.money import convert, effective_hourly
from app.market.describe import Described

Rates = Mapping[str, tuple[date | None, Decimal]]
SNAPSHOT = "snapshot"


@dataclass(frozen=True, slots=True)
class Run:
    """The scrape run that writes: its number, the source, when that was asked, and what a currency is worth."""

    connection: Connection
    id: int
    via: str
    started_at: datetime
    now: datetime
    rates: Rates


@dataclass(frozen=True, slots=True)
class Applied:
    """Offers of one provider that appeared, changed, or went."""

    added: int
    changed: int
    withdrawn: int


@dataclass(frozen=True, slots=True)
class Accepted:
    """A provider's offers to write: `flags` are further flags by offer id, `before` the rows that stand by offer id,
    `gone` the ids that the source no longer lists."""

    provider: str
    batch: Mapping[str, Described]
    flags: Mapping[str, list[str]]
    before: Mapping[str, store.Stood]
    gone: Sequence[str]


def apply(run: Run, accepted: Accepted) -> Applied:
    """Bring a provider's offers to what the batch says. Unchanged offers only get the run that confirmed them; a price
    point is appended where a price changed."""
    before = accepted.before
    differing = [
        one.row(flags)
        for key, one in accepted.batch.items()
        for flags in [accepted.flags.get(key, ())]
        if key not in before or before[key].stamp != one.stamp(flags)
    ]
    new = [row["id"] for row in differing if row["id"] not in before]
    returning = {row.id: row for row in store.read_withdrawn(run.connection, run.via, new)}
    _write_offers(run, differing, {**before, **returning})
    store.touch(run.connection, run.via, accepted.gone, {"withdrawn_at": run.now})
    _confirm(run, accepted)
    return Applied(len(new), len(differing) - len(new), len(accepted.gone))


def write_instance_types(run: Run, rows: Mapping[str, Mapping[str, Any]], used: Collection[str]) -> None:
    """Add the hardware descriptions that are not there yet; existing ones never change. In the order of their keys, so
    that two sources of the same types wait for each other instead of locking each other out."""
    store.upsert(run.connection, instance_type, [rows[key] for key in sorted(used)])


def supersede_snapshot(run: Run, provider: str) -> None:
    """A live scrape of a provider takes the place of its rows in the bundled snapshot."""
    run.connection.execute(
        update(offer)
        .where(offer.c.via == SNAPSHOT, offer.c.provider == provider, offer.c.withdrawn_at.is_(None))
        .values(withdrawn_at=run.now)
    )


def _confirm(run: Run, accepted: Accepted) -> None:
    """One statement for all, unless some offers stand that this run did not see."""
    if accepted.before.keys() <= accepted.batch.keys() | set(accepted.gone):
        store.confirm(run.connection, run.via, accepted.provider, run.id)
    else:
        store.touch(run.connection, run.via, list(accepted.batch), {"run_id": run.id})


def _write_offers(run: Run, rows: Iterable[dict[str, Any]], before: Mapping[str, store.Stood]) -> None:
    offers, points = [], []
    for row in rows:
        old, at = before.get(row["id"]), row["said_at"] or run.started_at
        offers.append(row | _history(old, row, at) | {"via": run.via, "run_id": run.id, "withdrawn_at": None})
        if old is None or _moved(old, row):
            points.append(_point(run, row, at))
    store.upsert(run.connection, offer, offers, keep=("first_seen",))
    store.upsert(run.connection, price_point, points, keep=())


def _moved(old: store.Stood, row: Mapping[str, Any]) -> bool:
    return (old.price_per_hour, old.upfront, old.currency) != (
        row["price_per_hour"],
        row["upfront"],
        row["currency"],
    )


def _history(old: store.Stood | None, row: Mapping[str, Any], at: datetime) -> dict[str, Any]:
    changed_at: datetime | None = at
    previous: Decimal | None = None
    if old is not None and _moved(old, row):
        previous = effective_hourly(old.price_per_hour, old.upfront, old.term_months)
    elif old is not None:
        changed_at, previous = old.price_changed_at, old.previous_price
    return {"first_seen": at, "price_changed_at": changed_at, "previous_price": previous}


def _point(run: Run, row: Mapping[str, Any], at: datetime) -> dict[str, Any]:
    effective = effective_hourly(row["price_per_hour"], row["upfront"], row["term_months"])
    _, rate = run.rates.get(row["currency"], (None, None))
    return {
        "offer_id": row["id"],
        "via": run.via,
        "at": at,
        "price_per_hour": row["price_per_hour"],
        "upfront": row["upfront"],
        "currency": row["currency"],
        "usd_per_hour": convert(effective, rate),
        "run_id": run.id,
    }
