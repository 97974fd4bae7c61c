"""Lambda: instance types with the regions that have them. Whole instances, in cents.

providers.md 17. An empty list of regions means sold out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from app.domain.errors import ShapeDrift
from app.domain.offer import Parsed, ScrapedOffer
from app.domain.sentence import N_
from app.providers._reading import Harvest, decimal_of, figure
from app.providers.card import HALF_HOUR, ProviderCard
from app.providers.port import Http, Payload, Settings, required

_URL = "https://cloud.lambda.ai/api/v1/instance-types"
_MEMORY = re.compile(r"\((\d+) GB")

CARD = ProviderCard(
    slug="lambda",
    name="Lambda",
    source_kind="api",
    kind="list_price",
    homepage="https://lambda.ai/pricing",
    needs_key="LAMBDA_API_KEY",
    interval_s=HALF_HOUR,
    terms_note=N_("One request a second; needs a key of a free account."),
)


async def fetch(http: Http, settings: Settings) -> Payload:
    """One answer."""
    bearer = {"Authorization": f"Bearer {required(settings, 'LAMBDA_API_KEY')}"}
    return Payload((await http.get(_URL, name="types", headers=bearer),))


def parse(payload: Payload) -> Parsed:
    """Offers per region with capacity; a type without any is out of stock."""
    harvest = Harvest("lambda", source="lambda", url=CARD.homepage)
    types = payload.part("types").json().get("data")
    if not isinstance(types, dict):
        raise ShapeDrift("types: no data")
    gpu = harvest.sift(
        types.values(), lambda row: row["instance_type"]["specs"].get("gpus"), "no accelerator"
    )

    def read(row: dict[str, Any]) -> Iterator[ScrapedOffer]:
        kind, regions = row["instance_type"], row["regions_with_capacity_available"]
        cents = decimal_of(kind["price_cents_per_hour"])
        memory = _MEMORY.search(kind["gpu_description"])
        for region in regions or ({"name": "global"},):
            yield harvest.offer(
                instance_type=kind["name"],
                accelerator_name=kind["gpu_description"],
                accelerator_count=kind["specs"]["gpus"],
                memory_hint_gb=float(memory.group(1)) if memory else None,
                region=region["name"],
                purchase_option="on_demand",
                price_per_hour=None if cents is None else cents / Decimal(100),
                vcpus=figure(kind["specs"].get("vcpus")),
                ram_gib=figure(kind["specs"].get("memory_gib")),
                local_disk_gb=figure(kind["specs"].get("storage_gib")),
                stock="in_stock" if regions else "out",
            )

    harvest.each(gpu, read, nothing="no price")
    return harvest.parsed(payload)
