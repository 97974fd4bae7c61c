"""TensorDock: hosts by location; accelerator, processor, memory and disk are priced apart.

providers.md 24. An offer is n accelerators with a stated, modest host, so that its price is one that can be paid.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from app.domain.offer import Parsed, ScrapedOffer
from app.domain.sentence import N_
from app.providers._reading import Harvest, Refused, rows_at, some
from app.providers.card import QUARTER_HOUR, ProviderCard
from app.providers.port import Http, Payload, Settings, required

_URL = "https://dashboard.tensordock.com/api/v2/locations"
_SIZES = (1, 2, 4, 8)
_VCPUS_EACH, _RAM_GB_EACH, _DISK_GB = 4, 16, 100

CARD = ProviderCard(
    slug="tensordock",
    name="TensorDock",
    source_kind="api",
    kind="marketplace",
    homepage="https://www.tensordock.com/gpu-cloud",
    needs_key="TENSORDOCK_API_KEY",
    interval_s=QUARTER_HOUR,
    terms_note=N_("100 requests a minute; needs a key of a free account."),
)


async def fetch(http: Http, settings: Settings) -> Payload:
    """Every location."""
    bearer = {"Authorization": f"Bearer {required(settings, 'TENSORDOCK_API_KEY')}"}
    return Payload((await http.get(_URL, name="locations", headers=bearer),))


def parse(payload: Payload) -> Parsed:
    """Offers per location, accelerator and size on hand."""
    harvest = Harvest("tensordock", source="tensordock", url=CARD.homepage)
    places = rows_at(payload.part("locations"), "data", "locations")
    rows = harvest.unfold(
        places,
        lambda place: [{**gpu, "place": place} for gpu in place["gpus"]],
        "a place without accelerators",
    )
    there = harvest.sift(rows, lambda row: row.get("max_count"), "none on hand")
    harvest.each(there, lambda row: _offers(harvest, row), nothing="no size fits the host")
    return harvest.parsed(payload)


def _offers(harvest: Harvest, row: dict[str, Any]) -> Iterator[ScrapedOffer]:
    place, limits, parts = row["place"], row["resources"], row["pricing"]
    each = some(row["price_per_hr"])
    rates = [some(parts[name]) for name in ("per_vcpu_hr", "per_gb_ram_hr", "per_gb_storage_hr")]
    if each is None or None in rates:
        raise Refused("a part without a price")
    memory = re.search(r"-(\d+)gb$", row["v0Name"])
    for size in _SIZES:
        host = (_VCPUS_EACH * size, _RAM_GB_EACH * size, _DISK_GB)
        room = (limits["max_vcpus"], limits["max_ram_gb"], limits["max_storage_gb"])
        if size > row["max_count"] or any(want > has for want, has in zip(host, room, strict=True)):
            continue
        extras = sum(rate * amount for rate, amount in zip(rates, host, strict=True) if rate is not None)
        yield harvest.offer(
            instance_type=f"{size}x {row['v0Name']}",
            accelerator_name=row.get("displayName") or row["v0Name"],
            accelerator_count=size,
            memory_hint_gb=float(memory.group(1)) if memory else None,
            region=f"{place['city']}, {place['stateprovince']}, {place['country']}",
            native_id=f"location {place['id']}",
            tier=f"tier {place['tier']}" if place.get("tier") is not None else None,
            purchase_option="on_demand",
            price_per_hour=each * size + extras,
            vcpus=host[0],
            ram_gib=host[1],
            local_disk_gb=host[2],
            stock="in_stock",
            stock_units=int(row["max_count"]) // size,
            price_basis=f"parts added up: {size} accelerators, {host[0]} vCPUs, {host[1]} GB memory, {host[2]} GB disk",
        )
