"""Novita: products of one accelerator, in hundred-thousandths of a dollar an hour.

providers.md 31.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from app.domain.offer import Parsed, ScrapedOffer
from app.domain.sentence import N_
from app.providers._reading import Harvest, decimal_of, figure, rows_at, some
from app.providers.card import HALF_HOUR, ProviderCard
from app.providers.port import Http, Payload, Settings, required

_URL = "https://api.novita.ai/gpu-instance/openapi/v1/products"
_UNITS_PER_USD = 100_000

CARD = ProviderCard(
    slug="novita",
    name="Novita",
    source_kind="api",
    kind="list_price",
    homepage="https://novita.ai/pricing",
    needs_key="NOVITA_API_KEY",
    interval_s=HALF_HOUR,
    terms_note=N_("Needs a key of an account."),
)


async def fetch(http: Http, settings: Settings) -> Payload:
    """One answer."""
    bearer = {"Authorization": f"Bearer {required(settings, 'NOVITA_API_KEY')}"}
    return Payload((await http.get(_URL, name="products", headers=bearer),))


def parse(payload: Payload) -> Parsed:
    """Offers per product and region; a product without regions is out of stock."""
    harvest = Harvest("novita", source="novita", url=CARD.homepage)

    def read(row: dict[str, Any]) -> Iterator[ScrapedOffer]:
        memory = re.search(r"(\d+) ?GB", row["name"])
        prices = {"on_demand": decimal_of(row["price"]), "spot": some(row.get("spotPrice"))}
        for region in row.get("regions") or ("global",):
            for option, units in prices.items():
                if units is not None or option == "on_demand":
                    yield harvest.offer(
                        instance_type=row["id"],
                        accelerator_name=row["name"],
                        accelerator_count=1,
                        memory_hint_gb=float(memory.group(1)) if memory else None,
                        region=region,
                        purchase_option=option,
                        price_per_hour=None if units is None else units / _UNITS_PER_USD,
                        vcpus=figure(row.get("cpuPerGpu")),
                        ram_gib=figure(row.get("memoryPerGpu")),
                        stock="in_stock" if row.get("availableDeploy") and row.get("regions") else "out",
                        max_nodes=1,
                    )

    harvest.each(rows_at(payload.part("products"), "data"), read, nothing="no price")
    return harvest.parsed(payload)
