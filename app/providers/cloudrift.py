"""CloudRift: instance types and free nodes per data centre, without a key. Whole variants, in cents.

providers.md 13. An error comes as a plain JSON string.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from app.domain.offer import Parsed, ScrapedOffer
from app.domain.sentence import N_
from app.domain.units import GB, GIB
from app.providers._reading import Harvest, decimal_of, figure, rows_at
from app.providers.card import HALF_HOUR, ProviderCard
from app.providers.port import Http, Payload, Settings

_URL = "https://api.cloudrift.ai/api/v1/instance-types/list"
_QUESTION = {"version": "2025-03-21", "data": {"selector": {"ByServiceAndLocation": {"services": ["vm"]}}}}

CARD = ProviderCard(
    slug="cloudrift",
    name="CloudRift",
    source_kind="api",
    kind="list_price",
    homepage="https://www.cloudrift.ai/pricing",
    interval_s=HALF_HOUR,
    terms_note=N_("Public list without a key, by habit rather than by contract."),
)


async def fetch(http: Http, settings: Settings) -> Payload:
    """One question."""
    return Payload((await http.post(_URL, _QUESTION, name="types"),))


def parse(payload: Payload) -> Parsed:
    """Offers per variant and data centre; a centre without nodes is out of stock."""
    harvest = Harvest("cloudrift", source="cloudrift", url=CARD.homepage)
    kinds = rows_at(payload.part("types"), "data", "instance_types")
    variants = harvest.unfold(
        kinds,
        lambda kind: [{"brand": kind["brand_short"], **variant} for variant in kind.get("variants") or ()],
        "a kind without variants",
    )

    def read(row: dict[str, Any]) -> Iterator[ScrapedOffer]:
        cents = decimal_of(row["cost_per_hour"])
        sizes = {name: figure(row.get(name)) for name in ("dram", "disk", "vram")}
        for place, nodes in (row.get("nodes_per_dc") or {"global": 0}).items():
            yield harvest.offer(
                instance_type=row["name"],
                accelerator_name=row["brand"],
                accelerator_count=row["gpu_count"],
                memory_hint_gb=sizes["vram"] / GIB if sizes["vram"] else None,
                region=place,
                purchase_option="on_demand",
                price_per_hour=None if cents is None else cents / 100,
                vcpus=figure(row.get("logical_cpu_count")),
                ram_gib=sizes["dram"] / GIB if sizes["dram"] else None,
                local_disk_gb=sizes["disk"] / GB if sizes["disk"] else None,
                stock="in_stock" if nodes else "out",
                stock_units=int(nodes),
            )

    harvest.each(variants, read, nothing="no place")
    return harvest.parsed(payload)
