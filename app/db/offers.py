"""Reading the present offers, and the set-based writes of an ingest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from itertools import groupby
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import ColumnElement, Connection, Double, Table, bindparam, func, select, type_coerce, update
from sqlalchemy.dialects import postgresql, sqlite

from app.db.engine import is_postgresql, no_garbage
from app.db.merge import merge
from app.db.tables import board_version as version_table
from app.db.tables import exchange_rate, instance_type, offer, scrape_run
from app.domain.money import convert, effective_hourly
from app.domain.record import OfferRecord

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


_HARDWARE = (
    "provider_name",
    "accelerator",
    "accelerator_label",
    "accelerator_status",
    "accelerator_count",
    "memory_gib_per_accelerator",
    "vcpus",
    "ram_gib",
    "local_disk_gb",
    "intra_node_link",
    "intra_node_gbytes_per_s",
    "link_domain",
    "peer_to_peer",
    "fabric",
    "fabric_gbps",
    "max_nodes",
)
_COPIED = (
    "id",
    "provider",
    "region",
    "country",
    "continent",
    "zone",
    "purchase_option",
    "term_months",
    "upfront_option",
    "tier",
    "native_id",
    "currency",
    "price_changed_at",
    "stock",
    "stock_units",
    "reliability",
    "minimum_term_hours",
    "price_basis",
    "source",
    "source_kind",
    "source_url",
    "licence",
    "first_seen",
)
_CONVERTED: tuple[ColumnElement[Any], ...] = (
    offer.c.instance_type_id,
    func.coalesce(offer.c.said_at, scrape_run.c.started_at),
    offer.c.flags,
    type_coerce(offer.c.price_per_hour, Double()),
    type_coerce(offer.c.upfront, Double()),
    type_coerce(offer.c.previous_price, Double()),
)


def read_current(connection: Connection) -> list[OfferRecord]:
    """Every offer that is not withdrawn, one record each, sources merged, ordered by id."""
    with no_garbage():
        told = read_told(connection)
        return [merge(list(same)) for _, same in groupby(told, key=lambda record: record.id)]


def read_told(connection: Connection) -> Iterator[OfferRecord]:
    """What each source says of each present offer, ordered by offer id."""
    rates = {currency: (day, float(rate)) for currency, (day, rate) in read_rates(connection).items()}
    hardware = _read_hardware(connection)
    query = (
        select(*(offer.c[name] for name in _COPIED), *_CONVERTED)
        .join(scrape_run, scrape_run.c.id == offer.c.run_id)
        .where(offer.c.withdrawn_at.is_(None))
        .order_by(offer.c.id)
    )
    for part in connection.execute(query).yield_per(_CHUNK).partitions():
        for row in part:
            fields = dict(zip(_COPIED, row, strict=False))
            instance_type_id, observed_at, flags, *prices = row[len(_COPIED) :]
            fields["observed_at"] = observed_at
            fields["flags"] = () if flags == "[]" else tuple(msgspec.json.decode(flags))
            fields.update(hardware[instance_type_id])
            _set_prices(fields, prices, rates)
            yield OfferRecord(**fields)


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
    """Insert rows; where the key exists, overwrite all columns but `keep` (None = leave the old row alone)."""
    if not rows:
        return
    dialect = postgresql if is_postgresql(connection) else sqlite
    statement = dialect.insert(table)
    keys = [column.name for column in table.primary_key]
    if keep is None:
        connection.execute(statement.on_conflict_do_nothing(index_elements=keys), rows)
        return
    kept = {*keys, *keep}
    changes = {name: statement.excluded[name] for name in rows[0] if name not in kept}
    connection.execute(statement.on_conflict_do_update(index_elements=keys, set_=changes), rows)


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


def _read_hardware(connection: Connection) -> dict[str, dict[str, Any]]:
    query = select(
        instance_type.c.id,
        instance_type.c.name,
        instance_type.c.candidates,
        *[instance_type.c[name] for name in _HARDWARE],
    )
    found = {}
    for key, name, candidates, *facts in connection.execute(query):
        found[key] = dict(zip(_HARDWARE, facts, strict=True)) | {
            "instance_type": name,
            "candidates": tuple(msgspec.json.decode(candidates)),
        }
    return found


def _set_prices(
    fields: dict[str, Any], told: Sequence[float | None], rates: Mapping[str, tuple[date | None, float]]
) -> None:
    hourly, upfront, previous = told
    day, rate = rates.get(fields["currency"], (None, None))
    fields["hourly_price_native"] = hourly
    fields["rate_date"] = day
    fields["price_usd_per_hour"] = convert(effective_hourly(hourly, upfront, fields["term_months"]), rate)
    fields["upfront_usd"] = convert(upfront, rate)
    fields["previous_price_usd_per_hour"] = convert(previous, rate)
