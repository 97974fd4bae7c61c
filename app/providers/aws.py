"""AWS EC2: the bulk price list, without a key. Linux, shared tenancy. Spot prices are a source of their own.

providers.md 4. The bulk files hold hundreds of megabytes a region: they are read line by line and only the lines of
accelerated families are kept. A region that fails leaves the others (behaviour F06).
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from app.domain.errors import ShapeDrift
from app.domain.offer import Parsed, ScrapedOffer
from app.domain.sentence import N_
from app.providers._aws_families import MENTIONED, accelerators_of
from app.providers._reading import Harvest, Refused, decimal_of, figure
from app.providers._several import every_part
from app.providers.card import DAY, HOUR, ProviderCard
from app.providers.port import Http, Part, Payload, Settings

_BULK = "https://pricing.us-east-1.amazonaws.com"
_INDEX = f"{_BULK}/offers/v1.0/aws/AmazonEC2/current/region_index.json"
_KEPT = (
    "SKU", "TermType", "PriceDescription", "Unit", "PricePerUnit", "Currency", "LeaseContractLength", "PurchaseOption",
    "OfferingClass", "Instance Type", "vCPU", "Memory", "Storage", "CapacityStatus", "MarketOption",
)  # fmt: skip
_NEEDED = {"TermType", "Unit", "PricePerUnit", "Currency", "Instance Type", "Operating System", "Tenancy"}
_LINUX_SHARED = {"Operating System": "Linux", "Tenancy": "Shared", "Pre Installed S/W": "NA"}
_TERMS = {"1yr": 12, "1 yr": 12, "3yr": 36, "3 yr": 36}
_UPFRONT = {"No Upfront": "none", "Partial Upfront": "partial", "All Upfront": "all"}

CARD = ProviderCard(
    slug="aws",
    name="Amazon Web Services",
    source_kind="api",
    kind="list_price",
    homepage="https://aws.amazon.com/ec2/pricing/",
    interval_s=DAY,
    longest_s=3 * HOUR,
    terms_note=N_("Public price files; read once a day because of their size. Capacity is not published."),
)


async def fetch(http: Http, settings: Settings) -> Payload:
    """Every region's accelerated lines."""
    regions: dict[str, Any] = (await http.get(_INDEX, name="index")).json()["regions"]
    return await every_part(
        (region, partial(_region, http, region, entry)) for region, entry in regions.items()
    )


async def _region(http: Http, region: str, entry: dict[str, Any]) -> Part:
    address = _BULK + entry["currentVersionUrl"].removesuffix(".json") + ".csv"
    return Part(f"region:{region}", address, await _accelerated_lines(http, address))


async def _accelerated_lines(http: Http, address: str) -> str:
    """The Linux lines of accelerated families with the columns that matter; a few hundred kilobytes a region."""
    kept, header = io.StringIO(), list[str]()
    writer = csv.DictWriter(kept, _KEPT, extrasaction="ignore", restval="", lineterminator="\n")
    writer.writeheader()
    async for line in http.lines(address):
        if not header and line.startswith('"SKU"'):
            header = next(csv.reader([line]))
            if _NEEDED - set(header):
                raise ShapeDrift(f"{address}: no column {', '.join(sorted(_NEEDED - set(header)))}")
        elif header and MENTIONED.search(line):
            row = dict(zip(header, next(csv.reader([line])), strict=False))
            if all(row.get(column) == value for column, value in _LINUX_SHARED.items()):
                writer.writerow(row)
    if not header:
        raise ShapeDrift(f"{address}: no header line")
    return kept.getvalue()


def parse(payload: Payload) -> Parsed:
    """On-demand, reserved and block offers per region."""
    harvest = Harvest("aws", source="aws", url=CARD.homepage)
    for part in payload.parts:
        region = part.name.removeprefix("region:")
        rows = harvest.csv_rows(part, _NEEDED - set(_LINUX_SHARED))
        if not rows:
            harvest.ignore("a region without accelerated lines")
        _list_prices(harvest, region, rows)
    return harvest.parsed(payload)


