"""Thunder Compute: prices by specification, probably without a key.

providers.md 36. Prototyping accelerators are attached over the network and are no basis for a multi-GPU run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from app.domain.errors import ShapeDrift, UpstreamFault
from app.domain.offer import Parsed, ScrapedOffer
from app.domain.sentence import N_
from app.providers._reading import Harvest, decimal_of, figure
from app.providers.card import SIX_HOURS, ProviderCard
from app.providers.port import Http, Payload, Settings

_URL = "https://api.thundercompute.com:8443/v1"
_NAMED = re.compile(r"^([a-z0-9]+)_x(\d+)_(prototyping|production)$")
_CARDS = {"a100xl": "A100 80GB", "a100": "A100 40GB"}

CARD = ProviderCard(
    slug="thundercompute",
    name="Thunder Compute",
    source_kind="api",
    kind="list_price",
    homepage="https://www.thundercompute.com/pricing",
    other_variables=("THUNDER_API_TOKEN",),
    interval_s=SIX_HOURS,
    terms_note=N_(
        "The price call is called public by the provider's own tool; a token is sent where one is set."
    ),
)


async def fetch(http: Http, settings: Settings) -> Payload:
    """Prices, and specifications where they can be had."""
    token = settings.get("THUNDER_API_TOKEN")
    headers = {"Authorization": f"Bearer {token}"} if token else None
    parts = [await http.get(f"{_URL}/pricing", name="pricing", headers=headers)]
    try:
        specs = await http.get(f"{_URL}/specs", name="specs", headers=headers)
        if isinstance(specs.json(), dict):
            parts.append(specs)
    except UpstreamFault:
        pass
    return Payload(tuple(parts))


def parse(payload: Payload) -> Parsed:
    """One offer a specification; the price of extra processors and disk is no offer."""
    harvest = Harvest("thundercompute", source="thundercompute", url=CARD.homepage)
    prices = payload.part("pricing").json()["pricing"]
    if not isinstance(prices, dict):
        raise ShapeDrift("pricing: no table")
    specs = next((part.json().get("specs") or {} for part in payload.parts if part.name == "specs"), {})
    named = {name: price for name, price in prices.items() if _NAMED.match(name)}
    harvest.ignore("a price of an extra", len(prices) - len(named))

    def read(row: dict[str, Any]) -> Iterator[ScrapedOffer]:
        match = _NAMED.match(row["name"])
        if match is None:
            return
        card, count, mode = match.groups()
        spec = specs.get(row["name"]) or {}
        yield harvest.offer(
            instance_type=row["name"],
            accelerator_name=spec.get("displayName") or _CARDS.get(card, card.upper()),
            accelerator_count=int(count),
            memory_hint_gb=figure(spec.get("vramGB")),
            region="global",
            tier=mode,
            purchase_option="on_demand",
            price_per_hour=decimal_of(row["price"]),
            max_nodes=1,
        )

    harvest.each([{"name": name, "price": price} for name, price in named.items()], read, nothing="no price")
    return harvest.parsed(payload)
