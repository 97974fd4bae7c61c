"""Nebius: the price page, which is rendered on the server. Per accelerator and hour, preemptible and on demand.

providers.md 18. Processor and memory are included since October 2025. A pair of prices is believed only if the
on-demand one is the higher. The API (gRPC, service account) has no prices without a project; presets are its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from selectolax.lexbor import LexborHTMLParser

from app.domain.errors import ShapeDrift
from app.domain.offer import Parsed, ScrapedOffer
from app.domain.sentence import N_
from app.providers._reading import Harvest, Refused
from app.providers.card import DAY, ProviderCard
from app.providers.port import Http, Payload, Settings

_URL = "https://nebius.com/prices"
# Name on the page → platform, and its presets as (accelerators, vCPUs, GiB).
_PLATFORMS: dict[str, tuple[str, tuple[tuple[int, int | None, int | None], ...]]] = {
    "B300": ("gpu-b300-sxm", ((8, None, None),)),
    "B200": ("gpu-b200-sxm", ((8, 160, 1792),)),
    "H200": ("gpu-h200-sxm", ((1, 16, 200), (8, 128, 1600))),
    "H100": ("gpu-h100-sxm", ((1, 16, 200), (8, 128, 1600))),
    "L40S": ("gpu-l40s-a", ((1, 8, 32),)),
    "RTX PRO 6000": ("gpu-rtx6000", ((1, None, None),)),
}
_PRICE = re.compile(r"\$\s?(\d+\.\d{2})\b")
_REACH = 90

CARD = ProviderCard(
    slug="nebius",
    name="Nebius",
    source_kind="page",
    kind="list_price",
    homepage=_URL,
    interval_s=DAY,
    terms_note=N_("Read from the public price page where robots.txt allows; no stock."),
)


async def fetch(http: Http, settings: Settings) -> Payload:
    """The page."""
    return Payload((await http.page(_URL),))


def parse(payload: Payload) -> Parsed:
    """An on-demand and a preemptible offer a preset of every accelerator on the page."""
    harvest = Harvest("nebius", source="nebius", url=_URL)
    text = " ".join(LexborHTMLParser(payload.part("page").text).text(separator=" ").split())
    named = re.compile(
        "|".join(rf"NVIDIA (?:HGX )?{re.escape(name)}\b|HGX {re.escape(name)}\b" for name in _PLATFORMS)
    )
    rows = []
    for match in named.finditer(text):
        following = named.search(text, match.end())
        end = min(match.end() + _REACH, following.start() if following else len(text))
        prices = _PRICE.findall(text[match.end() : end])
        if prices:
            rows.append({"name": re.sub(r"NVIDIA |HGX ", "", match.group()), "prices": prices})
    if not rows:
        raise ShapeDrift("page: no accelerator with a price")
    once = list({row["name"]: row for row in reversed(rows)}.values())
    harvest.ignore("named again on the page", len(rows) - len(once))
    harvest.each(once, lambda row: _offers(harvest, row), nothing="no preset")
    return harvest.parsed(payload)


def _offers(harvest: Harvest, row: dict[str, Any]) -> Iterator[ScrapedOffer]:
    if len(row["prices"]) < 2:
        raise Refused("one price where there should be two")
    preemptible, listed = (Decimal(price) for price in row["prices"][:2])
    if not preemptible < listed:
        raise Refused("a pair of prices in another order")
    platform, presets = _PLATFORMS[row["name"]]
    for count, vcpus, ram in presets:
        size = f"{count}gpu" + (f"-{vcpus}vcpu-{ram}gb" if vcpus else "")
        for option, each in (("on_demand", listed), ("spot", preemptible)):
            yield harvest.offer(
                instance_type=f"{platform}/{size}",
                accelerator_name=row["name"],
                accelerator_count=count,
                region="global",
                purchase_option=option,
                price_per_hour=each * count,
                vcpus=vcpus,
                ram_gib=ram,
                price_basis="accelerator-hour times accelerators",
            )
