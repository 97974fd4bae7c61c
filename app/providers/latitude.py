"""Latitude.sh: bare metal per region. Whole servers by the hour, the month and the year.

providers.md 40.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from app.domain.offer import Parsed, ScrapedOffer
from app.domain.sentence import N_
from app.domain.units import HOURS_PER_MONTH
from app.providers._reading import Harvest, figure, rows_at, some
from app.providers.card import HALF_HOUR, ProviderCard
from app.providers.port import Http, Part, Payload, Settings, required

_URL = "https://api.latitude.sh/plans"
_STOCK = {"high": "in_stock", "medium": "in_stock", "low": "low", "unavailable": "out"}
_SPANS = (("hour", None), ("month", 1), ("year", 12))

CARD = ProviderCard(
    slug="latitude",
    name="Latitude.sh",
    source_kind="api",
    kind="list_price",
    homepage="https://www.latitude.sh/pricing",
    needs_key="LATITUDESH_API_KEY",
    interval_s=HALF_HOUR,
    terms_note=N_("800 requests a minute; needs a key."),
)


async def fetch(http: Http, settings: Settings) -> Payload:
    """Every page of plans with accelerators."""
    bearer = {"Authorization": f"Bearer {required(settings, 'LATITUDESH_API_KEY')}"}
    parts: list[Part] = []
    while len(parts) < 20:
        query: dict[str, str | int] = {
            "filter[gpu]": "true",
            "page[size]": 100,
            "page[number]": len(parts) + 1,
        }
        parts.append(await http.get(_URL, name=f"page {len(parts) + 1}", params=query, headers=bearer))
        if len(rows_at(parts[-1], "data")) < 100:
            break
    return Payload(tuple(parts))


def parse(payload: Payload) -> Parsed:
    """Offers per plan, region and span of time."""
    harvest = Harvest("latitude", source="latitude", url=CARD.homepage)
    plans = [row for part in payload.parts for row in rows_at(part, "data")]
    rows = harvest.unfold(plans, lambda row: (row["attributes"],), "no attributes")
    gpu = harvest.sift(rows, lambda row: (row["specs"].get("gpu") or {}).get("count"), "no accelerator")

    def read(row: dict[str, Any]) -> Iterator[ScrapedOffer]:
        for region in row["regions"]:
            for span, months in _SPANS:
                price = some(region["pricing"]["USD"].get(span))
                if price is not None:
                    yield _offer(harvest, row, region, months, price)

    harvest.each(gpu, read, nothing="no price in USD")
    return harvest.parsed(payload)


def _offer(
    harvest: Harvest, row: dict[str, Any], region: dict[str, Any], months: int | None, price: Decimal
) -> ScrapedOffer:
    specs = row["specs"]
    gpu, cpu = specs["gpu"], specs.get("cpu") or {}
    hours = Decimal(HOURS_PER_MONTH) * months if months else Decimal(1)
    return harvest.offer(
        instance_type=row["slug"],
        accelerator_name=f"{gpu['type']} {gpu.get('interconnect') or ''}".strip(),
        accelerator_count=gpu["count"],
        memory_hint_gb=figure(gpu.get("vram_per_gpu")),
        region=region["name"],
        purchase_option="reserved" if months else "on_demand",
        term_months=months,
        price_per_hour=price / hours,
        vcpus=(figure(cpu.get("cores")) or 0) * (figure(cpu.get("count")) or 1) * 2 or None,
        ram_gib=figure((specs.get("memory") or {}).get("total")),
        local_disk_gb=sum(_drive_gb(drive) for drive in specs.get("drives") or ()) or None,
        stock=_STOCK.get(str(region.get("stock_level"))),
        price_basis="server-hour" if not months else f"price of {months} months over their hours",
    )


def _drive_gb(drive: dict[str, Any]) -> float:
    size = re.match(r"([\d.]+) ?(TB|GB)", str(drive.get("size")))
    if size is None:
        return 0.0
    return float(size.group(1)) * (1000 if size.group(2) == "TB" else 1) * int(drive.get("count") or 1)
