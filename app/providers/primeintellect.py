"""Prime Intellect: an aggregator with multi-node fabrics. Whole boxes in USD, the default disk included.

providers.md 25; behaviour P29. One replica sometimes answers with an empty list: that is a fault, not a sell-out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from app.domain.errors import ShapeDrift
from app.domain.offer import Parsed, ScrapedOffer
from app.domain.sentence import N_
from app.providers._reading import Harvest, figure, rows_at, some
from app.providers._upstreams import KNOWN, slug_of
from app.providers.card import HALF_HOUR, ProviderCard
from app.providers.port import Http, Part, Payload, Settings, required

_URL = "https://api.primeintellect.ai/api/v1/availability"
_PAGE = 100
_STOCK = {
    "Available": "in_stock",
    "High": "in_stock",
    "Medium": "in_stock",
    "Low": "low",
    "Unavailable": "out",
}
_FABRICS = {"infiniband": "infiniband", "roce": "roce", "ethernet": "ethernet"}

CARD = ProviderCard(
    slug="primeintellect",
    name="Prime Intellect",
    source_kind="aggregator",
    kind="aggregator",
    homepage="https://app.primeintellect.ai/",
    needs_key="PRIME_API_KEY",
    interval_s=HALF_HOUR,
    terms_note=N_("Resells other clouds and builds clusters of them; needs a key."),
    covers=("primeintellect", *KNOWN),
)


async def fetch(http: Http, settings: Settings) -> Payload:
    """Every page of single nodes and of multi-node offers."""
    bearer = {"Authorization": f"Bearer {required(settings, 'PRIME_API_KEY')}"}
    parts: list[Part] = []
    for kind in ("gpus", "multi-node"):
        seen, total, page = 0, 1, 1
        while seen < total and page <= 50:
            query = {"page": page, "page_size": _PAGE}
            part = await http.get(f"{_URL}/{kind}", name=kind, params=query, headers=bearer)
            here, total = len(rows_at(part, "items")), int(part.json()["totalCount"])
            if not here and total:
                raise ShapeDrift(f"{kind}: an empty page of {total} offers")
            seen, page = seen + here, page + 1
            parts.append(part)
    return Payload(tuple(parts))


def parse(payload: Payload) -> Parsed:
    """An offer a row that has a price."""
    harvest = Harvest("primeintellect", source="primeintellect", url=CARD.homepage)
    listed = [(part.name, row) for part in payload.parts for row in rows_at(part, "items")]
    rows = harvest.unfold(listed, lambda pair: ({**pair[1], "kind": pair[0]},), "no row")

    def read(row: dict[str, Any]) -> Iterator[ScrapedOffer]:
        prices, secure = row["prices"], row.get("security") != "community_cloud"
        price = (
            some(prices.get("onDemand"))
            if secure
            else some(prices.get("communityPrice") or prices.get("onDemand"))
        )
        if price is not None:
            yield harvest.offer(
                **_described(row), price_per_hour=price, currency=prices.get("currency") or "USD"
            )

    harvest.each(rows, read, nothing="no price")
    return harvest.parsed(payload)


def _described(row: dict[str, Any]) -> dict[str, Any]:
    count, slug = int(row["gpuCount"]), slug_of(str(row["provider"]))
    disk = (row.get("disk") or {}).get("defaultCount")
    stated = re.search(r"_(\d+)GB", row["gpuType"])
    fabric = _FABRICS.get(str(row.get("interconnectType") or "").lower())
    return {
        "provider": slug or "primeintellect",
        "instance_type": row["cloudId"],
        "accelerator_name": f"{row['gpuType'].replace('_', ' ')} {row.get('socket') or ''}".strip(),
        "accelerator_count": count,
        "memory_hint_gb": float(stated.group(1)) if stated else None,
        "region": row.get("dataCenter") or row.get("region") or "unknown",
        "country": row.get("country"),
        "tier": "via Prime Intellect" if slug else f"via {row['provider']}",
        "purchase_option": "spot" if row.get("isSpot") else "on_demand",
        "vcpus": figure((row.get("vcpu") or {}).get("defaultCount")),
        "ram_gib": figure((row.get("memory") or {}).get("defaultCount")),
        "local_disk_gb": figure(disk),
        "fabric": fabric,
        "fabric_gbps": figure(row.get("interconnect")) if fabric else None,
        "max_nodes": None if row["kind"] == "multi-node" else 1,
        "stock": _STOCK.get(str(row.get("stockStatus"))),
        "price_basis": f"box-hour, disk of {disk} GB included" if disk else "box-hour",
    }
