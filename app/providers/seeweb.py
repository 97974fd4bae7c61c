"""Seeweb: plans with accelerators, in EUR an hour; `available` says that a plan is sold, not that it is free.

providers.md 42.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from app.domain.offer import Parsed, ScrapedOffer
from app.domain.sentence import N_
from app.providers._reading import Harvest, decimal_of, figure, rows_at
from app.providers.card import SIX_HOURS, ProviderCard
from app.providers.port import Http, Payload, Settings, required

_URL = "https://api.seeweb.it/ecs/v2/plans"

CARD = ProviderCard(
    slug="seeweb",
    name="Seeweb",
    source_kind="api",
    kind="list_price",
    homepage="https://www.seeweb.it/en/products/cloud-server-gpu",
    needs_key="SEEWEB_API_TOKEN",
    interval_s=SIX_HOURS,
    terms_note=N_("Needs a token; EUR without VAT."),
)


async def fetch(http: Http, settings: Settings) -> Payload:
    """One answer."""
    token = {"X-APITOKEN": required(settings, "SEEWEB_API_TOKEN")}
    return Payload((await http.get(_URL, name="plans", headers=token),))


def parse(payload: Payload) -> Parsed:
    """Offers per plan and location."""
    harvest = Harvest("seeweb", source="seeweb", url=CARD.homepage)
    rows = rows_at(payload.part("plans"), "plans")
    gpu = harvest.sift(rows, lambda row: figure(row.get("gpu")), "no accelerator")
    sold = harvest.sift(gpu, lambda row: row.get("available"), "not on sale")

    def read(row: dict[str, Any]) -> Iterator[ScrapedOffer]:
        memory, ram = re.search(r"(\d+) ?GB", row["gpu_label"], re.IGNORECASE), figure(row.get("ram"))
        for place in row.get("available_regions") or ({"location": "it"},):
            yield harvest.offer(
                instance_type=row["name"],
                accelerator_name=row["gpu_label"],
                accelerator_count=int(row["gpu"]),
                memory_hint_gb=float(memory.group(1)) if memory else None,
                region=place["location"],
                country="IT" if place["location"].startswith("it") else None,
                purchase_option="on_demand",
                price_per_hour=decimal_of(row["hourly_price"]),
                currency="EUR",
                vcpus=figure(row.get("cpu")),
                ram_gib=ram / 1024 if ram else None,
                local_disk_gb=figure(row.get("disk")),
                max_nodes=1,
            )

    harvest.each(sold, read, nothing="no place")
    return harvest.parsed(payload)
