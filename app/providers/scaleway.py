"""Scaleway: the public product catalogue, without a key. EUR; accelerated instances are priced by the minute.

providers.md 11.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from app.domain.offer import Parsed, ScrapedOffer
from app.domain.sentence import N_
from app.domain.units import GB, GIB
from app.providers._reading import Harvest, Refused, figure, rows_at
from app.providers.card import ProviderCard
from app.providers.port import Http, Payload, Settings

_URL = "https://api.scaleway.com/product-catalog/v2alpha1/public-catalog/products"
_PAGE = 1000
_PER_HOUR = {"hour": 1, "minute": 60, "second": 3600}

CARD = ProviderCard(
    slug="scaleway",
    name="Scaleway",
    source_kind="api",
    kind="list_price",
    homepage="https://www.scaleway.com/en/pricing/gpu/",
    terms_note=N_("Public catalogue; EUR without VAT, no stock."),
)


async def fetch(http: Http, settings: Settings) -> Payload:
    """Every page of the catalogue."""
    parts = [await http.get(_URL, name="page 1", params={"page": 1, "page_size": _PAGE})]
    total = int(parts[0].json()["total_count"])
    seen = len(rows_at(parts[0], "products"))
    while seen < total and len(parts) < 50:
        number = len(parts) + 1
        parts.append(await http.get(_URL, name=f"page {number}", params={"page": number, "page_size": _PAGE}))
        here = len(rows_at(parts[-1], "products"))
        if not here:
            break
        seen += here
    return Payload(tuple(parts))


def parse(payload: Payload) -> Parsed:
    """One offer a product with accelerators, per zone."""
    harvest = Harvest("scaleway", source="scaleway", url=CARD.homepage)

    def read(row: dict[str, Any]) -> Iterator[ScrapedOffer]:
        yield _offer(harvest, row)

    rows = [row for part in payload.parts for row in rows_at(part, "products")]
    machines = harvest.sift(rows, lambda row: str(row.get("sku")).startswith("/compute/"), "not an instance")
    sold = harvest.sift(machines, lambda row: row.get("status") != "retired", "retired")
    gpu = harvest.sift(sold, lambda row: (_hardware(row).get("gpu") or {}).get("count"), "no accelerator")
    harvest.each(gpu, read, nothing="no price")
    return harvest.parsed(payload)


def _hardware(row: dict[str, Any]) -> dict[str, Any]:
    return ((row.get("properties") or {}).get("hardware")) or {}


def _offer(harvest: Harvest, row: dict[str, Any]) -> ScrapedOffer:
    hardware, unit, price = _hardware(row), row["unit_of_measure"], row["price"]["retail_price"]
    if unit["unit"] not in _PER_HOUR:
        raise Refused("a unit of time we do not know")
    quoted = Decimal(int(price["units"])) + Decimal(int(price["nanos"])) / 10**9
    zone = row["locality"]["zone"]
    ram, disk = (
        figure((hardware.get(name) or {}).get(field))
        for name, field in (("ram", "size"), ("storage", "total"))
    )
    return harvest.offer(
        instance_type=row["product"],
        accelerator_name=hardware["gpu"].get("type") or hardware["gpu"].get("description"),
        accelerator_count=hardware["gpu"]["count"],
        region=zone.rpartition("-")[0],
        zone=zone,
        purchase_option="on_demand",
        price_per_hour=quoted * _PER_HOUR[unit["unit"]] / int(unit["size"]),
        currency=price["currency_code"],
        vcpus=figure(((hardware.get("cpu") or {}).get("virtual") or {}).get("count")),
        ram_gib=ram / GIB if ram else None,
        local_disk_gb=disk / GB if disk else None,
        price_basis=f"instance-{unit['unit']}",
    )
