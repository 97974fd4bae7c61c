"""Hyperstack: flavours joined with the price book, which prices one accelerator.

providers.md 19. The name gives the form factor; a flavour without an accelerator has an empty one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from app.domain.offer import Parsed, ScrapedOffer
from app.domain.sentence import N_
from app.providers._reading import Harvest, Refused, figure, rows_at, some
from app.providers.card import HALF_HOUR, ProviderCard
from app.providers.port import Http, Payload, Settings, required

_URL = "https://infrahub-api.nexgencloud.com/v1"

CARD = ProviderCard(
    slug="hyperstack",
    name="Hyperstack",
    source_kind="api",
    kind="list_price",
    homepage="https://www.hyperstack.cloud/gpu-pricing",
    needs_key="HYPERSTACK_API_KEY",
    interval_s=HALF_HOUR,
    terms_note=N_("500 requests a minute; needs a key of a free account."),
)


async def fetch(http: Http, settings: Settings) -> Payload:
    """Flavours and the price book."""
    key = {"api_key": required(settings, "HYPERSTACK_API_KEY")}
    flavors = await http.get(f"{_URL}/core/flavors", name="flavors", headers=key)
    return Payload((flavors, await http.get(f"{_URL}/pricebook", name="prices", headers=key)))


def parse(payload: Payload) -> Parsed:
    """An on-demand offer a flavour, and a spot offer where the price book has one."""
    harvest = Harvest("hyperstack", source="hyperstack", url=CARD.homepage)
    book = rows_at(payload.part("prices"))
    prices = dict(harvest.unfold(book, lambda row: [(str(row["name"]).lower(), some(row["value"]))]))
    groups = rows_at(payload.part("flavors"), "data")
    flavors = harvest.unfold(groups, lambda group: group["flavors"], "a group without flavours")
    gpu = harvest.sift(flavors, lambda flavor: flavor.get("gpu"), "no accelerator")

    def read(row: dict[str, Any]) -> Iterator[ScrapedOffer]:
        name, count = str(row["gpu"]), int(row["gpu_count"])
        listed = prices.get(name.lower())
        if listed is None:
            raise Refused("no price in the price book")
        yield _offer(harvest, row, "on_demand", listed * count)
        spot = next((price for key, price in prices.items() if _spot_of(key) == name.lower()), None)
        if spot is not None:
            yield _offer(harvest, row, "spot", spot * count)

    harvest.each(gpu, read, nothing="no price")
    return harvest.parsed(payload)


def _spot_of(item: str) -> str | None:
    """The accelerator that a spot item of the price book prices; None for any other item."""
    return re.sub(r"[-_ ]*spot[-_ ]*", "", item) if "spot" in item else None


def _offer(harvest: Harvest, row: dict[str, Any], option: str, price: Decimal) -> ScrapedOffer:
    disks = (figure(row.get("disk")), figure(row.get("ephemeral")))
    return harvest.offer(
        instance_type=row["name"],
        accelerator_name=row["gpu"],
        accelerator_count=row["gpu_count"],
        region=row["region_name"],
        purchase_option=option,
        price_per_hour=price,
        vcpus=figure(row.get("cpu")),
        ram_gib=figure(row.get("ram")),
        local_disk_gb=sum(disk for disk in disks if disk) or None,
        stock="in_stock" if row.get("stock_available") else "out",
        price_basis="accelerator-hour times accelerators",
    )
