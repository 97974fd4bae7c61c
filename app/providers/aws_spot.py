"""AWS EC2 spot: the price file of all regions and the spot advisor, both without a key. Linux, averages of a region.

providers.md 4. The advisor adds hosts and how often instances are taken back; without it those stay unknown.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson

from app.domain.errors import UpstreamFault
from app.domain.offer import Parsed, ScrapedOffer
from app.domain.sentence import N_
from app.providers._aws_families import accelerators_of
from app.providers._reading import Harvest, figure, some
from app.providers.card import HOUR, ProviderCard
from app.providers.port import Http, Part, Payload, Settings

_SPOT = "https://spot-price.s3.amazonaws.com/spot.js"
_ADVISOR = "https://spot-bid-advisor.s3.amazonaws.com/spot-advisor-data.json"
# The spot file still speaks of some regions by their first names.
_OLD_NAMES = {
    "us-east": "us-east-1", "us-west": "us-west-1", "eu-ireland": "eu-west-1", "apac-sin": "ap-southeast-1",
    "apac-syd": "ap-southeast-2", "apac-tokyo": "ap-northeast-1",
}  # fmt: skip
# Share of instances interrupted within a month, middle of the advisor's bands 0…4.
_INTERRUPTED = {0: 0.025, 1: 0.075, 2: 0.125, 3: 0.175, 4: 0.25}

CARD = ProviderCard(
    slug="aws_spot",
    name="AWS spot prices",
    source_kind="api",
    kind="list_price",
    homepage="https://aws.amazon.com/ec2/spot/pricing/",
    interval_s=HOUR,
    terms_note=N_("Public files of the pricing page; averages of a region, no stock."),
    covers=("aws",),
)


async def fetch(http: Http, settings: Settings) -> Payload:
    """Prices, and the advisor where it answers."""
    prices = await http.get(_SPOT, name="spot")
    try:
        return Payload((prices, await http.get(_ADVISOR, name="advisor")))
    except UpstreamFault:
        return Payload((prices,))


def parse(payload: Payload) -> Parsed:
    """One spot offer a region and instance type."""
    harvest = Harvest("aws", source="aws_spot", url=CARD.homepage)
    part = payload.part("spot")
    text = part.text[part.text.find("{") : part.text.rfind("}") + 1]
    rows = [
        {"region": _OLD_NAMES.get(region["region"], region["region"]), **size}
        for region in Part("spot", part.url, text).json()["config"]["regions"]
        for kind in region["instanceTypes"]
        for size in kind["sizes"]
    ]
    known = harvest.sift(rows, lambda row: accelerators_of(row["size"]), "no accelerator")
    advice = _advice(payload)
    harvest.each(known, lambda row: _offer(harvest, row, advice), nothing="no spot price here")
    return harvest.parsed(payload)


def _offer(harvest: Harvest, row: dict[str, Any], advice: dict[str, Any]) -> Iterator[ScrapedOffer]:
    linux = [column["prices"]["USD"] for column in row["valueColumns"] if column["name"] == "linux"]
    price = some(linux[0]) if linux else None
    has = accelerators_of(row["size"])
    if price is None or has is None:
        return
    name, count, card_gb = has
    host = advice.get("instance_types", {}).get(row["size"], {})
    told = advice.get("spot_advisor", {}).get(row["region"], {}).get("Linux", {}).get(row["size"], {})
    taken_back = _INTERRUPTED.get(told.get("r"))
    yield harvest.offer(
        instance_type=row["size"],
        accelerator_name=name,
        accelerator_count=count,
        memory_hint_gb=card_gb * min(1.0, count),
        region=row["region"],
        purchase_option="spot",
        price_per_hour=price,
        vcpus=figure(host.get("cores")),
        ram_gib=figure(host.get("ram_gb")),
        reliability=None if taken_back is None else 1 - taken_back,
        price_basis="instance-hour, average of the region",
    )


def _advice(payload: Payload) -> dict[str, Any]:
    """The advisor's file; empty where it is silent, or in another shape than we know."""
    for part in payload.parts:
        if part.name == "advisor":
            try:
                advice = orjson.loads(part.text)
            except orjson.JSONDecodeError:
                return {}
            return advice if isinstance(advice, dict) and _is_nested(advice) else {}
    return {}


def _is_nested(advice: dict[str, Any]) -> bool:
    """Objects all the way down to where we look."""
    types, regions = advice.get("instance_types", {}), advice.get("spot_advisor", {})
    if not isinstance(types, dict) or not isinstance(regions, dict):
        return False
    systems = [
        systems
        for region in regions.values()
        for systems in (region.values() if isinstance(region, dict) else [region])
    ]
    return all(
        isinstance(group, dict) and all(isinstance(entry, dict) for entry in group.values())
        for group in (types, *systems)
    )
