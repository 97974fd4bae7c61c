"""RunPod: GraphQL without a key. Every price is of one accelerator; a pod of n costs n times that.

providers.md 1. Secure and community tiers, commitments and Instant Clusters are kept apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from app.domain.errors import ShapeDrift, UpstreamFault
from app.domain.offer import Parsed, ScrapedOffer
from app.domain.sentence import N_
from app.providers._reading import Harvest, figure, rows_at, some
from app.providers.card import HALF_HOUR, ProviderCard
from app.providers.port import Http, Part, Payload, Settings

_URL = "https://api.runpod.io/graphql"
_SIZES = (1, 2, 4, 8)
_COMMITMENTS = (
    ("oneWeekPrice", None),
    ("oneMonthPrice", 1),
    ("threeMonthPrice", 3),
    ("sixMonthPrice", 6),
    ("oneYearPrice", 12),
)
_WEEK_HOURS = 168.0
_STOCK = {"High": "in_stock", "Medium": "in_stock", "Low": "low"}
_LIST = (
    "query { dataCenters { id listed } gpuTypes { id displayName manufacturer memoryInGb secureCloud communityCloud "
    "securePrice communityPrice secureSpotPrice communitySpotPrice "
    + " ".join(name for name, _ in _COMMITMENTS)
    + " clusterPrice maxGpuCount maxGpuCountSecureCloud maxGpuCountCommunityCloud minPodGpuCount "
    "nodeGroupDatacenters { id } } }"
)

CARD = ProviderCard(
    slug="runpod",
    name="RunPod",
    source_kind="api",
    kind="list_price",
    homepage="https://www.runpod.io/pricing",
    interval_s=HALF_HOUR,
    terms_note=N_("Public GraphQL without a key, by habit rather than by contract."),
)


async def fetch(http: Http, settings: Settings) -> Payload:
    """The price list, then the stock of every listed data centre; a silent data centre only loses its stock."""
    prices = await http.post(_URL, {"query": _LIST}, name="prices")
    parts = [prices]
    for place in _answer(prices).get("dataCenters") or ():
        if place and place.get("listed"):
            try:
                parts.append(
                    await http.post(_URL, {"query": _stock_query(place["id"])}, name=f"stock:{place['id']}")
                )
            except UpstreamFault:
                continue
    return Payload(tuple(parts))


def parse(payload: Payload) -> Parsed:
    """Offers per pod size and tier: in the data centres that have them, else once without a place."""
    prices = payload.part("prices")
    _answer(prices)
    harvest = Harvest("runpod", source="runpod", url=CARD.homepage)
    stock = _stock(harvest, payload.parts)

    def read(row: dict[str, Any]) -> Iterator[ScrapedOffer]:
        yield from _secure(harvest, row, stock)
        yield from _community(harvest, row)
        yield from _committed(harvest, row)
        yield from _clusters(harvest, row)

    rows = rows_at(prices, "data", "gpuTypes")
    named = harvest.sift(rows, lambda row: row.get("id") != "unknown", "the placeholder row")
    harvest.each(named, read, nothing="not offered in any tier")
    return harvest.parsed(payload)


def _stock_query(place: str) -> str:
    wanted = " ".join(
        f'n{size}: lowestPrice(input: {{gpuCount: {size}, secureCloud: true, dataCenterId: "{place}"}}) '
        "{ stockStatus minVcpu minMemory }"
        for size in _SIZES
    )
    return f"query {{ gpuTypes {{ id {wanted} }} }}"


def _answer(part: Part) -> dict[str, Any]:
    """The `data` of a GraphQL answer; GraphQL reports faults with status 200."""
    body = part.json()
    data = body.get("data") if isinstance(body, dict) else None
    if not isinstance(data, dict):
        errors = body.get("errors") if isinstance(body, dict) else None
        raise ShapeDrift(f"{part.name}: no data ({str(errors)[:120]})")
    return data


def _stock(harvest: Harvest, parts: tuple[Part, ...]) -> dict[tuple[str, int], dict[str, dict[str, Any]]]:
    """(accelerator id, size) → data centre → what it has; only what is in stock."""
    found: dict[tuple[str, int], dict[str, dict[str, Any]]] = {}
    for part in parts:
        kind, _, place = part.name.partition(":")
        if kind != "stock":
            continue
        try:
            rows = _answer(part).get("gpuTypes") or ()
        except ShapeDrift:
            continue
        for name, size, has in harvest.unfold(rows, _held):
            found.setdefault((name, size), {})[place] = has
    return found


def _held(row: dict[str, Any]) -> Iterator[tuple[str, int, dict[str, Any]]]:
    for size in _SIZES:
        has = row.get(f"n{size}") or {}
        if has.get("stockStatus") in _STOCK:
            yield str(row["id"]), size, has


def _sizes(row: dict[str, Any], most: str) -> list[int]:
    least, limit = int(row.get("minPodGpuCount") or 1), int(row.get(most) or row.get("maxGpuCount") or 1)
    return sorted({size for size in (*_SIZES, limit) if least <= size <= limit})


def _pod(harvest: Harvest, row: dict[str, Any], size: int, each: Decimal, **fields: Any) -> ScrapedOffer:
    return harvest.offer(
        **{
            "instance_type": f"{size}x {row['displayName']}",
            "accelerator_name": row["displayName"],
            "accelerator_count": size,
            "memory_hint_gb": figure(row.get("memoryInGb")),
            "price_per_hour": each * size,
            "region": "global",
            "purchase_option": "on_demand",
            "max_nodes": 1,
            "price_basis": "accelerator-hour times accelerators",
            **fields,
        }
    )


def _secure(
    harvest: Harvest, row: dict[str, Any], stock: dict[tuple[str, int], dict[str, dict[str, Any]]]
) -> Iterator[ScrapedOffer]:
    each, spot = some(row.get("securePrice")), some(row.get("secureSpotPrice"))
    for size in _sizes(row, "maxGpuCountSecureCloud") if row.get("secureCloud") else ():
        if each is not None:
            yield from _placed(harvest, row, size, each, stock)
        if spot is not None:
            yield _pod(harvest, row, size, spot, tier="secure", purchase_option="spot")


def _placed(
    harvest: Harvest,
    row: dict[str, Any],
    size: int,
    each: Decimal,
    stock: dict[tuple[str, int], dict[str, dict[str, Any]]],
) -> Iterator[ScrapedOffer]:
    """One offer a data centre that has it; none has it: one without a place, out of stock where that was asked."""
    places = stock.get((row["id"], size), {})
    if not places:
        gone = "out" if stock and size in _SIZES else None
        yield _pod(harvest, row, size, each, tier="secure", stock=gone)
    for place, has in places.items():
        found = {"region": place, "stock": _STOCK[has["stockStatus"]]}
        host = {"vcpus": figure(has.get("minVcpu")), "ram_gib": figure(has.get("minMemory"))}
        yield _pod(harvest, row, size, each, tier="secure", **found, **host)


def _community(harvest: Harvest, row: dict[str, Any]) -> Iterator[ScrapedOffer]:
    each, spot = some(row.get("communityPrice")), some(row.get("communitySpotPrice"))
    for size in _sizes(row, "maxGpuCountCommunityCloud") if row.get("communityCloud") else ():
        if each:
            yield _pod(harvest, row, size, each, tier="community")
        if spot:
            yield _pod(harvest, row, size, spot, tier="community", purchase_option="spot")


def _committed(harvest: Harvest, row: dict[str, Any]) -> Iterator[ScrapedOffer]:
    for field, months in _COMMITMENTS:
        each = some(row.get(field))
        if each is None or not row.get("secureCloud"):
            continue
        for size in _sizes(row, "maxGpuCountSecureCloud"):
            term = months * 730.0 if months else _WEEK_HOURS
            fields: dict[str, Any] = {
                "purchase_option": "reserved",
                "term_months": months,
                "minimum_term_hours": term,
            }
            yield _pod(harvest, row, size, each, tier="secure", **fields)


def _clusters(harvest: Harvest, row: dict[str, Any]) -> Iterator[ScrapedOffer]:
    """Instant Clusters: nodes of the largest size, two to eight of them (behaviour N04)."""
    each, size = some(row.get("clusterPrice")), int(row.get("maxGpuCount") or 0)
    if each is None or not size:
        return
    for place in row.get("nodeGroupDatacenters") or ({"id": "global"},):
        name = f"cluster {size}x {row['displayName']}"
        basis = "accelerator-hour times accelerators, sold as 2 to 8 nodes"
        fields = {
            "instance_type": name,
            "tier": "cluster",
            "region": place["id"],
            "max_nodes": 8,
            "price_basis": basis,
        }
        yield _pod(harvest, row, size, each, **fields)
