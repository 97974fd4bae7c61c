"""Mithril (once Foundry): instance types, the fixed price of a reservation, and the spot auction by region.

providers.md 42, behaviour P04; fields as in Mithril's own API reference. `minimum_price_cents` is the floor of a bid
and never a price. Cents of the whole instance and hour; the last price of an auction is text ("$12.34").
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from app.domain.errors import ShapeDrift
from app.domain.offer import Parsed, ScrapedOffer
from app.domain.sentence import N_
from app.providers._reading import Harvest, figure, rows_at, some
from app.providers.card import HALF_HOUR, ProviderCard
from app.providers.port import Http, Part, Payload, Settings, required

_URL = "https://api.mithril.ai/v2"
_CENTS = 100

CARD = ProviderCard(
    slug="mithril",
    name="Mithril",
    source_kind="api",
    kind="marketplace",
    homepage="https://mithril.ai/pricing",
    needs_key="MITHRIL_API_KEY",
    interval_s=HALF_HOUR,
    terms_note=N_(
        "Needs a key of an account. Spot is an auction by region; reservations have a fixed price of the moment."
    ),
)


async def fetch(http: Http, settings: Settings) -> Payload:
    """Types, regions with their auction, and one answer of prices a type."""
    key = {"Authorization": f"Bearer {required(settings, 'MITHRIL_API_KEY')}"}
    types = await http.get(f"{_URL}/instance-types", name="types", headers=key)
    parts = [types, await http.get(f"{_URL}/spot/availability", name="auction", headers=key)]
    for row in rows_at(types):
        fid = str(row.get("fid") or "")
        if fid and row.get("num_gpus"):
            asked = {"instance_type": fid}
            parts.append(
                await http.get(f"{_URL}/pricing/current", name=f"price:{fid}", params=asked, headers=key)
            )
    return Payload(tuple(parts))


def parse(payload: Payload) -> Parsed:
    """On demand at the reservation price, and spot at the last price of the auction, by region."""
    harvest = Harvest("mithril", source="mithril", url=CARD.homepage)
    types = rows_at(payload.part("types"))
    auctions = rows_at(payload.part("auction"))
    gpu = harvest.sift(types, lambda row: row.get("num_gpus"), "no accelerator")

    def read(row: dict[str, Any]) -> Iterator[ScrapedOffer]:
        prices = _object(payload.part(f"price:{row['fid']}"))
        here = [auction for auction in auctions if auction["instance_type"] == row["fid"]]
        for auction in here or [{"region": "global"}]:
            yield from _offers(harvest, row, prices, auction)

    harvest.each(gpu, read, nothing="no price")
    return harvest.parsed(payload)


def _object(part: Part) -> dict[str, Any]:
    answer = part.json()
    if not isinstance(answer, dict) or not {"reserved_price_cents", "spot_price_cents"} & set(answer):
        raise ShapeDrift(f"{part.name}: no prices")
    return answer


def _offers(
    harvest: Harvest, row: dict[str, Any], prices: dict[str, Any], auction: dict[str, Any]
) -> Iterator[ScrapedOffer]:
    common = {**_hardware(row), "region": auction["region"]}
    free = prices.get("available_capacity")
    stock = None if free is None else "in_stock" if free > 0 else "out"
    fixed = some(prices.get("reserved_price_cents"))
    if fixed is not None:
        basis = "instance-hour, price of a reservation"
        yield harvest.offer(
            **common,
            purchase_option="on_demand",
            price_per_hour=fixed / _CENTS,
            stock=stock,
            price_basis=basis,
        )
    spot = _spot(prices, auction)
    if spot is not None:
        basis = "instance-hour, last price of the auction"
        yield harvest.offer(**common, purchase_option="spot", price_per_hour=spot, price_basis=basis)


def _spot(prices: dict[str, Any], auction: dict[str, Any]) -> Decimal | None:
    """The region's own last price, or the type's where the region has none."""
    last = some(str(auction.get("last_instance_price") or "").lstrip("$"))
    if last is not None:
        return last
    cents = some(prices.get("spot_price_cents"))
    return None if cents is None else cents / _CENTS


def _hardware(row: dict[str, Any]) -> dict[str, Any]:
    socket, network = str(row.get("gpu_socket") or ""), str(row.get("network_type") or "")
    name = str(row["gpu_type"])
    return {
        "instance_type": row["name"],
        "accelerator_name": name if not socket or socket.lower() in name.lower() else f"{name} {socket}",
        "accelerator_count": row["num_gpus"],
        "memory_hint_gb": figure(row.get("gpu_memory_gb")),
        "vcpus": figure(row.get("num_cpus")),
        "ram_gib": figure(row.get("ram_gb")),
        "local_disk_gb": figure(row.get("local_storage_gb")),
        "fabric": "infiniband"
        if re.search("infiniband", network, re.IGNORECASE) and row.get("ib_count")
        else None,
    }
