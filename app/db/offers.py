"""The set-based reads and writes of an ingest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any, NamedTuple

from sqlalchemy import Connection, Table, bindparam, func, select, update
from sqlalchemy.dialects import postgresql, sqlite

from app.db.copying import WORTHWHILE, copied
from app.db.engine import is_postgresql
from app.db.tables import board_version as version_table
from app.db.tables import exchange_rate, offer

_CHUNK = 5_000


class Stood(NamedTuple):
    """What a source last said of an offer, as far as the next batch is compared with it."""

    id: str
    stamp: str
    region: str
    purchase_option: str
    price_per_hour: Decimal | None
    upfront: Decimal | None
    term_months: int | None
    currency: str
    price_changed_at: datetime | None
    previous_price: Decimal | None


def board_version(connection: Connection) -> int:
    """A number that grows whenever the board would look different."""
    return int(connection.execute(select(version_table.c.version)).scalar_one())


def raise_version(connection: Connection) -> None:
    """Say that the board looks different; call it last, for it makes other writers wait until the commit."""
    connection.execute(update(version_table).values(version=version_table.c.version + 1))


def read_rates(connection: Connection) -> dict[str, tuple[date | None, Decimal]]:
    """The newest rate of each currency: its day (None for the dollar itself) and USD per unit."""
    newest = (
        select(exchange_rate.c.currency, func.max(exchange_rate.c.day).label("day"))
        .group_by(exchange_rate.c.currency)
        .subquery()
    )
    query = select(exchange_rate.c.currency, exchange_rate.c.day, exchange_rate.c.usd_per_unit).join(
        newest, (newest.c.currency == exchange_rate.c.currency) & (newest.c.day == exchange_rate.c.day)
    )
    rates: dict[str, tuple[date | None, Decimal]] = {
        row[0]: (row[1], row[2]) for row in connection.execute(query)
    }
    return rates | {"USD": (None, Decimal(1))}


def upsert(
    connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]], keep: Iterable[str] | None = None
) -> None:
    """Insert rows (each key once, all with the same columns); where the key exists, overwrite all columns but `keep`
    (None = leave the old row alone)."""
    if not rows:
        return
    statement: Any = (postgresql if is_postgresql(connection) else sqlite).insert(table)
    copies = is_postgresql(connection) and len(rows) >= WORTHWHILE
    if copies:
        statement = statement.from_select(list(rows[0]), copied(connection, table, rows))
    keys = [column.name for column in table.primary_key]
    kept = {*keys, *(keep or ())}
    changes = {name: statement.excluded[name] for name in rows[0] if name not in kept}
    if keep is None:
        statement = statement.on_conflict_do_nothing(index_elements=keys)
    else:
        statement = statement.on_conflict_do_update(index_elements=keys, set_=changes)
    connection.execute(statement, None if copies else rows)


def read_standing(connection: Connection, via: str, provider: str) -> list[Stood]:
    """What a source last said of a provider's present offers."""
    query = select(*_STANDING).where(
        offer.c.via == via, offer.c.provider == provider, offer.c.withdrawn_at.is_(None)
    )
    return [Stood(*row) for row in connection.execute(query)]


def read_withdrawn(connection: Connection, via: str, ids: Sequence[str]) -> list[Stood]:
    """The same for offers of these ids that were withdrawn earlier and may come back."""
    query = select(*_STANDING).where(
        offer.c.via == via,
        offer.c.withdrawn_at.is_not(None),
        offer.c.id.in_(bindparam("ids", expanding=True)),
    )
    return [Stood(*row) for part in _parts(ids) for row in connection.execute(query, {"ids": part})]


def touch(connection: Connection, via: str, ids: Sequence[str], values: Mapping[str, Any]) -> None:
    """Set columns of many of a source's offers at once."""
    statement = (
        update(offer)
        .where(offer.c.via == via, offer.c.id.in_(bindparam("ids", expanding=True)))
        .values(**values)
    )
    for part in _parts(ids):
        connection.execute(statement, {"ids": part})


_STANDING = tuple(offer.c[name] for name in Stood._fields)


def confirm(connection: Connection, via: str, provider: str, run_id: int) -> None:
    """Say of all present offers of a provider that this run has seen them."""
    connection.execute(
        update(offer)
        .where(offer.c.via == via, offer.c.provider == provider, offer.c.withdrawn_at.is_(None))
        .where(offer.c.run_id != run_id)
        .values(run_id=run_id)
    )


def _parts(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(ids), _CHUNK):
        yield ids[start : start + _CHUNK]
