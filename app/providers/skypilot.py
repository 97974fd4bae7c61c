"""SkyPilot catalog: one CSV a cloud, some twenty clouds. A list price, never a sign of stock.

providers.md A1. GCP rows price the accelerator without its host and are left to other sources.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from functools import partial

import msgspec

from app.domain.errors import Unreachable, UpstreamFault
from app.domain.offer import Parsed, ScrapedOffer
from app.domain.sentence import N_
from app.providers._reading import Harvest, Refused, decimal_of, figure, rows_at, some
from app.providers._several import every_part, every_table
from app.providers.card import ProviderCard
from app.providers.port import Http, Part, Payload, Settings

# Folder in the catalog → our slug, and the schema versions that are known to hold it, newest first.
_CLOUDS: dict[str, tuple[str, tuple[str, ...]]] = {
    "aws": ("aws", ("v8", "v7")),
    "azure": ("azure", ("v8", "v6", "v5")),
    "gcp": ("gcp", ("v8", "v7")),
    "oci": ("oci", ("v8", "v7")),
    "lambda": ("lambda", ("v8", "v7")),
    "runpod": ("runpod", ("v8", "v7")),
    "vast": ("vast", ("v8", "v7")),
    "nebius": ("nebius", ("v8", "v7")),
    "verda": ("verda", ("v8",)),
    "hyperstack": ("hyperstack", ("v8", "v7")),
    "cudo": ("cudo", ("v8", "v7", "v6")),
    "jarvislabs": ("jarvislabs", ("v8",)),
    "hyperbolic": ("hyperbolic", ("v8", "v7")),
    "lium": ("lium", ("v8",)),
    "mithril": ("mithril", ("v8",)),
    "seeweb": ("seeweb", ("v8", "v7")),
    "spheron": ("spheron", ("v8",)),
    "yotta": ("yotta", ("v8",)),
    "paperspace": ("paperspace", ("v6", "v5")),
    "do": ("digitalocean", ("v8", "v6", "v5")),
    "ibm": ("ibm", ("v6", "v5")),
    "scaleway": ("scaleway", ("v6", "v5")),
    "ovhcloud": ("ovh", ("v6", "v5")),
}
_MIRROR = "https://skypilot-catalog.s3.us-east-1.amazonaws.com"
_REPOSITORY = "https://raw.githubusercontent.com/skypilot-org/skypilot-catalog/master"
_COMMITS = "https://api.github.com/repos/skypilot-org/skypilot-catalog/commits"
_NEEDED = ("InstanceType", "AcceleratorName", "AcceleratorCount", "Price", "Region")
FOLDERS = frozenset(_CLOUDS)
"""Clouds as the catalog spells them: the names of the parts that `parse` understands."""
# Marketplaces that are asked themselves: the file holds medians of what they say. Read, but not fetched.
_ASKED_DIRECTLY = frozenset({"runpod", "vast"})
# Clouds whose on-demand price is regional although the file repeats it per zone.
_REGIONAL = frozenset({"aws", "azure", "gcp", "oci"})
# A cloud whose file held the floor of a bid in both columns of prices (behaviour P04).
_AUCTIONS = frozenset({"mithril"})
_PLACE = re.compile(r"(?:^|, ?)([A-Z]{2})(?:, ?[A-Z]{2})?$")

CARD = ProviderCard(
    slug="skypilot",
    name="SkyPilot catalog",
    source_kind="catalog",
    kind="aggregator",
    homepage="https://github.com/skypilot-org/skypilot-catalog",
    terms_note=N_(
        "Apache-2.0. Refreshed upstream about every seven hours; a row is a list price, not stock."
    ),
    licence="Apache-2.0",
    covers=tuple(slug for slug, _ in _CLOUDS.values() if slug not in _ASKED_DIRECTLY),
)


async def fetch(http: Http, settings: Settings) -> Payload:
    """One file a cloud: the mirror first, because it says how old a file is."""
    wanted = {folder: entry for folder, entry in _CLOUDS.items() if entry[0] not in _ASKED_DIRECTLY}
    return await every_part(
        (slug, partial(_newest, http, folder, schemas)) for folder, (slug, schemas) in wanted.items()
    )


async def _newest(http: Http, folder: str, schemas: tuple[str, ...]) -> Part:
    """The file under the newest schema that holds it."""
    refused: Unreachable | None = None
    for schema, base in ((schema, base) for schema in schemas for base in (_MIRROR, _REPOSITORY)):
        path = f"catalogs/{schema}/{folder}/vms.csv"
        try:
            part = await http.get(f"{base}/{path}", name=folder)
        except Unreachable as fault:
            refused = fault
        else:
            return part if part.as_of else msgspec.structs.replace(part, as_of=await _committed(http, path))
    raise refused or Unreachable(f"{folder}: no schema to ask for")


async def _committed(http: Http, path: str) -> datetime | None:
    """When the file last changed in the repository, which does not say so itself."""
    try:
        commits = await http.get(_COMMITS, name="commits", params={"path": path, "per_page": 1})
        return datetime.fromisoformat(rows_at(commits)[0]["commit"]["committer"]["date"])
    except (UpstreamFault, LookupError, TypeError, ValueError):
        return None


def parse(payload: Payload) -> Parsed:
    """Offers of every cloud; one with a broken or empty file is named in `unanswered`."""
    harvest = Harvest("skypilot", source="skypilot", licence=CARD.licence)
    for part, rows in every_table(harvest, payload, _NEEDED, lambda part: _CLOUDS[part.name][0]):
        _read_cloud(harvest, _CLOUDS[part.name][0], part, rows)
    return harvest.parsed(payload)


def _read_cloud(harvest: Harvest, slug: str, part: Part, rows: list[dict[str, str]]) -> None:
    with_accelerator = harvest.sift(rows, lambda row: row["AcceleratorName"], "no accelerator")
    whole = harvest.sift(
        with_accelerator, lambda row: row["InstanceType"], "an accelerator priced without its host"
    )

    def read(row: dict[str, str]) -> Iterator[ScrapedOffer]:
        common = _common(slug, part, row)
        zone = row.get("AvailabilityZone") or None
        price, spot = _listed(row["Price"]), some(row.get("SpotPrice"))
        if slug in _AUCTIONS and price == spot:
            raise Refused("one figure for on demand and spot: a floor of bids")
        yield harvest.offer(
            **common,
            zone=None if slug in _REGIONAL else zone,
            purchase_option="on_demand",
            price_per_hour=price,
        )
        if spot is not None:
            yield harvest.offer(**common, zone=zone, purchase_option="spot", price_per_hour=spot)

    harvest.each(whole, read, nothing="no price")


def _listed(text: str) -> Decimal | None:
    """Zero and blank both stand for "unknown" in this catalog (behaviour P06)."""
    price = decimal_of(text)
    return None if price == 0 else price


def _common(slug: str, part: Part, row: dict[str, str]) -> dict[str, object]:
    count = float(row["AcceleratorCount"])
    place = _PLACE.search(row["Region"])
    tier = re.search(r"_(SECURE|COMMUNITY)$", row["InstanceType"]) if slug == "runpod" else None
    return {
        "provider": slug,
        "instance_type": row["InstanceType"],
        "accelerator_name": row["AcceleratorName"],
        "accelerator_count": count,
        "region": row["Region"].strip(", "),
        "country": place.group(1) if place and slug in ("vast", "runpod", "lium") else None,
        "tier": tier.group(1).lower() if tier else None,
        "memory_hint_gb": _memory_of_one(row.get("GpuInfo") or "", count),
        "vcpus": figure(row.get("vCPUs")),
        # RunPod's host memory is a copy of its accelerator memory in this file (behaviour G15).
        "ram_gib": None if slug == "runpod" else figure(row.get("MemoryGiB")),
        "price_basis": "median of offers, instance-hour" if slug == "vast" else "instance-hour",
        "observed_at": part.as_of,
        "source_url": part.url,
    }


def _memory_of_one(text: str, count: float) -> float | None:
    """GB per accelerator from the Python-dict text; None where total and size leave it open which is which."""
    if not text.startswith("{") or len(text) > 2000:
        return None
    try:
        info = ast.literal_eval(text)
        size = float(info["Gpus"][0]["MemoryInfo"]["SizeInMiB"])
        total = float(info.get("TotalGpuMemoryInMiB") or 0)
    except (ValueError, SyntaxError, KeyError, IndexError, TypeError):
        return None
    return size / 1024 if size > 0 and (count <= 1 or abs(total - size * count) < 1) else None
