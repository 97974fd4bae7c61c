"""The dated offers that ship with Rackrate: facts gathered from public lists, each with source, licence and date."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import cast

from app.catalog.files import Row, read_table
from app.domain.offer import PURCHASE_OPTIONS, PurchaseOption, ScrapedOffer, Stock, Upfront

SOURCE_COLUMNS = ("id", "source", "url", "licence", "as_of")
OFFER_COLUMNS = (
    "provider",
    "instance_type",
    "accelerator_name",
    "accelerator_count",
    "memory_gb",
    "region",
    "country",
    "purchase_option",
    "term_months",
    "upfront_option",
    "tier",
    "price_per_hour",
    "upfront",
    "currency",
    "vcpus",
    "ram_gib",
    "local_disk_gb",
    "stock",
    "flags",
    "source",
)


@dataclass(frozen=True, slots=True)
class SnapshotSource:
    """Where rows of the snapshot were read, under which licence, and on which day (UTC midnight)."""

    source: str
    url: str
    licence: str
    as_of: datetime


def read_snapshot(folder: Path) -> Iterator[ScrapedOffer]:
    """The bundled offers, `observed_at` = the day their source was read.

    Raises:
        CatalogError: a malformed file, an unknown source, a price that is not a positive amount.
    """
    return read_dated(folder / "snapshot" / "offers.csv")


def read_dated(path: Path) -> Iterator[ScrapedOffer]:
    """Offers of a file in the snapshot's format, with `sources.csv` beside it; see `read_snapshot`."""
    sources = read_sources(path.parent)
    for row in read_table(path, OFFER_COLUMNS):
        yield _offer(row, sources[row.choice("source", tuple(sources))])


def read_sources(folder: Path) -> Mapping[str, SnapshotSource]:
    """The sources of the snapshot in a folder by their short id.

    Raises:
        CatalogError: malformed, or a date that is none.
    """
    found = {}
    for row in read_table(folder / "sources.csv", SOURCE_COLUMNS):
        try:
            as_of = datetime.strptime(row.required("as_of"), "%Y-%m-%d").replace(tzinfo=UTC)
        except ValueError:
            raise row.fail("as_of", "must be a date like 2026-05-24") from None
        found[row.required("id")] = SnapshotSource(
            row.required("source"), row.text("url"), row.required("licence"), as_of
        )
    return found


def _offer(row: Row, source: SnapshotSource) -> ScrapedOffer:
    price, upfront = _money(row, "price_per_hour"), _money(row, "upfront")
    if price is None and upfront is None:
        raise row.fail("price_per_hour", "must be given where there is no upfront payment")
    return ScrapedOffer(
        provider=row.required("provider"),
        instance_type=row.required("instance_type"),
        accelerator_name=row.text("accelerator_name"),
        accelerator_count=row.positive("accelerator_count"),
        memory_hint_gb=row.number("memory_gb"),
        region=row.text("region"),
        country=row.optional("country"),
        purchase_option=cast(PurchaseOption, row.choice("purchase_option", PURCHASE_OPTIONS)),
        term_months=row.integer("term_months"),
        upfront_option=cast(
            Upfront | None, row.choice("upfront_option", ("none", "partial", "all", "")) or None
        ),
        tier=row.optional("tier"),
        price_per_hour=price,
        upfront=upfront,
        currency=row.required("currency"),
        vcpus=row.number("vcpus"),
        ram_gib=row.number("ram_gib"),
        local_disk_gb=row.number("local_disk_gb"),
        stock=cast(Stock | None, row.choice("stock", ("in_stock", "low", "out", "")) or None),
        flags=row.words("flags"),
        observed_at=source.as_of,
        source=source.source,
        source_url=source.url,
        licence=source.licence,
    )


def _money(row: Row, column: str) -> Decimal | None:
    text = row.text(column)
    if not text:
        return None
    try:
        amount = Decimal(text)
    except InvalidOperation:
        raise row.fail(column, f"{text!r} is not an amount") from None
    if not amount.is_finite() or amount <= 0:
        raise row.fail(column, f"{text!r} is not an amount above 0")
    return amount
