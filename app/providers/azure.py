"""Microsoft Azure: the Retail Prices API, without a key. Linux prices only.

providers.md 5. Reservation rows say "1 Hour" but are the total of the whole term (behaviour P07).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from app.domain.errors import ShapeDrift
from app.domain.offer import Parsed, ScrapedOffer
from app.domain.sentence import N_
from app.providers._azure_sizes import accelerators_of
from app.providers._reading import Harvest, Refused, decimal_of, rows_at, some
from app.providers.card import ProviderCard
from app.providers.port import Http, Part, Payload, Settings

_HOST = "https://prices.azure.com/"
_URL = f"{_HOST}api/retail/prices"
_SERIES = ("Standard_NC", "Standard_ND", "Standard_NG", "Standard_NV")
_MOST_PAGES = 400
_OTHER_PRODUCTS = (
    (re.compile(r" Windows$"), "Windows price"),
    (re.compile(r"Cloud ?Services"), "Cloud Services, not a machine"),
    (re.compile(r"Dedicated"), "dedicated host"),
)
_TERMS = {"1 Year": 12, "3 Years": 36, "5 Years": 60}

CARD = ProviderCard(
    slug="azure",
    name="Microsoft Azure",
    source_kind="api",
    kind="list_price",
    homepage="https://azure.microsoft.com/pricing/details/virtual-machines/linux/",
    terms_note=N_("Public price API, documented for anyone; list prices, no stock."),
)


async def fetch(http: Http, settings: Settings) -> Payload:
    """Every page of the four accelerated series."""
    parts: list[Part] = []
    for series in _SERIES:
        wanted = f"serviceName eq 'Virtual Machines' and contains(armSkuName, '{series}')"
        query = {"api-version": "2023-01-01-preview", "currencyCode": "USD", "$filter": wanted}
        part = await http.get(_URL, name=f"{series} 1", params=query)
        parts.append(part)
        while following := part.json().get("NextPageLink"):
            if not str(following).startswith(_HOST) or len(parts) > _MOST_PAGES:
                raise ShapeDrift(f"next page at an unexpected place: {str(following)[:80]}")
            part = await http.get(following, name=f"{series} {len(parts) + 1}")
            parts.append(part)
    return Payload(tuple(parts))


def parse(payload: Payload) -> Parsed:
    """Pay as you go, spot, low priority (a tier of spot), reservations (totals) and savings plans."""
    harvest = Harvest("azure", source="azure", url=CARD.homepage)

    def read(row: dict[str, Any]) -> Iterator[ScrapedOffer]:
        yield from _offers(harvest, row)

    rows = [row for part in payload.parts for row in rows_at(part, "Items")]
    worth = harvest.unfold(rows, lambda row: _ranked(harvest, row))
    harvest.each(_newest(harvest, worth), read, nothing="no price")
    return harvest.parsed(payload)


_Ranked = tuple[tuple[str, ...], tuple[str, bool], dict[str, Any]]
"""What a row prices, how it ranks among others of the same (newest, then of the primary meter), and the row."""


def _ranked(harvest: Harvest, row: dict[str, Any]) -> Iterator[_Ranked]:
    if reason := _beside_the_point(row):
        harvest.ignore(reason)
        return
    names = ("armSkuName", "armRegionName", "type", "reservationTerm", "currencyCode")
    rank = (str(row.get("effectiveStartDate")), bool(row.get("isPrimaryMeterRegion")))
    yield (*(str(row.get(name)) for name in names), _market(row)), rank, row


def _newest(harvest: Harvest, rows: list[_Ranked]) -> list[dict[str, Any]]:
    """One row of everything that is priced; the best-ranked stands."""
    best: dict[tuple[str, ...], tuple[tuple[str, bool], dict[str, Any]]] = {}
    for key, rank, row in rows:
        if key in best:
            harvest.ignore("an older price of the same thing")
        if key not in best or rank > best[key][0]:
            best[key] = (rank, row)
    return [row for _, row in best.values()]


def _beside_the_point(row: dict[str, Any]) -> str | None:
    product = str(row.get("productName"))
    for pattern, reason in _OTHER_PRODUCTS:
        if pattern.search(product):
            return reason
    if row.get("type") == "DevTestConsumption":
        return "developer discount"
    return None if row.get("armSkuName") and row.get("armRegionName") else "no size or no region"


def _market(row: dict[str, Any]) -> str:
    text = f"{row.get('skuName')} {row.get('meterName')}"
    return "low_priority" if "Low Priority" in text else "spot" if "Spot" in text else "standard"


def _offers(harvest: Harvest, row: dict[str, Any]) -> Iterator[ScrapedOffer]:
    if row["unitOfMeasure"] != "1 Hour":
        raise Refused("a unit other than the hour")
    common, price, market = _common(row), decimal_of(row["retailPrice"]), _market(row)
    if row["type"] == "Reservation":
        term = _TERMS[row["reservationTerm"]]
        fields = {"upfront": price, "upfront_option": "all", "price_basis": "total of the whole term"}
        yield harvest.offer(
            **common, **fields, purchase_option="reserved", term_months=term, price_per_hour=None
        )
        return
    if row["type"] != "Consumption":
        raise Refused("an unknown kind of price")
    option = "on_demand" if market == "standard" else "spot"
    tier = "low_priority" if market == "low_priority" else None
    yield harvest.offer(**common, purchase_option=option, tier=tier, price_per_hour=price)
    for plan in row.get("savingsPlan") or () if market == "standard" else ():
        rate = some(plan.get("retailPrice"))
        if rate is not None:
            term = _TERMS[plan["term"]]
            yield harvest.offer(
                **common, purchase_option="savings_plan", term_months=term, price_per_hour=rate
            )


def _common(row: dict[str, Any]) -> dict[str, Any]:
    has = accelerators_of(row["armSkuName"])
    if has is None:
        raise Refused("a size we do not know")
    name, count, card_gb = has
    return {
        "instance_type": row["armSkuName"],
        "accelerator_name": name,
        "accelerator_count": count,
        "memory_hint_gb": card_gb if card_gb is None or count >= 1 else card_gb * count,
        "region": row["armRegionName"],
        "currency": row["currencyCode"],
    }
