"""Writes an accepted batch of one provider: only what changed, in a handful of statements."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import Connection, RowMapping, update

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


def apply(
    run: Run,
    batch: Mapping[str, Described],
    flags: Mapping[str, list[str]],
    before: Mapping[str, RowMapping],
    gone: Sequence[str],
) -> Applied:
    """Bring a provider's offers to what the batch says. `flags` are further flags by offer id, `before` the rows
    that stand by offer id, `gone` the ids that the source no longer lists.

    Unchanged offers only get the run that confirmed them. A price point is appended where a price changed.
    """
    rows = [one.row(flags.get(key, ())) for key, one in batch.items()]
    differing = [row for row in rows if row["id"] not in before or before[row["id"]]["stamp"] != row["stamp"]]
    new = [row["id"] for row in differing if row["id"] not in before]
    known = {**before, **{row["id"]: row for row in store.read_withdrawn(run.connection, run.via, new)}}
    _write_offers(run, differing, known)
    differing_ids = {row["id"] for row in differing}
    confirmed = [row["id"] for row in rows if row["id"] not in differing_ids]
    store.touch(run.connection, run.via, confirmed, {"run_id": run.id})
    store.touch(run.connection, run.via, gone, {"withdrawn_at": run.now})
    return Applied(len(new), len(differing) - len(new), len(gone))


def write_instance_types(run: Run, rows: Mapping[str, Mapping[str, Any]], used: Collection[str]) -> None:
    """Add the hardware descriptions that are not there yet; existing ones never change."""
    store.upsert(run.connection, instance_type, [rows[key] for key in used])


def supersede_snapshot(run: Run, provider: str) -> None:
    """A live scrape of a provider takes the place of its rows in the bundled snapshot."""
    if run.via == SNAPSHOT:
        return
    run.connection.execute(
        update(offer)
        .where(offer.c.via == SNAPSHOT, offer.c.provider == provider, offer.c.withdrawn_at.is_(None))
        .values(withdrawn_at=run.now)
    )


def _write_offers(run: Run, rows: Iterable[dict[str, Any]], before: Mapping[str, Any]) -> None:
    offers, points = [], []
    for row in rows:
        old, at = before.get(row["id"]), row["said_at"] or run.started_at
        moved = old is None or any(
            old[name] != row[name] for name in ("price_per_hour", "upfront", "currency")
        )
        offers.append(
            row | _history(old, moved, at) | {"via": run.via, "run_id": run.id, "withdrawn_at": None}
        )
        if moved:
            points.append(_point(run, row, at))
    store.upsert(run.connection, offer, offers, keep=("first_seen",))
    store.upsert(run.connection, price_point, points, keep=())


def _history(old: Mapping[str, Any] | None, moved: bool, at: datetime) -> dict[str, Any]:
    if old is None:
        return {"first_seen": at, "price_changed_at": at, "previous_price": None}
    if not moved:
        return {
            "first_seen": at,
            "price_changed_at": old["price_changed_at"],
            "previous_price": old["previous_price"],
        }
    previous = effective_hourly(old["price_per_hour"], old["upfront"], old["term_months"])
    return {"first_seen": at, "price_changed_at": at, "previous_price": previous}


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
