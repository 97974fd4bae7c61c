"""OpenComputePrices: an open collector's files (MIT), for clouds that have no interface of their own here.

Its own `gpu_memory_gb` is at times a dictionary in text and is then left open. Only the newest day of a file counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from functools import partial
from typing import Any

from app.domain.offer import Parsed, ScrapedOffer
from app.domain.sentence import N_
from app.providers._reading import Harvest, Refused, decimal_of
from app.providers._several import every_part, every_table
from app.providers.card import DAY, ProviderCard
from app.providers.port import Http, Part, Payload, Settings

_BASE = "https://raw.githubusercontent.com/thatkavish/OpenComputePrices/main/data"
_FILES = (
    "aethir", "coreweave", "crusoe", "denvr", "e2e", "gmicloud", "jarvislabs", "latitude", "lightningai",
    "massedcompute", "paperspace", "tensordock", "voltagepark",
)  # fmt: skip
_SLUGS = {"vastai": "vast", "do": "digitalocean", "oracle": "oci", "lambdalabs": "lambda", "ovhcloud": "ovh"}
_NEEDED = (
    "snapshot_ts",
    "provider",
    "instance_type",
    "gpu_name",
    "gpu_count",
    "pricing_type",
    "price_per_hour",
)
_OPTIONS = {"on_demand": "on_demand", "spot": "spot", "preemptible": "spot", "reserved": "reserved"}

CARD = ProviderCard(
    slug="opencomputeprices",
    name="OpenComputePrices",
    source_kind="aggregator",
    kind="aggregator",
    homepage="https://github.com/thatkavish/OpenComputePrices",
    interval_s=DAY,
    terms_note=N_("Collected from price pages by an open project; attribution kept."),
    licence="MIT",
    covers=_FILES,
)


async def fetch(http: Http, settings: Settings) -> Payload:
    """One file a cloud."""
    return await every_part((name, partial(http.get, f"{_BASE}/{name}.csv", name=name)) for name in _FILES)


def parse(payload: Payload) -> Parsed:
    """Offers of every file that can be read."""
    harvest = Harvest("opencomputeprices", source="opencomputeprices", licence=CARD.licence)
    for part, rows in every_table(harvest, payload, _NEEDED, lambda part: part.name):
        _read_file(harvest, part, rows)
    return harvest.parsed(payload)


def _read_file(harvest: Harvest, part: Part, rows: list[dict[str, str]]) -> None:
    newest = max((row["snapshot_ts"][:10] for row in rows), default="")
    current = harvest.sift(rows, lambda row: row["snapshot_ts"][:10] == newest, "an older day")
    gpu = harvest.sift(
        current, lambda row: row["gpu_name"] and row["gpu_count"] not in ("", "0"), "no accelerator"
    )
    whole = harvest.sift(gpu, lambda row: row["instance_type"], "an accelerator priced without its host")
    harvest.each(whole, lambda row: _offers(harvest, part, row), nothing="no price")


def _offers(harvest: Harvest, part: Part, row: dict[str, str]) -> Iterator[ScrapedOffer]:
    if row.get("price_unit") not in ("hour", "", None):
        raise Refused("a unit other than the hour")
    yield harvest.offer(
        **_described(row),
        region=row.get("region") or "global",
        zone=row.get("zone") or None,
        country=row.get("country") or None,
        price_per_hour=decimal_of(row["price_per_hour"]),
        currency=row.get("currency") or "USD",
        observed_at=datetime.fromisoformat(row["snapshot_ts"]),
        source_url=part.url,
    )


def _described(row: dict[str, str]) -> dict[str, Any]:
    option = _OPTIONS.get(row["pricing_type"])
    if option is None:
        raise Refused("an unknown kind of price")
    years = re.match(r"(\d+) ?y", row.get("commitment_period") or "")
    if option == "reserved" and years is None:
        raise Refused("a reservation without a term")
    return {
        "provider": _SLUGS.get(row["provider"], row["provider"]),
        "instance_type": row["instance_type"],
        "accelerator_name": " ".join(word for word in (row["gpu_name"], row.get("gpu_variant")) if word),
        "accelerator_count": float(row["gpu_count"]),
        "memory_hint_gb": _plain(row.get("gpu_memory_gb")),
        "purchase_option": option,
        "term_months": int(years.group(1)) * 12 if years and option == "reserved" else None,
        "vcpus": _plain(row.get("vcpus")),
        "ram_gib": _plain(row.get("ram_gb")),
    }


def _plain(text: str | None) -> float | None:
    """A positive number, or None for anything else that stands in the cell."""
    return float(text) if text and re.fullmatch(r"\d+(\.\d+)?", text) and float(text) > 0 else None
