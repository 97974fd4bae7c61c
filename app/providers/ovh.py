"""OVHcloud Public Cloud: the order catalogue, without a key. EUR, in units of 1e-8.

providers.md 10. The price is the same in every ordinary region; other zones and months have plans of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from app.domain.offer import Parsed, ScrapedOffer
from app.domain.sentence import N_
from app.providers._reading import Harvest, Refused, figure, rows_at
from app.providers.card import DAY, ProviderCard
from app.providers.port import Http, Payload, Settings

_URL = "https://api.ovh.com/v1/order/catalog/public/cloud"
_HOURLY = ".consumption"
_UNIT = Decimal("1e-8")
# GB of host memory that come with one card, for flavours whose technical sheet lacks the count.
_RAM_PER_CARD = {
    "h100": 380,
    "h200": 240,
    "a100": 180,
    "l40s": 90,
    "l4": 90,
    "a10": 45,
    "t1": 45,
    "t2": 45,
    "rtx5000": 28,
}
_CARDS = {"t1": "Tesla V100 16GB", "t2": "Tesla V100S 32GB", "rtx5000": "Quadro RTX 5000"}

CARD = ProviderCard(
    slug="ovh",
    name="OVHcloud",
    source_kind="api",
    kind="list_price",
    homepage="https://www.ovhcloud.com/en/public-cloud/prices/",
    interval_s=DAY,
    terms_note=N_("Public order catalogue; EUR without VAT, no stock."),
)


async def fetch(http: Http, settings: Settings) -> Payload:
    """The whole catalogue in one answer."""
    return Payload((await http.get(_URL, name="catalogue", params={"ovhSubsidiary": "DE"}, timeout_s=120),))


def parse(payload: Payload) -> Parsed:
    """One offer an hourly flavour with accelerators."""
    harvest = Harvest("ovh", source="ovh", url=CARD.homepage)
    part = payload.part("catalogue")
    rows = rows_at(part, "addons")
    currency = part.json()["locale"]["currencyCode"]

    def read(row: dict[str, Any]) -> Iterator[ScrapedOffer]:
        yield _offer(harvest, row, currency)

    instances = harvest.sift(
        rows, lambda row: row.get("product") == "publiccloud-instance", "not an instance"
    )
    hourly = harvest.sift(
        instances, lambda row: str(row.get("planCode")).endswith(_HOURLY), "monthly, or of another zone"
    )
    linux = harvest.sift(hourly, lambda row: not row["planCode"].startswith("win-"), "Windows price")
    gpu = harvest.sift(linux, lambda row: _is_accelerated(row), "no accelerator")
    active = harvest.sift(
        gpu, lambda row: "active" in ((row.get("blobs") or {}).get("tags") or ()), "not on sale"
    )
    harvest.each(active, read, nothing="no price")
    return harvest.parsed(payload)


def _sheet(row: dict[str, Any]) -> dict[str, Any]:
    return ((row.get("blobs") or {}).get("technical")) or {}


def _is_accelerated(row: dict[str, Any]) -> bool:
    return bool((_sheet(row).get("gpu") or {}).get("number")) or _family(row["planCode"]) in _RAM_PER_CARD


def _family(plan: str) -> str:
    return re.split(r"-", plan)[0]


def _offer(harvest: Harvest, row: dict[str, Any], currency: str) -> ScrapedOffer:
    name, family, sheet = row["planCode"].removesuffix(_HOURLY), _family(row["planCode"]), _sheet(row)
    pricing = next((price for price in row["pricings"] if price["intervalUnit"] == "hour"), None)
    if pricing is None:
        raise Refused("no price of an hour")
    gpu = sheet.get("gpu") or {}
    count = figure(gpu.get("number")) or int(name.rsplit("-", 1)[-1]) // _RAM_PER_CARD[family]
    return harvest.offer(
        instance_type=name,
        accelerator_name=gpu.get("model") or _CARDS.get(family, family.upper()),
        accelerator_count=count,
        memory_hint_gb=figure((gpu.get("memory") or {}).get("size")),
        region="global",
        purchase_option="on_demand",
        price_per_hour=Decimal(int(pricing["price"])) * _UNIT,
        currency=currency,
        vcpus=figure((sheet.get("cpu") or {}).get("cores")),
        ram_gib=figure((sheet.get("memory") or {}).get("size")),
        local_disk_gb=sum(
            disk["capacity"] * disk.get("number", 1)
            for shelf in ("storage", "nvme")
            for disk in (sheet.get(shelf) or {}).get("disks") or ()
        )
        or None,
        max_nodes=1,
    )
