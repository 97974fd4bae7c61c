"""Shadeform: an aggregator of some twenty clouds. Whole instances, in cents; one row an availability.

providers.md 26; behaviour P05. A row belongs to the cloud that it resells and counts as no stock of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from app.domain.offer import Parsed, ScrapedOffer
from app.domain.sentence import N_
from app.providers._reading import Harvest, decimal_of, figure, rows_at
from app.providers._upstreams import KNOWN, slug_of
from app.providers.card import HALF_HOUR, ProviderCard
from app.providers.port import Http, Payload, Settings, required

_URL = "https://api.shadeform.ai/v1/instances/types"

CARD = ProviderCard(
    slug="shadeform",
    name="Shadeform",
    source_kind="aggregator",
    kind="aggregator",
    homepage="https://www.shadeform.ai/instances",
    needs_key="SHADEFORM_API_KEY",
    interval_s=HALF_HOUR,
    terms_note=N_("Resells other clouds; needs a key of a free account."),
    covers=("shadeform", *KNOWN),
)


async def fetch(http: Http, settings: Settings) -> Payload:
    """Every type, in stock or not."""
    key = {"X-API-KEY": required(settings, "SHADEFORM_API_KEY")}
    return Payload((await http.get(_URL, name="types", params={"sort": "price"}, headers=key),))


def parse(payload: Payload) -> Parsed:
    """Offers per type and region."""
    harvest = Harvest("shadeform", source="shadeform", url=CARD.homepage)
    rows = rows_at(payload.part("types"), "instance_types")
    gpu = harvest.sift(rows, lambda row: row["configuration"].get("num_gpus"), "no accelerator")

    def read(row: dict[str, Any]) -> Iterator[ScrapedOffer]:
        shape, cents, slug = row["configuration"], decimal_of(row["hourly_price"]), slug_of(row["cloud"])
        for place in row["availability"]:
            yield harvest.offer(
                provider=slug or "shadeform",
                instance_type=row.get("cloud_instance_type") or row["shade_instance_type"],
                accelerator_name=shape["gpu_type"],
                accelerator_count=shape["num_gpus"],
                memory_hint_gb=figure(shape.get("vram_per_gpu_in_gb")),
                region=place["region"],
                tier=None if slug else f"via {row['cloud']}",
                purchase_option="spot" if row.get("rental_type") == "spot" else "on_demand",
                price_per_hour=None if cents is None else cents / Decimal(100),
                vcpus=figure(shape.get("vcpus") or shape.get("num_cpus")),
                ram_gib=figure(shape.get("memory_in_gb") or shape.get("ram_in_gb")),
                local_disk_gb=figure(shape.get("storage_in_gb")),
                stock="in_stock" if place.get("available") else "out",
            )

    harvest.each(gpu, read, nothing="nowhere available")
    return harvest.parsed(payload)
