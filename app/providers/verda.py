"""Verda (formerly DataCrunch): prices without a key; places and stock with one.

providers.md 3. Prices are strings of the whole instance; accelerator memory is the total of the box.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from app.domain.errors import Unreachable
from app.domain.offer import Parsed, ScrapedOffer
from app.domain.sentence import N_
from app.providers._reading import Harvest, decimal_of, figure, rows_at, some
from app.providers.card import ProviderCard
from app.providers.port import Http, Part, Payload, Settings

_HOSTS = ("https://api.verda.com/v1", "https://api.datacrunch.io/v1")

CARD = ProviderCard(
    slug="verda",
    name="Verda",
    source_kind="api",
    kind="list_price",
    homepage="https://verda.com/pricing",
    other_variables=("VERDA_CLIENT_ID", "VERDA_CLIENT_SECRET"),
    interval_s=1_800,
    terms_note=N_("Prices are public; with a client id and secret the stock per location is read as well."),
)


async def fetch(http: Http, settings: Settings) -> Payload:
    """Prices from the new host or the old one; stock of both markets where a key is set."""
    refused: Unreachable | None = None
    for host in _HOSTS:
        try:
            prices = await http.get(f"{host}/instance-types", name="prices", params={"currency": "usd"})
        except Unreachable as fault:
            refused = fault
            continue
        identity, secret = (settings.get(name) for name in CARD.other_variables)
        if not identity or not secret:
            return Payload((prices,))
        grant = {"grant_type": "client_credentials", "client_id": identity, "client_secret": secret}
        token = (await http.post(f"{host}/oauth2/token", grant, name="token")).json()["access_token"]
        bearer = {"Authorization": f"Bearer {token}"}
        stock = [
            await http.get(
                f"{host}/instance-availability", name=name, params={"is_spot": spot}, headers=bearer
            )
            for name, spot in (("on_demand", "false"), ("spot", "true"))
        ]
        return Payload((prices, *stock))
    raise refused or Unreachable("no host of Verda answered")


def parse(payload: Payload) -> Parsed:
    """On-demand and spot offers: at the locations that have them where stock is known, else without a place."""
    harvest = Harvest("verda", source="verda", url=CARD.homepage)
    stock = {part.name: _places(harvest, part) for part in payload.parts if part.name != "prices"}

    def read(row: dict[str, Any]) -> Iterator[ScrapedOffer]:
        prices = {"on_demand": decimal_of(row["price_per_hour"]), "spot": some(row.get("spot_price"))}
        for option, price in prices.items():
            if price is None and option == "spot":
                continue
            places = stock[option].get(row["instance_type"], []) if option in stock else None
            found = {True: "in_stock", False: "out"}[bool(places)] if places is not None else None
            for place in places or ("global",):
                yield harvest.offer(
                    **_common(row), region=place, purchase_option=option, price_per_hour=price, stock=found
                )

    rows = rows_at(payload.part("prices"))
    with_gpu = harvest.sift(rows, lambda row: (row.get("gpu") or {}).get("number_of_gpus"), "no accelerator")
    harvest.each(with_gpu, read, nothing="no price")
    return harvest.parsed(payload)


def _places(harvest: Harvest, part: Part) -> dict[str, list[str]]:
    """Instance type → the places that have it."""
    found: dict[str, list[str]] = {}
    for kind, place in harvest.unfold(rows_at(part), _stocked):
        found.setdefault(kind, []).append(place)
    return found


def _stocked(row: dict[str, Any]) -> list[tuple[str, str]]:
    return [(str(kind), row["location_code"]) for kind in row["availabilities"]]


def _common(row: dict[str, Any]) -> dict[str, Any]:
    count = int(row["gpu"]["number_of_gpus"])
    total = figure((row.get("gpu_memory") or {}).get("size_in_gigabytes"))
    return {
        "instance_type": row["instance_type"],
        "accelerator_name": re.sub(r"^\d+x\s+", "", row["gpu"]["description"]),
        "accelerator_count": count,
        "memory_hint_gb": total / count if total else None,
        "vcpus": figure((row.get("cpu") or {}).get("number_of_cores")),
        "ram_gib": figure((row.get("memory") or {}).get("size_in_gigabytes")),
        "currency": str(row.get("currency") or "usd").upper(),
    }