def _list_prices(harvest: Harvest, region: str, rows: list[dict[str, str]]) -> None:
    used = harvest.sift(
        rows, lambda row: row["CapacityStatus"] in ("Used", ""), "a price of reserved or idle capacity"
    )
    listed = [row for row in used if row["TermType"] == "OnDemand"]
    reserved = [row for row in used if row["TermType"] == "Reserved"]
    harvest.ignore("neither on demand nor reserved", len(used) - len(listed) - len(reserved))
    harvest.each(listed, lambda row: _listed(harvest, region, row), nothing="no price")
    contracts: dict[tuple[str, ...], list[dict[str, str]]] = {}
    for row in reserved:
        key = ("Instance Type", "LeaseContractLength", "PurchaseOption", "OfferingClass", "Currency")
        contracts.setdefault(tuple(row[name] for name in key), []).append(row)
    harvest.ignore("second line of a reservation", len(reserved) - len(contracts))
    harvest.each(contracts.values(), lambda lines: _reserved(harvest, region, lines), nothing="no price")


def _listed(harvest: Harvest, region: str, row: dict[str, str]) -> Iterator[ScrapedOffer]:
    if row["Unit"] != "Hrs":
        raise Refused("a unit other than the hour")
    block = "capacity block" in row["PriceDescription"].lower() or row["MarketOption"] == "CapacityBlock"
    if "reservation" in row["PriceDescription"].lower() and not block:
        return
    option = "block" if block else "on_demand"
    hours = 24.0 if block else None
    price = decimal_of(row["PricePerUnit"])
    yield _offer(harvest, region, row, purchase_option=option, price_per_hour=price, minimum_term_hours=hours)


def _reserved(harvest: Harvest, region: str, lines: list[dict[str, str]]) -> Iterator[ScrapedOffer]:
    """One offer of an hourly and an upfront line (behaviour P09, P10)."""
    hourly = {decimal_of(line["PricePerUnit"]) for line in lines if line["Unit"] == "Hrs"}
    upfront = {decimal_of(line["PricePerUnit"]) for line in lines if line["Unit"] == "Quantity"}
    if len(hourly) > 1 or len(upfront) > 1:
        raise Refused("a reservation at two prices")
    line = lines[0]
    way = _UPFRONT[line["PurchaseOption"]]
    paid, rate = (upfront.pop() if upfront else None), (hourly.pop() if hourly else None)
    if (way != "none" and not paid) or (way != "all" and not rate):
        raise Refused("half of a reservation is missing")
    yield _offer(
        harvest,
        region,
        line,
        purchase_option="reserved",
        term_months=_TERMS[line["LeaseContractLength"]],
        upfront_option=way,
        upfront=paid or None,
        price_per_hour=rate or None,
        tier="convertible" if line["OfferingClass"] == "convertible" else None,
        price_basis="instance-hour and upfront payment of the whole term" if paid else "instance-hour",
    )


def _offer(harvest: Harvest, region: str, row: dict[str, str], **fields: Any) -> ScrapedOffer:
    return harvest.offer(
        **_accelerators(row["Instance Type"]),
        **_specs(row),
        region=region,
        currency=row["Currency"],
        **fields,
    )


def _accelerators(instance_type: str) -> dict[str, Any]:
    has = accelerators_of(instance_type)
    if has is None:
        raise Refused("a size we do not know")
    name, count, card_gb = has
    return {
        "instance_type": instance_type,
        "accelerator_name": name,
        "accelerator_count": count,
        "memory_hint_gb": card_gb * min(1.0, count),
    }


def _specs(row: dict[str, str]) -> dict[str, Any]:
    drives = re.match(r"(?:(\d+) x )?([\d,.]+)", row["Storage"] or "")
    disk = figure(drives.group(2)) if drives else None
    return {
        "vcpus": figure(row["vCPU"]),
        "ram_gib": figure(row["Memory"].removesuffix(" GiB")) if row["Memory"] else None,
        "local_disk_gb": disk * int(drives.group(1) or 1) if drives and disk else None,
    }
