"""Past prices out of dated files: price points and days of history, never a present price or its age.

An offer that the present knows keeps its row untouched. One that it does not know gets a row that was withdrawn at the
end of its last known day, so that history knows what it was. The same file twice changes nothing.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from sqlalchemy import Connection, Engine, select

from app.catalog import Catalog
from app.db import offers as store
from app.db import runs
from app.db.engine import no_garbage, writing
from app.db.tables import instance_type, offer, price_point, scrape_run
from app.domain.money import convert, effective_hourly
from app.market.dated import Dated
from app.market.describe import Described, Describer
from app.market.history import record_past
from app.market.quotes import rates_on

RUN = "backfill"
"""Who asked: runs of this name are no scrape, and their outcome says so too."""
_CHUNK = 5_000

Price = tuple[Decimal | None, Decimal | None, str]
Rates = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class BackfillReport:
    """What a file gave: rows that could be used and refused ones, new price points, and the rows of daily history that
    its days now have."""

    name: str
    source: str
    days: Sequence[date]
    offers: int
    refused: int
    points: int
    day_rows: int


def backfill(engine: Engine, dated: Dated, *, now: datetime, catalog: Catalog) -> BackfillReport:
    """Take in a dated file, in one transaction."""
    with no_garbage(), writing(engine) as connection:
        described, describer = _describe(dated, catalog, now)
        points = list(_new_points(connection, dated.card.slug, described))
        new = _rows_to_write(connection, dated.card.slug, described)
        if points or new:
            _write(connection, dated, points, new, describer, now)
        day_rows = record_past(connection, dated.days, now)
        store.raise_version(connection)
    return BackfillReport(
        name=dated.name,
        source=dated.card.slug,
        days=dated.days,
        offers=len(described),
        refused=len(dated.parsed.offers) - len(described) + len(dated.parsed.rejects),
        points=len(points),
        day_rows=day_rows,
    )


def _describe(dated: Dated, catalog: Catalog, now: datetime) -> tuple[list[Described], Describer]:
    """What can stand, oldest first; of two rows of one offer and moment the first."""
    describer = Describer(catalog, dated.card.source_kind, dated.card.name)
    found: dict[tuple[str, datetime], Described] = {}
    for scraped in dated.parsed.offers:
        one = describer.describe(scraped, now)
        if isinstance(one, Described) and one.values["said_at"] is not None:
            found.setdefault((one.id, one.values["said_at"]), one)
    return sorted(found.values(), key=_said_at), describer


def _new_points(connection: Connection, via: str, described: Iterable[Described]) -> Iterator[dict[str, Any]]:
    """A point for every price that differs from the one that stood at that moment."""
    described = list(described)
    standing = _points(connection, via, {one.id for one in described})
    rates: dict[date, Rates] = {}
    for one in described:
        at, values = _said_at(one), one.values
        price = (values["price_per_hour"], values["upfront"], values["currency"])
        told = standing[one.id]
        place = bisect_right(told, at, key=lambda point: point[0])
        if place and told[place - 1][1] == price:
            continue
        if place and told[place - 1][0] == at:
            continue  # the moment is taken by what was recorded then
        told.insert(place, (at, price))
        day = at.date()
        if day not in rates:
            rates[day] = rates_on(connection, day)
        yield {"offer_id": one.id, "via": via, "at": at, **_money(one, rates[day])}


def _money(one: Described, rates: Rates) -> dict[str, Any]:
    values = one.values
    currency = values["currency"]
    effective = effective_hourly(values["price_per_hour"], values["upfront"], values["term_months"])
    rate = 1.0 if currency == "USD" else rates.get(currency)
    return {
        "price_per_hour": values["price_per_hour"],
        "upfront": values["upfront"],
        "currency": currency,
        "usd_per_hour": convert(None if effective is None else float(effective), rate),
    }


def _points(
    connection: Connection, via: str, ids: Collection[str]
) -> dict[str, list[tuple[datetime, Price]]]:
    found: dict[str, list[tuple[datetime, Price]]] = defaultdict(list)
    point = price_point.c
    for part in _parts(sorted(ids)):
        query = (
            select(point.offer_id, point.at, point.price_per_hour, point.upfront, point.currency)
            .where(point.via == via, point.offer_id.in_(part))
            .order_by(point.at)
        )
        for key, at, *price in connection.execute(query):
            found[key].append((at, (price[0], price[1], price[2])))
    return found


def _rows_to_write(connection: Connection, via: str, described: Sequence[Described]) -> dict[str, Described]:
    """The newest row of each offer that the present does not know, or that an older file left behind."""
    newest = {one.id: one for one in described}
    for part in _parts(sorted(newest)):
        query = (
            select(offer.c.id, offer.c.said_at, offer.c.withdrawn_at, scrape_run.c.outcome)
            .join(scrape_run, scrape_run.c.id == offer.c.run_id)
            .where(offer.c.via == via, offer.c.id.in_(part))
        )
        for key, said_at, withdrawn_at, outcome in connection.execute(query):
            left_behind = withdrawn_at is not None and outcome == RUN
            if not left_behind or said_at >= _said_at(newest[key]):
                del newest[key]
    return newest


def _write(
    connection: Connection,
    dated: Dated,
    points: Sequence[Mapping[str, Any]],
    new: Mapping[str, Described],
    describer: Describer,
    now: datetime,
) -> None:
    run_id = runs.open_run(connection, RUN, now, now)
    figures = {
        "outcome": RUN,
        "offers": len(new),
        "added": len(points),
        "note": f"{dated.card.slug}: {dated.name}",
    }
    runs.close_run(connection, run_id, figures)
    used = sorted({one.values["instance_type_id"] for one in new.values()})
    store.upsert(connection, instance_type, [describer.instance_types[key] for key in used])
    rows = [_past_row(one, dated.card.slug, run_id) for one in new.values()]
    store.upsert(connection, offer, rows, keep=("first_seen",))
    store.upsert(connection, price_point, [{**point, "run_id": run_id} for point in points])


def _past_row(one: Described, via: str, run_id: int) -> dict[str, Any]:
    """The offer as it stood last, withdrawn at the end of that day."""
    at = _said_at(one)
    end = datetime.combine(at.date(), time(), UTC) + timedelta(days=1)
    history = {"first_seen": at, "price_changed_at": at, "previous_price": None}
    return {**one.row(), **history, "via": via, "run_id": run_id, "withdrawn_at": end}


def _said_at(one: Described) -> datetime:
    at = one.values["said_at"]
    assert isinstance(at, datetime)
    return at


def _parts(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(ids), _CHUNK):
        yield ids[start : start + _CHUNK]
