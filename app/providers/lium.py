"""Lium: nodes of a decentralised market, without a key. Nodes that are alike become one offer at the lowest price.

providers.md 14. The price is of the whole node; a node that is partly taken is not for rent as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from app.domain.offer import Parsed, ScrapedOffer
from app.domain.sentence import N_
from app.providers._reading import Harvest, Refused, figure, rows_at, some
from app.providers.card import QUARTER_HOUR, ProviderCard
from app.providers.port import Http, Payload, Settings

_URL = "https://lium.io/api/public/v1/nodes"

CARD = ProviderCard(
    slug="lium",
    name="Lium",
    source_kind="api",
    kind="marketplace",
    homepage="https://lium.io/",
    interval_s=QUARTER_HOUR,
    terms_note=N_("Public node list without a key."),
)


async def fetch(http: Http, settings: Settings) -> Payload:
    """One answer."""
    return Payload((await http.get(_URL, name="nodes"),))


def parse(payload: Payload) -> Parsed:
    """One offer a kind of node (model, count, country, tier)."""
    harvest = Harvest("lium", source="lium", url=CARD.homepage)
    rows = rows_at(payload.part("nodes"), "nodes")
    whole = harvest.sift(
        rows, lambda row: row.get("available_gpu_count", 0) >= (row.get("gpu_count") or 0), "partly taken"
    )
    best: dict[tuple[Any, ...], dict[str, Any]] = {}
    for kind, node in harvest.unfold(whole, _node):
        held = best.setdefault(kind, node)
        if held is not node:
            harvest.ignore("a node like a cheaper one")
            cheaper = min((node, held), key=lambda one: one["price"] or 10**9)
            best[kind] = {**cheaper, "alike": held["alike"] + 1}

    def read(row: dict[str, Any]) -> Iterator[ScrapedOffer]:
        count = row["gpu_count"]
        if not count:
            raise Refused("no accelerator count")
        yield harvest.offer(
            instance_type=f"{count}x {row['gpu_model']}",
            accelerator_name=row["gpu_model"],
            accelerator_count=count,
            memory_hint_gb=figure(row.get("gpu_memory_gb")),
            region=row.get("country_code") or "unknown",
            country=row.get("country_code") or None,
            tier=row.get("tier") or None,
            purchase_option="on_demand" if row.get("tier") == "secure" else "spot",
            price_per_hour=row["price"],
            vcpus=figure(row.get("cpu_count")),
            ram_gib=figure(row.get("ram_gb")),
            stock="in_stock",
            stock_units=row["alike"],
            price_basis=f"lowest of {row['alike']} nodes alike",
        )

    harvest.each(best.values(), read, nothing="no price")
    return harvest.parsed(payload)


def _node(row: dict[str, Any]) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:
    kind = tuple(str(row.get(name)) for name in ("gpu_model", "gpu_count", "country_code", "tier"))
    yield kind, {**row, "price": some(row["price_per_node_hour"]), "alike": 1}
