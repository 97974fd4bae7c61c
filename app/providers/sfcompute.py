"""SF Compute: a market of blocks; a quote for one node and one day stands for each kind of node.

providers.md 33. A quote is the whole order in cents; no quote means that nobody sells now.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from typing import Any

from app.domain.offer import Parsed, ScrapedOffer
from app.domain.sentence import N_
from app.domain.units import hours_from_seconds
from app.providers._reading import Harvest, Refused, decimal_of
from app.providers.card import HALF_HOUR, ProviderCard
from app.providers.port import Http, Payload, Settings, required

_URL = "https://api.sfcompute.com/v0/quote"
# Nodes of eight; the "i" says InfiniBand.
_NODES = {"h100i": ("H100 SXM", "infiniband"), "h100": ("H100 SXM", None), "h200": ("H200 SXM", None)}
_DAY_S = 86_400

CARD = ProviderCard(
    slug="sfcompute",
    name="SF Compute",
    source_kind="api",
    kind="marketplace",
    homepage="https://sfcompute.com/",
    needs_key="SF_API_TOKEN",
    interval_s=HALF_HOUR,
    terms_note=N_("Quotes of a market, for one node and one day; needs a token."),
)


async def fetch(http: Http, settings: Settings) -> Payload:
    """One quote a kind of node."""
    bearer = {"Authorization": f"Bearer {required(settings, 'SF_API_TOKEN')}"}
    parts = []
    for node in _NODES:
        query: dict[str, str | int] = {
            "side": "buy",
            "instance_type": node,
            "quantity": 1,
            "duration": _DAY_S,
            "min_start_date": "NOW",
        }
        parts.append(await http.get(_URL, name=node, params=query, headers=bearer))
    return Payload(tuple(parts))


def parse(payload: Payload) -> Parsed:
    """A block offer a quote."""
    harvest = Harvest("sfcompute", source="sfcompute", url=CARD.homepage)
    rows = [{"node": part.name, "quote": part.json()["quote"]} for part in payload.parts]

    def read(row: dict[str, Any]) -> Iterator[ScrapedOffer]:
        quote = row["quote"]
        if quote is None:
            return
        start, end = (datetime.fromisoformat(quote[name]) for name in ("start_at", "end_at"))
        hours = hours_from_seconds((end - start).total_seconds())
        cents = decimal_of(quote["price"])
        if hours <= 0 or cents is None:
            raise Refused("a quote without a span or a price")
        name, fabric = _NODES[row["node"]]
        yield harvest.offer(
            instance_type=quote.get("instance_type") or row["node"],
            accelerator_name=name,
            accelerator_count=8,
            region=quote.get("zone") or "global",
            purchase_option="block",
            price_per_hour=cents / 100 / int(quote["quantity"]) / Decimal(str(hours)),
            fabric=fabric,
            stock="in_stock",
            minimum_term_hours=hours,
            price_basis=f"quote of the whole order: {quote['quantity']} node, {hours:g} h",
        )

    harvest.each(rows, read, nothing="nobody sells now")
    return harvest.parsed(payload)
