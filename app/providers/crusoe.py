"""Crusoe: types and capacity from the signed API; the API has no prices, so a dated table of its price page stands in.

providers.md 20. A type without a published price keeps an unknown one.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from app.domain.offer import Parsed, ScrapedOffer
from app.domain.sentence import N_
from app.providers._reading import Harvest, figure, rows_at
from app.providers.card import HALF_HOUR, ProviderCard
from app.providers.port import Http, Payload, Settings, required

_HOST = "https://api.crusoecloud.com"
_VERSION = "/v1alpha5"
# USD per accelerator and hour: on demand, spot. Page of September 2026; spot as gathered in gpuhunt, 2026-08.
_PRICES_OF = datetime(2026, 9, 1, tzinfo=UTC)
_PRICES: dict[str, tuple[str, str | None]] = {
    "H200-SXM-141GB": ("4.29", None),
    "H100-SXM-80GB": ("3.90", "1.60"),
    "A100-SXM-80GB": ("2.30", "1.30"),
    "A100-PCIe-80GB": ("2.00", "1.20"),
    "A100-PCIe-40GB": ("1.45", "1.00"),
    "L40S-48GB": ("1.00", "0.50"),
    "A40-PCIe-48GB": ("0.90", "0.40"),
    "MI300X-192GB": ("3.45", "0.95"),
}

CARD = ProviderCard(
    slug="crusoe",
    name="Crusoe",
    source_kind="api",
    kind="list_price",
    homepage="https://crusoe.ai/cloud/pricing",
    needs_key="CRUSOE_ACCESS_KEY",
    other_variables=("CRUSOE_SECRET_KEY", "CRUSOE_PROJECT_ID"),
    interval_s=HALF_HOUR,
    terms_note=N_("Signed API without prices; prices are those of the page in September 2026."),
)


async def fetch(http: Http, settings: Settings) -> Payload:
    """Types of the project and the capacity of every location."""
    access, secret, project = (required(settings, name) for name in CARD.variables)
    paths = {"types": f"/projects/{project}/compute/vms/types", "capacities": "/capacities"}
    parts = []
    for name, path in paths.items():
        headers = _signed(f"{_VERSION}{path}", access, secret)
        parts.append(await http.get(f"{_HOST}{_VERSION}{path}", name=name, headers=headers))
    return Payload(tuple(parts))


def _signed(path: str, access: str, secret: str) -> dict[str, str]:
    """Headers of a GET without a query: HMAC-SHA256 over path, query, method and time, each on a line."""
    moment = datetime.now(UTC).isoformat(timespec="seconds")
    key = base64.urlsafe_b64decode(secret + "=" * (-len(secret) % 4))
    digest = hmac.new(key, f"{path}\n\nGET\n{moment}\n".encode(), hashlib.sha256).digest()
    signature = base64.urlsafe_b64encode(digest).decode().rstrip("=")
    return {"X-Crusoe-Timestamp": moment, "Authorization": f"Bearer 1.0:{access}:{signature}"}


def parse(payload: Payload) -> Parsed:
    """Offers per type and location that has it, else one without a place."""
    harvest = Harvest("crusoe", source="crusoe", url=CARD.homepage)
    free: dict[str, dict[str, int]] = {}
    capacities = rows_at(payload.part("capacities"), "items")
    for kind, place, units in harvest.unfold(capacities, _capacity):
        free.setdefault(kind, {})[place] = max(free.get(kind, {}).get(place, 0), units)
    rows = rows_at(payload.part("types"), "items")
    gpu = harvest.sift(rows, lambda row: row.get("num_gpu"), "no accelerator")

    def read(row: dict[str, Any]) -> Iterator[ScrapedOffer]:
        listed, spot = _PRICES.get(row["gpu_type"], (None, None))
        for place, units in (free.get(row["product_name"]) or {"global": 0}).items():
            yield _offer(harvest, row, place, units, "on_demand", listed)
            if spot:
                yield _offer(harvest, row, place, units, "spot", spot)

    harvest.each(gpu, read, nothing="no place")
    return harvest.parsed(payload)


def _capacity(row: dict[str, Any]) -> Iterator[tuple[str, str, int]]:
    yield str(row["type"]), str(row["location"]), int(row["quantity"])


def _offer(
    harvest: Harvest, row: dict[str, Any], place: str, units: int, option: str, each: str | None
) -> ScrapedOffer:
    return harvest.offer(
        instance_type=row["product_name"],
        accelerator_name=row["gpu_type"],
        accelerator_count=row["num_gpu"],
        region=place,
        purchase_option=option,
        price_per_hour=Decimal(each) * int(row["num_gpu"]) if each else None,
        vcpus=figure(row.get("cpu_cores")),
        ram_gib=figure(row.get("memory_gb")),
        local_disk_gb=figure(row.get("disk_gb")),
        fabric="infiniband" if "-ib." in row["product_name"] else None,
        stock="in_stock" if units else "out",
        stock_units=units,
        observed_at=_PRICES_OF,
        price_basis="accelerator-hour of the price page, September 2026, times accelerators",
    )
