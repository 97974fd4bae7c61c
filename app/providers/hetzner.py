"""Hetzner server auction: dedicated servers with a card, from the page's own data file. EUR, net, per month.

providers.md 41. No cluster, no NVLink; the card is named in the description only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from app.domain.offer import Parsed, ScrapedOffer
from app.domain.sentence import N_
from app.domain.units import HOURS_PER_MONTH
from app.providers._reading import Harvest, Refused, decimal_of, figure, rows_at, some
from app.providers.card import HALF_HOUR, ProviderCard
from app.providers.port import Http, Payload, Settings

_URL = "https://www.hetzner.com/_resources/app/data/app/live_data_sb_EUR.json"
_NAMED = re.compile(
    r"(?:GPU\s*-\s*)?(?:NVIDIA\s+)?((?:GeForce|Quadro|Tesla|RTX|GTX|L4|A\d+)\b[\w .-]*)", re.IGNORECASE
)

CARD = ProviderCard(
    slug="hetzner",
    name="Hetzner server auction",
    source_kind="api",
    kind="list_price",
    homepage="https://www.hetzner.com/sb/",
    interval_s=HALF_HOUR,
    terms_note=N_("Data file of a public page; EUR without VAT; set-up fees are not in the price."),
)


async def fetch(http: Http, settings: Settings) -> Payload:
    """The page's data file."""
    return Payload((await http.page(_URL, name="servers"),))


def parse(payload: Payload) -> Parsed:
    """One offer a server with a card."""
    harvest = Harvest("hetzner", source="hetzner", url=CARD.homepage)
    rows = rows_at(payload.part("servers"), "server")
    gpu = harvest.sift(rows, _has_accelerator, "no accelerator")

    def read(row: dict[str, Any]) -> Iterator[ScrapedOffer]:
        yield _offer(harvest, row)

    harvest.each(gpu, read, nothing="no price")
    return harvest.parsed(payload)


def _has_accelerator(row: dict[str, Any]) -> bool:
    return "GPU" in " ".join((*(row.get("specials") or ()), *(row.get("description") or ())))


def _offer(harvest: Harvest, row: dict[str, Any]) -> ScrapedOffer:
    named = next((match for text in row["description"] if (match := _NAMED.search(text))), None)
    if named is None:
        raise Refused("no accelerator name")
    month = decimal_of(row["price"])
    hourly = some(row.get("hourly_price")) or (month / Decimal(HOURS_PER_MONTH) if month else month)
    drives = row.get("serverDiskData") or {}
    return harvest.offer(
        native_id=f"server {row['id']}",
        instance_type=row["name"],
        accelerator_name=named.group(1).strip(),
        accelerator_count=1,
        region=row["datacenter"].partition("-")[0],
        zone=row["datacenter"],
        purchase_option="on_demand",
        price_per_hour=hourly,
        currency="EUR",
        ram_gib=figure(row.get("ram_size")),
        local_disk_gb=sum(sum(drives.get(kind) or ()) for kind in ("nvme", "sata", "hdd")) or None,
        stock="in_stock",
        max_nodes=1,
        price_basis="server-hour, set-up fee apart",
    )
