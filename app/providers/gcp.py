"""Google Cloud without a key: Cyclenerd's computed price file, kept to the zones where a machine type exists.

providers.md A4. The file prices every type in every region that has CPU prices, although the type may not be sold
there (and then lacks the accelerator's share): only the zone list says where it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import yaml

from app.domain.errors import ShapeDrift
from app.domain.offer import Parsed, ScrapedOffer
from app.domain.sentence import N_
from app.domain.units import HOURS_PER_MONTH
from app.providers._reading import Harvest, Refused, decimal_of, figure, some
from app.providers.card import DAY, ProviderCard
from app.providers.port import Http, Part, Payload, Settings

_BASE = "https://raw.githubusercontent.com/Cyclenerd/google-cloud-pricing-cost-calculator/master"
# Key of the accelerator in the file → the name that a person knows and GB of one.
_CARDS = {
    "a100": ("A100 40GB", 40.0), "a100-80gb": ("A100 80GB", 80.0), "h100-80gb": ("H100 80GB", 80.0),
    "h100-80gb-mega": ("H100 80GB Mega", 80.0), "h200-141gb": ("H200", 141.0), "b200": ("B200", 180.0),
    "gb200": ("GB200", 186.0), "l4": ("L4", 24.0), "t4": ("T4", 16.0), "p4": ("P4", 8.0), "p100": ("P100", 16.0),
    "v100": ("V100", 16.0), "rtx6000": ("RTX PRO 6000", 96.0),
}  # fmt: skip
# Sold as spot, by calendar or by reservation only (providers.md 7).
_NOT_ON_DEMAND = re.compile(r"^(a4x?-|a3-ultragpu-|a3-highgpu-[124]g$)")
_TERMS = (("month_1y", 12), ("month_3y", 36))

CARD = ProviderCard(
    slug="gcp",
    name="Google Cloud",
    source_kind="catalog",
    kind="list_price",
    homepage="https://cloud.google.com/compute/vm-instance-pricing",
    interval_s=DAY,
    terms_note=N_(
        "Computed from Google's billing catalog by Cyclenerd (Apache-2.0); no A4 or A3 Ultra prices."
    ),
    licence="Apache-2.0",
)


async def fetch(http: Http, settings: Settings) -> Payload:
    """The price file and the zones of every machine type."""
    prices = await http.get(f"{_BASE}/pricing.yml", name="prices")
    return Payload((prices, await http.get(f"{_BASE}/tools/machinetypezone.csv", name="zones")))


def parse(payload: Payload) -> Parsed:
    """On-demand, spot and committed offers per machine type and region where it exists."""
    harvest = Harvest("gcp", source="gcp", url=CARD.homepage, licence=CARD.licence)
    tree = _tree(payload.part("prices"))
    sold = {(row["NAME"], row["ZONE"].rpartition("-")[0]) for row in _zones(harvest, payload.part("zones"))}
    stamp = (tree.get("about") or {}).get("timestamp")
    as_of = (
        datetime.fromtimestamp(stamp, UTC) if isinstance(stamp, int | float) and 0 < stamp < 2**33 else None
    )
    instances = tree["compute"]["instance"]
    rows = [
        {**machine, "name": name, "region": region, "cost": cost}
        for name, machine in instances.items()
        if set(machine) & set(_CARDS)
        for region, cost in machine["cost"].items()
    ]
    here = harvest.sift(
        rows, lambda row: (row["name"], row["region"]) in sold, "priced in a region that does not sell it"
    )
    harvest.ignore(
        "no accelerator", sum(1 for machine in instances.values() if not set(machine) & set(_CARDS))
    )
    harvest.each(here, lambda row: _offers(harvest, row, as_of), nothing="not sold without a reservation")
    return harvest.parsed(payload)


def _tree(part: Part) -> dict[str, Any]:
    try:
        tree = yaml.load(part.text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.YAMLError as fault:
        raise ShapeDrift(f"{part.name}: no YAML ({type(fault).__name__})") from fault
    if not isinstance(tree, dict) or not isinstance(tree.get("compute"), dict):
        raise ShapeDrift(f"{part.name}: no instances")
    return tree


def _zones(harvest: Harvest, part: Part) -> list[dict[str, str]]:
    rows = Harvest("gcp", source="gcp").csv_rows(part, ("NAME", "ZONE"), delimiter=";")
    if not rows:
        raise ShapeDrift("the list of zones is empty")
    return rows


def _offers(harvest: Harvest, row: dict[str, Any], as_of: datetime | None) -> Iterator[ScrapedOffer]:
    (card,) = set(row) & set(_CARDS)
    name, memory = _CARDS[card]
    common = {
        "instance_type": row["name"],
        "accelerator_name": name,
        "accelerator_count": row[card],
        "memory_hint_gb": memory * min(1.0, float(row[card])),
        "region": row["region"],
        "vcpus": figure(row.get("cpu")),
        "ram_gib": figure(row.get("ram")),
        "local_disk_gb": figure(row.get("local-ssd")),
        "observed_at": as_of,
    }
    if not _NOT_ON_DEMAND.match(row["name"]):
        yield harvest.offer(**common, purchase_option="on_demand", price_per_hour=_whole(row["cost"]["hour"]))
    spot = some(row["cost"].get("hour_spot"))
    if spot is not None:
        yield harvest.offer(**common, purchase_option="spot", price_per_hour=spot)
    for field, months in _TERMS:
        month = some(row["cost"].get(field))
        if month is not None:
            rate = month / Decimal(HOURS_PER_MONTH)
            way = {"term_months": months, "upfront_option": "none", "price_basis": "month over 730 hours"}
            yield harvest.offer(**common, **way, purchase_option="reserved", price_per_hour=rate)


def _whole(price: object) -> Decimal:
    value = decimal_of(price)
    if value is None:
        raise Refused("no price")
    return value
