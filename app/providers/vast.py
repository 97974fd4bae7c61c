"""Vast.ai: the marketplace's own search, without a key. Every row is one rentable share of one machine.

providers.md 2. Prices are of the whole offer; the same machine is listed as 1×, 2×, 4×, 8× (never add them up).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from app.domain.offer import Parsed, ScrapedOffer
from app.domain.sentence import N_
from app.providers._reading import Harvest, Refused, decimal_of, figure, rows_at, some
from app.providers.card import QUARTER_HOUR, ProviderCard
from app.providers.port import Http, Payload, Settings

_URL = "https://console.vast.ai/api/v0/bundles/"
_LIMIT = 10_000
_QUERY = {
    "rentable": {"eq": True},
    "rented": {"eq": False},
    "verified": {"eq": True},
    "external": {"eq": False},
    "type": "on-demand",
    "limit": _LIMIT,
    "order": [["dph_total", "asc"]],
}
_COUNTRY = re.compile(r"(?:^|,)\s*([A-Z]{2})$")

CARD = ProviderCard(
    slug="vast",
    name="Vast.ai",
    source_kind="api",
    kind="marketplace",
    homepage="https://vast.ai/pricing",
    interval_s=QUARTER_HOUR,
    terms_note=N_("Public search without a key; about ten calls a minute. Hosts set prices and end dates."),
)


async def fetch(http: Http, settings: Settings) -> Payload:
    """One search; an answer at exactly its limit was cut, and the other end of the list is asked for as well."""
    part = await http.post(_URL, _QUERY, name="offers")
    if len(rows_at(part, "offers")) < _LIMIT:
        return Payload((part,))
    dearest = {**_QUERY, "order": [["dph_total", "desc"]]}
    return Payload((part, await http.post(_URL, dearest, name="offers")))


def parse(payload: Payload) -> Parsed:
    """An on-demand offer a row, and a spot offer where the host takes bids."""
    harvest = Harvest("vast", source="vast", url=CARD.homepage)

    def read(row: dict[str, Any]) -> Iterator[ScrapedOffer]:
        if not row.get("num_gpus"):
            raise Refused("no accelerator count")
        common = _common(row)
        price = decimal_of(row["dph_total"])
        yield harvest.offer(
            **common,
            purchase_option="on_demand",
            price_per_hour=price,
            price_basis="whole offer, default disk included",
        )
        bid = some(row.get("min_bid"))
        if bid is not None:
            yield harvest.offer(
                **common,
                purchase_option="spot",
                price_per_hour=bid,
                price_basis="lowest bid for the whole offer",
            )

    listed = [row for part in payload.parts for row in rows_at(part, "offers")]
    rows = dict(harvest.unfold(listed, lambda row: ((str(row["id"]), row),), "no id")).values()
    free = harvest.sift(rows, lambda row: row.get("rentable", True) and not row.get("rented"), "rented")
    known = harvest.sift(
        free,
        lambda row: row.get("verified", True) and row.get("verification", "verified") == "verified",
        "host not verified",
    )
    harvest.each(known, read, nothing="no price")
    return harvest.parsed(payload)


def _common(row: dict[str, Any]) -> dict[str, Any]:
    count, place = int(row["num_gpus"]), (row.get("geolocation") or "").strip(" ,")
    country = _COUNTRY.search(place)
    link, rate = _link(row, count)
    return {
        "native_id": f"machine {row['machine_id']}",
        "instance_type": f"{count}x {row['gpu_name']}",
        "accelerator_name": row["gpu_name"],
        "accelerator_count": count,
        "memory_hint_gb": (figure(row.get("gpu_ram")) or 0) / 1024 or None,
        "region": place or "unknown",
        "country": country.group(1) if country else None,
        "tier": "datacenter" if row.get("hosting_type") == 1 else "community",
        "vcpus": figure(row.get("cpu_cores_effective")),
        "ram_gib": _ram_share_gib(row),
        "local_disk_gb": figure(row.get("disk_space")),
        "intra_node_link": link,
        "intra_node_gbytes_per_s": rate,
        "stock": "in_stock",
        "reliability": figure(row.get("reliability2")),
    }


def _ram_share_gib(row: dict[str, Any]) -> float | None:
    """The offer's share of the host's memory, which follows its share of the cores; unknown without the cores."""
    host_mib, cores = figure(row.get("cpu_ram")), figure(row.get("cpu_cores"))
    share = figure(row.get("cpu_cores_effective"))
    return None if None in (host_mib, cores, share) else host_mib * share / cores / 1024  # type: ignore[operator]


def _link(row: dict[str, Any], count: int) -> tuple[str | None, float | None]:
    """A PCIe node is known from the row; the generation of an NVLink is the card's and is left to the catalog."""
    generation = figure(row.get("pci_gen"))
    if count == 1:
        return "none", None
    if figure(row.get("bw_nvlink")) or "bw_nvlink" not in row or not generation:
        return None, None
    return f"pcie{generation:.0f}", None
