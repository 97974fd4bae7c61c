"""Akash: statistics of recent bids for one accelerator, without a key.

providers.md 12; behaviour P18: the weighted average, or the average where the former is zero.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from app.domain.offer import Parsed, ScrapedOffer
from app.domain.sentence import N_
from app.providers._reading import Harvest, figure, rows_at, some
from app.providers.card import HALF_HOUR, ProviderCard
from app.providers.port import Http, Payload, Settings

_URL = "https://console-api.akash.network/v1/gpu-prices"

CARD = ProviderCard(
    slug="akash",
    name="Akash",
    source_kind="api",
    kind="marketplace",
    homepage="https://akash.network/pricing/gpus/",
    interval_s=HALF_HOUR,
    terms_note=N_("Public statistics of bids over the last weeks, not offers that can be clicked."),
)


async def fetch(http: Http, settings: Settings) -> Payload:
    """One answer, kept by the server for two minutes."""
    return Payload((await http.get(_URL, name="models"),))


def parse(payload: Payload) -> Parsed:
    """One offer a model that has recent bids."""
    harvest = Harvest("akash", source="akash", url=CARD.homepage)

    def read(row: dict[str, Any]) -> Iterator[ScrapedOffer]:
        price = row.get("price")
        if not price:
            return
        weighted = some(price.get("weightedAverage"))
        free = int((row.get("availability") or {}).get("available") or 0)
        name = f"{row['model']} {row.get('interface') or ''}".strip()
        yield harvest.offer(
            instance_type=f"1x {row['model']} {row.get('ram') or ''} {row.get('interface') or ''}".strip(),
            accelerator_name=name,
            accelerator_count=1,
            memory_hint_gb=figure(str(row.get("ram") or "").removesuffix("Gi")),
            region="global",
            purchase_option="on_demand",
            price_per_hour=weighted or some(price.get("avg")),
            currency=price.get("currency") or "USD",
            stock="in_stock" if free else "out",
            stock_units=free,
            max_nodes=1,
            price_basis=f"{'weighted average' if weighted else 'average'} of recent bids for one accelerator",
        )

    harvest.each(rows_at(payload.part("models"), "models"), read, nothing="no recent bids")
    return harvest.parsed(payload)
