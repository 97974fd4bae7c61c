"""Clore.ai: a marketplace of mostly gaming cards, without a key. Prices are of the whole rig and hour.

providers.md 15; behaviour P20: figures that a label calls daily are hourly. Rigs of mixed cards are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from app.domain.offer import Parsed, ScrapedOffer
from app.domain.sentence import N_
from app.providers._reading import Harvest, figure, rows_at, some
from app.providers.card import QUARTER_HOUR, ProviderCard
from app.providers.port import Http, Payload, Settings

_URL = "https://api.clore.ai/v1/marketplace"
_RIG = re.compile(r"^(\d+)x\s+(.+)$")

CARD = ProviderCard(
    slug="clore",
    name="Clore.ai",
    source_kind="api",
    kind="marketplace",
    homepage="https://clore.ai/marketplace",
    interval_s=QUARTER_HOUR,
    terms_note=N_("Public marketplace list without a key."),
)


async def fetch(http: Http, settings: Settings) -> Payload:
    """One answer."""
    return Payload((await http.get(_URL, name="servers"),))


def parse(payload: Payload) -> Parsed:
    """An on-demand and a spot offer a free rig of equal cards."""
    harvest = Harvest("clore", source="clore", url=CARD.homepage)
    rows = rows_at(payload.part("servers"), "servers")
    free = harvest.sift(rows, lambda row: not row.get("rented"), "rented")
    alike = harvest.sift(free, lambda row: _is_of_one_kind(row["specs"]), "mixed cards")

    def read(row: dict[str, Any]) -> Iterator[ScrapedOffer]:
        specs = row["specs"]
        rig = _RIG.match(specs["gpu"])
        count, name = (int(rig.group(1)), rig.group(2)) if rig else (1, specs["gpu"])
        place = (specs.get("net") or {}).get("cc")
        threads = str(specs.get("cpus") or "").rpartition("/")[2]
        for option, price in (("on_demand", "on_demand_usd"), ("spot", "spot")):
            quoted = some(row["price"]["usd"].get(price))
            if quoted is not None:
                yield harvest.offer(
                    native_id=f"server {row['id']}",
                    instance_type=f"{count}x {name}",
                    accelerator_name=name,
                    accelerator_count=count,
                    memory_hint_gb=figure(specs.get("gpuram")),
                    region=place or "unknown",
                    country=place or None,
                    tier="community",
                    purchase_option=option,
                    price_per_hour=quoted,
                    vcpus=figure(threads),
                    ram_gib=figure(specs.get("ram")),
                    stock="in_stock",
                    reliability=figure(row.get("reliability")),
                    price_basis="rig-hour",
                )

    harvest.each(alike, read, nothing="no price in USD")
    return harvest.parsed(payload)


def _is_of_one_kind(specs: dict[str, Any]) -> bool:
    return len(set(specs.get("gpu_array") or ())) <= 1 and "mixed" not in specs["gpu"].lower()
