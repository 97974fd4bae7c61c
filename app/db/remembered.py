"""One offer as it was last told, present or withdrawn: for pages that keep naming an offer after it is gone."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import Connection, func, select

from app.db.offers import read_rates
from app.db.tables import instance_type, offer, scrape_run
from app.domain.flags import doubts_of, notes_of
from app.domain.money import convert, effective_hourly
from app.domain.record import OfferRecord

_OF_OFFER = (
    "id", "provider", "region", "country", "continent", "zone", "purchase_option", "term_months", "upfront_option",
    "tier", "native_id", "currency", "price_changed_at", "stock", "stock_units", "reliability", "minimum_term_hours",
    "price_basis", "source", "source_kind", "source_url", "licence", "first_seen",
)  # fmt: skip
_OF_HARDWARE = (
    "provider_name", "accelerator", "accelerator_label", "accelerator_status", "accelerator_count",
    "memory_gib_per_accelerator", "vcpus", "ram_gib", "local_disk_gb", "intra_node_link", "intra_node_gbytes_per_s",
    "link_domain", "peer_to_peer", "fabric", "fabric_gbps", "max_nodes",
)  # fmt: skip


class Remembered(NamedTuple):
    """The offer as its last source told it; `withdrawn_at` is None while any source still lists it."""

    record: OfferRecord
    withdrawn_at: datetime | None


def read_remembered(connection: Connection, offer_id: str) -> Remembered | None:
    """An offer by its id, whichever source named it last; None where nobody ever did, or it was forgotten."""
    query = (
        select(
            *(offer.c[name] for name in _OF_OFFER),
            *(instance_type.c[name] for name in _OF_HARDWARE),
            instance_type.c.name.label("instance_type"),
            instance_type.c.candidates,
            offer.c.flags,
            offer.c.price_per_hour,
            offer.c.upfront,
            offer.c.previous_price,
            offer.c.withdrawn_at,
            func.coalesce(offer.c.said_at, scrape_run.c.started_at).label("observed_at"),
        )
        .join(instance_type, instance_type.c.id == offer.c.instance_type_id)
        .join(scrape_run, scrape_run.c.id == offer.c.run_id)
        .where(offer.c.id == offer_id)
    )
    rows = sorted(connection.execute(query).all(), key=lambda row: row.observed_at)
    if not rows:
        return None
    gone = [row.withdrawn_at for row in rows]
    withdrawn = None if None in gone else max(gone)
    return Remembered(_record(rows[-1], *_rate(connection, rows[-1].currency)), withdrawn)


def _rate(connection: Connection, currency: str) -> tuple[Any, Decimal | None]:
    return read_rates(connection).get(currency, (None, None))


def _record(row: Any, day: Any, rate: Decimal | None) -> OfferRecord:
    hourly, upfront, previous = row.price_per_hour, row.upfront, row.previous_price
    said = msgspec.json.decode(row.flags)
    fields = {
        name: getattr(row, name) for name in (*_OF_OFFER, *_OF_HARDWARE, "instance_type", "observed_at")
    }
    return OfferRecord(
        **fields,
        candidates=tuple(msgspec.json.decode(row.candidates)),
        flags=doubts_of(said),
        notes=notes_of(said),
        hourly_price_native=None if hourly is None else float(hourly),
        rate_date=day,
        price_usd_per_hour=convert(effective_hourly(hourly, upfront, row.term_months), rate),
        upfront_usd=convert(upfront, rate),
        previous_price_usd_per_hour=convert(previous, rate),
    )
