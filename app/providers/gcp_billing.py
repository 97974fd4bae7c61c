"""Google Cloud's billing catalog, with a free API key: accelerators whose price is all-in, A4 and A4X.

providers.md 7. Every other accelerator SKU is a part of a machine (behaviour P15) and no offer by itself; whole A2, A3,
G2 and G4 machines come from the published price file. On-demand A4 cannot be had and is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import orjson

from app.domain.offer import Parsed, ScrapedOffer
from app.domain.sentence import N_
from app.providers._reading import Harvest, Refused, rows_at
from app.providers.card import DAY, ProviderCard
from app.providers.port import Http, Part, Payload, Settings, required

_URL = "https://cloudbilling.googleapis.com/v1/services/6F81-5844-456A/skus"
_ALL_IN = re.compile(r"\b(A4X?)\b.*\bNvidia (G?B\d00) \(1 gpu slice\)(.*)", re.IGNORECASE)
# Machine type and accelerators of the one size in which a family is sold.
_MACHINES = {"A4": ("a4-highgpu-8g", 8, 224, 3968), "A4X": ("a4x-highgpu-4g", 4, 140, 884)}
_TERMS = {"Commit1Yr": 12, "Commit3Yr": 36}

CARD = ProviderCard(
    slug="gcp_billing",
    name="Google Cloud billing catalog",
    source_kind="api",
    kind="list_price",
    homepage="https://cloud.google.com/skus",
    needs_key="GCP_API_KEY",
    interval_s=DAY,
    terms_note=N_("Needs an API key of any project; free."),
    covers=("gcp",),
)


async def fetch(http: Http, settings: Settings) -> Payload:
    """Every page; only SKUs that speak of an accelerator are kept."""
    headers = {"X-Goog-Api-Key": required(settings, "GCP_API_KEY")}
    parts: list[Part] = []
    token = ""
    while len(parts) < 50:
        query: dict[str, str | int] = {"pageSize": 5000, **({"pageToken": token} if token else {})}
        page = await http.get(_URL, name=f"page {len(parts) + 1}", params=query, headers=headers)
        kept = [sku for sku in rows_at(page, "skus") if sku["category"].get("resourceGroup") == "GPU"]
        parts.append(Part(page.name, _URL, orjson.dumps({"skus": kept}).decode()))
        token = page.json().get("nextPageToken") or ""
        if not token:
            break
    return Payload(tuple(parts))


def parse(payload: Payload) -> Parsed:
    """Spot, calendar and committed offers of whole machines, per region."""
    harvest = Harvest("gcp_billing", source="gcp_billing", url=CARD.homepage)
    rows = [row for part in payload.parts for row in rows_at(part, "skus")]
    whole = harvest.sift(
        rows, lambda row: _ALL_IN.search(row["description"]), "a part of a machine, not an instance"
    )
    harvest.each(whole, lambda row: _offers(harvest, row), nothing="not sold on demand, or nowhere priced")
    return harvest.parsed(payload)


def _offers(harvest: Harvest, row: dict[str, Any]) -> Iterator[ScrapedOffer]:
    match = _ALL_IN.search(row["description"])
    option, months = _market(row["description"], row["category"]["usageType"])
    if match is None or option is None or not row["pricingInfo"]:
        return
    machine, count, vcpus, ram = _MACHINES[match.group(1).upper()]
    each = _hourly(row["pricingInfo"][0]["pricingExpression"])
    for region in row["serviceRegions"]:
        yield harvest.offer(
            provider="gcp",
            instance_type=machine,
            accelerator_name=match.group(2).upper(),
            accelerator_count=count,
            region=region,
            purchase_option=option,
            term_months=months,
            upfront_option="none" if months else None,
            price_per_hour=each * count,
            vcpus=vcpus,
            ram_gib=ram,
            minimum_term_hours=24.0 if option == "block" else None,
            price_basis="all-in accelerator-hour times accelerators",
        )


def _market(description: str, usage: str) -> tuple[str | None, int | None]:
    """Purchase option and term; (None, None) for on demand, which these machines are not sold as."""
    if "DWS Calendar" in description:
        return "block", None
    if usage == "Preemptible" or "Spot" in description:
        return "spot", None
    return ("reserved", _TERMS[usage]) if usage in _TERMS else (None, None)


def _hourly(expression: dict[str, Any]) -> Decimal:
    """USD per hour: `units` whole and `nanos` billionths, of the last tier."""
    price = expression["tieredRates"][-1]["unitPrice"]
    if expression["usageUnit"] != "h" or price["currencyCode"] != "USD":
        raise Refused("a unit other than dollars and hours")
    return Decimal(price["units"]) + Decimal(int(price["nanos"])) / 10**9
