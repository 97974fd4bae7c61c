"""Together: hardware of dedicated endpoints, in cents per minute.

providers.md 34. These are inference endpoints and are marked so: cluster prices are on the web page only.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from app.domain.offer import Parsed, ScrapedOffer
from app.domain.sentence import N_
from app.providers._reading import Harvest, decimal_of, figure, rows_at
from app.providers.card import HALF_HOUR, ProviderCard
from app.providers.port import Http, Payload, Settings, required

_URL = "https://api.together.xyz/v1/hardware"
_STOCK = {"available": "in_stock", "insufficient": "low", "unavailable": "out"}

CARD = ProviderCard(
    slug="together",
    name="Together",
    source_kind="api",
    kind="list_price",
    homepage="https://www.together.ai/pricing",
    needs_key="TOGETHER_API_KEY",
    interval_s=HALF_HOUR,
    terms_note=N_("Prices of inference endpoints; clusters are priced on the page and by contract."),
)


async def fetch(http: Http, settings: Settings) -> Payload:
    """One answer."""
    bearer = {"Authorization": f"Bearer {required(settings, 'TOGETHER_API_KEY')}"}
    return Payload((await http.get(_URL, name="hardware", headers=bearer),))


def parse(payload: Payload) -> Parsed:
    """One offer a kind of hardware, marked as made for inference."""
    harvest = Harvest("together", source="together", url=CARD.homepage)

    def read(row: dict[str, Any]) -> Iterator[ScrapedOffer]:
        specs, cents = row["specs"], decimal_of(row["pricing"]["cents_per_minute"])
        yield harvest.offer(
            instance_type=row["id"],
            accelerator_name=f"{specs['gpu_type']} {specs.get('gpu_link') or ''}".strip(),
            accelerator_count=specs["gpu_count"],
            memory_hint_gb=figure(specs.get("gpu_memory")),
            region="global",
            tier="dedicated endpoint",
            purchase_option="on_demand",
            price_per_hour=None if cents is None else cents * 60 / 100,
            stock=_STOCK.get(str((row.get("availability") or {}).get("status"))),
            max_nodes=1,
            flags=("inference_only",),
            price_basis="cents per minute of an inference endpoint",
        )

    harvest.each(rows_at(payload.part("hardware"), "data"), read, nothing="no price")
    return harvest.parsed(payload)
