"""gpuhunt (dstack): a published catalog of several clouds, as archives without a key. A second opinion.

providers.md A2. RunPod is left to its own source, which says more.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from typing import Any

import orjson

from app.domain.errors import ShapeDrift
from app.domain.offer import Parsed, ScrapedOffer
from app.domain.sentence import N_
from app.providers._reading import Harvest, decimal_of, figure
from app.providers._several import every_part, every_table
from app.providers.card import ProviderCard
from app.providers.port import Http, Part, Payload, Settings

_BASE = "https://dstack-gpu-pricing.s3.eu-west-1.amazonaws.com/v3"
_CLOUDS = {
    "aws": "aws", "azure": "azure", "gcp": "gcp", "lambdalabs": "lambda", "nebius": "nebius", "oci": "oci",
    "verda": "verda", "cloudrift": "cloudrift",
}  # fmt: skip
_NEEDED = ("instance_name", "location", "price", "gpu_count", "gpu_name", "spot")
_MOST_BYTES = 200 * 2**20

CARD = ProviderCard(
    slug="gpuhunt",
    name="gpuhunt catalog",
    source_kind="catalog",
    kind="aggregator",
    homepage="https://github.com/dstackai/gpuhunt",
    terms_note=N_(
        "Published hourly. The code is MPL-2.0, a licence of the data is not stated: facts with attribution."
    ),
    licence="not stated",
    covers=tuple(_CLOUDS.values()),
)


async def fetch(http: Http, settings: Settings) -> Payload:
    """One archive a cloud."""
    return await every_part((slug, partial(_archive, http, folder)) for folder, slug in _CLOUDS.items())


async def _archive(http: Http, folder: str) -> Part:
    """The newest archive; its version (`20261130-412`) says of which day it is."""
    version = re.match(
        r"(\d{8})-", (await http.get(f"{_BASE}/{folder}/version", name=f"{folder} version")).text
    )
    day = datetime.strptime(version.group(1), "%Y%m%d").replace(tzinfo=UTC) if version else None
    address = f"{_BASE}/{folder}/latest/catalog.zip"
    return Part(folder, address, _unpacked(await http.get_bytes(address), f"{folder}.csv"), day)


def _unpacked(archive: bytes, member: str) -> str:
    try:
        with zipfile.ZipFile(io.BytesIO(archive)) as box:
            if box.getinfo(member).file_size > _MOST_BYTES:
                raise ShapeDrift(f"{member}: larger than any catalog")
            return box.read(member).decode()
    except (zipfile.BadZipFile, KeyError, UnicodeDecodeError, NotImplementedError, EOFError) as fault:
        raise ShapeDrift(f"{member}: no archive with that file ({fault})") from fault


def parse(payload: Payload) -> Parsed:
    """Offers of every cloud whose file can be read."""
    harvest = Harvest("gpuhunt", source="gpuhunt", licence=CARD.licence)
    for part, rows in every_table(harvest, payload, _NEEDED, lambda part: _CLOUDS[part.name]):
        _read_cloud(harvest, _CLOUDS[part.name], part, rows)
    return harvest.parsed(payload)


def _read_cloud(harvest: Harvest, slug: str, part: Part, rows: list[dict[str, str]]) -> None:
    gpu = harvest.sift(
        rows, lambda row: row["gpu_name"] and row["gpu_count"] not in ("", "0"), "no accelerator"
    )
    once = harvest.sift(
        gpu,
        lambda row: "gcp-g4-preview" not in (row.get("flags") or ""),
        "the same machine under its preview flag",
    )

    def read(row: dict[str, str]) -> Iterator[ScrapedOffer]:
        flags = (row.get("flags") or "").split()
        calendar = "gcp-dws-calendar-mode" in flags
        spot = {"True": "spot", "False": "on_demand"}[row["spot"]]
        yield harvest.offer(
            **_common(slug, row),
            purchase_option="block" if calendar else spot,
            price_per_hour=decimal_of(row["price"]),
            minimum_term_hours=24.0 if calendar else None,
            source_url=part.url,
            observed_at=part.as_of,
        )

    harvest.each(once, read, nothing="no price")


def _common(slug: str, row: dict[str, str]) -> dict[str, Any]:
    try:
        more = orjson.loads(row.get("provider_data") or "{}")
    except orjson.JSONDecodeError:
        more = {}
    fabrics = more.get("fabrics") if isinstance(more, dict) else None
    return {
        "provider": slug,
        # Nebius writes "platform preset"; its own API and our topology write "platform/preset".
        "instance_type": row["instance_name"].replace(" ", "/") if slug == "nebius" else row["instance_name"],
        "accelerator_name": row["gpu_name"],
        "accelerator_count": float(row["gpu_count"]),
        "memory_hint_gb": figure(row.get("gpu_memory")),
        "region": row["location"] or "global",
        "vcpus": figure(row.get("cpu")),
        "ram_gib": figure(row.get("memory")),
        "local_disk_gb": figure(row.get("disk_size")),
        "fabric": "infiniband" if slug == "nebius" and fabrics and row["gpu_count"] == "8" else None,
    }
