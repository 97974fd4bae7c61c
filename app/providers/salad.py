"""Salad: containers on gaming machines, priced by priority; lower priorities give way to higher ones.

providers.md 29. Nodes vanish without notice, so every offer is spot.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from app.domain.offer import Parsed, ScrapedOffer
from app.domain.sentence import N_
from app.providers._reading import Harvest, decimal_of, rows_at
from app.providers.card import SIX_HOURS, ProviderCard
from app.providers.port import Http, Payload, Settings, required

_URL = "https://api.salad.com/api/public/organizations/{organization}/gpu-classes"

CARD = ProviderCard(
    slug="salad",
    name="Salad",
    source_kind="api",
    kind="marketplace",
    homepage="https://salad.com/pricing",
    needs_key="SALAD_API_KEY",
    other_variables=("SALAD_ORGANIZATION",),
    interval_s=SIX_HOURS,
    terms_note=N_("Needs a key and the name of an organization."),
)


async def fetch(http: Http, settings: Settings) -> Payload:
    """One answer."""
    key, organization = (required(settings, name) for name in CARD.variables)
    address = _URL.format(organization=organization)
    return Payload((await http.get(address, name="classes", headers={"Salad-Api-Key": key}),))


def parse(payload: Payload) -> Parsed:
    """One offer a class and priority."""
    harvest = Harvest("salad", source="salad", url=CARD.homepage)

    def read(row: dict[str, Any]) -> Iterator[ScrapedOffer]:
        memory = re.search(r"\((\d+) GB\)", row["name"])
        for price in row["prices"]:
            yield harvest.offer(
                instance_type=f"1x {row['name']}",
                accelerator_name=row["name"],
                accelerator_count=int(row.get("gpu_count") or 1),
                memory_hint_gb=float(memory.group(1)) if memory else None,
                region="global",
                tier=f"{row.get('gpu_class_type') or 'community'}, {price['priority']} priority",
                purchase_option="spot",
                price_per_hour=decimal_of(price["price"]),
                stock="low" if row.get("is_high_demand") else None,
                max_nodes=1,
                price_basis="container-hour, processor and memory apart",
            )

    harvest.each(rows_at(payload.part("classes"), "items"), read, nothing="no price")
    return harvest.parsed(payload)
