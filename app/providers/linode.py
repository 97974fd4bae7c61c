"""Linode (Akamai): instance types, without a key. No spot, no NVLink.

providers.md 9. The accelerator is named by the id and label only; a null price is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from app.domain.errors import UpstreamFault
from app.domain.offer import Parsed, ScrapedOffer
from app.domain.sentence import N_
from app.domain.units import GB, MIB
from app.providers._reading import Harvest, Refused, decimal_of, figure, rows_at
from app.providers.card import ProviderCard
from app.providers.port import Http, Part, Payload, Settings

_URL = "https://api.linode.com/v4"
# `rtx6000` is the Turing card and `rtx4000a` the Ada one, whatever the spelling suggests.
_CARDS = (
    ("rtxpro6000", "RTX PRO 6000 Blackwell Server Edition", 96.0),
    ("rtx4000a", "RTX 4000 Ada", 20.0),
    ("rtx6000", "Quadro RTX 6000", 24.0),
)

CARD = ProviderCard(
    slug="linode",
    name="Linode (Akamai)",
    source_kind="api",
    kind="list_price",
    homepage="https://www.linode.com/pricing/#compute-gpu",
    terms_note=N_("Public type list; hourly up to a monthly cap."),
)


async def fetch(http: Http, settings: Settings) -> Payload:
    """Types, and what is available where; without the latter the offers have no place."""
    parts = await _pages(http, "linode/types")
    try:
        parts += await _pages(http, "regions/availability")
    except UpstreamFault:
        parts = [part for part in parts if part.name == "linode/types"]
    return Payload(tuple(parts))


async def _pages(http: Http, path: str) -> list[Part]:
    parts = [await http.get(f"{_URL}/{path}", name=path, params={"page": 1, "page_size": 500})]
    for number in range(2, min(50, int(parts[0].json()["pages"])) + 1):
        parts.append(await http.get(f"{_URL}/{path}", name=path, params={"page": number, "page_size": 500}))
    return parts


def parse(payload: Payload) -> Parsed:
    """Offers per type and region that says anything of it, else one without a place."""
    harvest = Harvest("linode", source="linode", url=CARD.homepage)
    places: dict[str, dict[str, bool]] = {}
    said = [
        row for part in payload.parts if part.name == "regions/availability" for row in rows_at(part, "data")
    ]
    for plan, region, free in harvest.unfold(said, _availability):
        places.setdefault(plan, {})[region] = free

    def read(row: dict[str, Any]) -> Iterator[ScrapedOffer]:
        yield from _offers(harvest, row, places.get(row["id"], {}))

    rows = [row for part in payload.parts if part.name == "linode/types" for row in rows_at(part, "data")]
    gpu = harvest.sift(rows, lambda row: row.get("gpus"), "no accelerator")
    harvest.each(gpu, read, nothing="no price")
    return harvest.parsed(payload)


def _availability(row: dict[str, Any]) -> Iterator[tuple[str, str, bool]]:
    yield str(row["plan"]), str(row["region"]), bool(row["available"])


def _offers(harvest: Harvest, row: dict[str, Any], places: dict[str, bool]) -> Iterator[ScrapedOffer]:
    spelled = re.sub(r"[^a-z0-9]", "", row["id"].lower())
    card = next(((name, gb) for mark, name, gb in _CARDS if mark in spelled), None)
    if card is None:
        raise Refused("a card we do not know")
    local = {price["id"]: price.get("hourly") for price in row.get("region_prices") or ()}
    ram, disk = figure(row.get("memory")), figure(row.get("disk"))
    for place in sorted(places) or [*local, "global"]:
        free = places.get(place)
        yield harvest.offer(
            instance_type=row["id"],
            accelerator_name=card[0],
            accelerator_count=row["gpus"],
            memory_hint_gb=card[1],
            region=place,
            purchase_option="on_demand",
            price_per_hour=decimal_of(local[place] if place in local else row["price"]["hourly"]),
            vcpus=figure(row.get("vcpus")),
            ram_gib=ram / 1024 if ram else None,
            local_disk_gb=disk * MIB / GB if disk else None,
            stock=None if free is None else "in_stock" if free else "out",
            max_nodes=1,
        )
