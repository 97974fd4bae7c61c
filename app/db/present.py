"""Reading the present offers, column by column.

The database hands up each column as one JSON array: it does its part without Python's lock, and no object is made
per cell but the value itself. Row by row the same takes three times as long and stops every request meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from typing import Any

import msgspec
import numpy as np
from sqlalchemy import Connection, Text, cast, func, select

from app.db.engine import is_postgresql, no_garbage
from app.db.merge import merge
from app.db.offers import read_rates
from app.db.tables import instance_type, offer, scrape_run
from app.domain.coded import Coded, FloatArray, Listed, RowArray
from app.domain.flags import doubts_of, notes_of
from app.domain.money import effective_hourly_of
from app.domain.offer_table import FIELDS, ListColumn, OfferTable, column_of, ids_of
from app.domain.record import OfferRecord

_HARDWARE = (
    "provider",
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
_WORDS = (
    "region",
    "country",
    "continent",
    "zone",
    "purchase_option",
    "upfront_option",
    "tier",
    "native_id",
    "currency",
    "stock",
    "price_basis",
    "source",
    "source_kind",
    "source_url",
    "licence",
)
_NUMBERS = ("term_months", "stock_units", "reliability", "minimum_term_hours")
_PRICES = ("price_per_hour", "upfront", "previous_price")
_MOMENTS = ("price_changed_at", "first_seen")
_Texts = msgspec.json.Decoder(list[str | None])
_Figures = msgspec.json.Decoder(list[float | None])


def read_current(connection: Connection) -> list[OfferRecord]:
    """Every offer that is not withdrawn, one record each, sources merged, ordered by id."""
    return read_table(connection).records()


def read_table(connection: Connection) -> OfferTable:
    """Every offer that is not withdrawn as columns, sources merged, ordered by id."""
    with no_garbage():
        return merge(read_told(connection))


def read_told(connection: Connection) -> OfferTable:
    """What each source says of each present offer, in no particular order."""
    told = _read_columns(connection)
    words = {name: Coded.of(_Texts.decode(told.pop(name))) for name in _WORDS}
    numbers = {name: _figures(told.pop(name)) for name in (*_NUMBERS, *_PRICES)}
    numbers |= {name: _moments(told.pop(name)) for name in (*_MOMENTS, "observed_at")}
    flags = Coded.of(_Texts.decode(told.pop("flags")))
    said = [tuple(msgspec.json.decode(text)) for text in flags.names]
    lists: dict[str, ListColumn] = {
        "flags": Listed(flags.codes, tuple(map(doubts_of, said))),
        "notes": Listed(flags.codes, tuple(map(notes_of, said))),
        "other_sources": Listed(np.zeros(len(flags.codes), np.int32), ((),)),
    }
    _add_hardware(connection, _Texts.decode(told.pop("instance_type_id")), words, numbers, lists)
    _add_prices(words["currency"], read_rates(connection), numbers)
    return OfferTable(ids_of(_Texts.decode(told.pop("id"))), words, numbers, lists)  # type: ignore[arg-type]


def _read_columns(connection: Connection) -> dict[str, str]:
    """Column name → its values as a JSON array, all in the same order of rows."""
    names = ("id", "instance_type_id", "flags", *_WORDS, *_NUMBERS, *_PRICES, *_MOMENTS)
    columns = {name: offer.c[name] for name in names} | {
        "observed_at": func.coalesce(offer.c.said_at, scrape_run.c.started_at)
    }
    gather: Callable[..., Any] = func.json_agg if is_postgresql(connection) else func.json_group_array
    query = (
        select(*(cast(gather(column), Text) for column in columns.values()))
        .join(scrape_run, scrape_run.c.id == offer.c.run_id)
        .where(offer.c.withdrawn_at.is_(None))
    )
    row = connection.execute(query).one()
    return {name: text or "[]" for name, text in zip(columns, row, strict=True)}


def _figures(text: str) -> FloatArray:
    return np.array(_Figures.decode(text), np.float64)


def _moments(text: str) -> FloatArray:
    """Epoch seconds. Few moments, many rows: each is read once."""
    told = Coded.of(_Texts.decode(text))
    return told.numbers(lambda moment: _aware(datetime.fromisoformat(moment)).timestamp())


def _aware(moment: datetime) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _add_hardware(
    connection: Connection,
    types: list[str | None],
    words: dict[str, Coded],
    numbers: dict[str, FloatArray],
    lists: dict[str, ListColumn],
) -> None:
    """The columns that depend on the instance type alone: read once per type."""
    described = connection.execute(
        select(
            instance_type.c.id,
            instance_type.c.name,
            instance_type.c.candidates,
            *(instance_type.c[name] for name in _HARDWARE),
        )
    ).all()
    ids, names, candidates, *facts = (
        zip(*described, strict=True) if described else [()] * (3 + len(_HARDWARE))
    )
    place = {key: index for index, key in enumerate(ids)}
    rows: RowArray = np.fromiter(map(place.__getitem__, types), np.intp, len(types))
    words["instance_type"] = Coded.of(names).take(rows)
    lists["candidates"] = Listed.of(tuple(msgspec.json.decode(text)) for text in candidates).take(rows)
    for name, values in zip(_HARDWARE, facts, strict=True):
        column = column_of(FIELDS[name], list(values))
        if isinstance(column, Coded):
            words[name] = column.take(rows)
        elif not isinstance(column, Listed):
            numbers[name] = column[rows]


def _add_prices(
    currency: Coded, rates: Mapping[str, tuple[date | None, Any]], numbers: dict[str, FloatArray]
) -> None:
    """From prices as quoted to dollars, upfront payments spread over the term."""
    days = {code: float(day.toordinal()) for code, (day, _) in rates.items() if day is not None}
    rate = currency.numbers({code: float(rate) for code, (_, rate) in rates.items()}.get)
    hourly, upfront = numbers.pop("price_per_hour"), numbers.pop("upfront")
    numbers["hourly_price_native"] = hourly
    numbers["rate_date"] = currency.numbers(days.get)
    numbers["price_usd_per_hour"] = effective_hourly_of(hourly, upfront, numbers["term_months"]) * rate
    numbers["upfront_usd"] = upfront * rate
    numbers["previous_price_usd_per_hour"] = numbers.pop("previous_price") * rate
