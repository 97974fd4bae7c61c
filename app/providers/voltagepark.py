"""Voltage Park: bare metal by location and network without a key; with one, also the presets of virtual machines.

providers.md 27. Bare metal is priced per accelerator and network, Ethernet or InfiniBand; presets per instance. The
counts beside the prices are stock and gate no price. Answers come in pages that say whether more follow.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from app.domain.errors import ShapeDrift
from app.domain.offer import Parsed, ScrapedOffer
from app.domain.sentence import N_
from app.providers._reading import Harvest, Refused, figure, rows_at, some
from app.providers.card import HALF_HOUR, ProviderCard
from app.providers.port import Http, Part, Payload, Settings

_URL = "https://cloud-api.voltagepark.com/api/v1"
_NETWORKS = ("ethernet", "infiniband")
_KEY = "VOLTAGE_PARK_API_KEY"

CARD = ProviderCard(
    slug="voltagepark",
    name="Voltage Park",
    source_kind="api",
    kind="list_price",
    homepage="https://www.voltagepark.com/pricing",
    other_variables=(_KEY,),
    interval_s=HALF_HOUR,
    terms_note=N_("Bare metal without a key, by habit rather than by contract; virtual machines with a key."),
)


async def fetch(http: Http, settings: Settings) -> Payload:
    """Locations of bare metal; with a key, those of virtual machines too."""
    key = settings.get(_KEY, "").strip()
    headers = {"Authorization": f"Bearer {key}"} if key else None
    parts = [await http.get(f"{_URL}/bare-metal/locations", name="metal", headers=headers)]
    if key:
        parts.append(
            await http.get(f"{_URL}/virtual-machines/instant/locations", name="machines", headers=headers)
        )
    return Payload(tuple(parts))


def parse(payload: Payload) -> Parsed:
    """A node of bare metal per network, and every preset of a virtual machine."""
    harvest = Harvest("voltagepark", source="voltagepark", url=CARD.homepage)
    harvest.each(_whole(payload.part("metal")), lambda row: _metal(harvest, row), nothing="no price")
    for part in payload.parts:
        if part.name == "machines":
            presets = harvest.unfold(_whole(part), _presets, "a place without presets")
            harvest.each(presets, lambda row: _machine(harvest, row), nothing="no price")
    return harvest.parsed(payload)


def _whole(part: Part) -> list[dict[str, Any]]:
    """All rows of an answer that is one page.

    Raises:
        ShapeDrift: more pages follow, of which nothing was asked.
    """
    rows: list[dict[str, Any]] = rows_at(part, "results")
    answer = part.json()
    if answer.get("has_next") or answer.get("total_result_count", len(rows)) != len(rows):
        raise ShapeDrift(f"{part.name}: {len(rows)} rows of more")
    return rows


def _place(row: dict[str, Any]) -> str:
    return str(row.get("name") or row["id"])


def _presets(place: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"location": _place(place), **preset} for preset in place.get("available_presets") or ()]


def _metal(harvest: Harvest, row: dict[str, Any]) -> Iterator[ScrapedOffer]:
    node = row["specs_per_node"]
    count, model = int(node["gpu_count"]), str(node["gpu_model"])
    strange = [
        name for name in row if "gpu_price" in name and name.removeprefix("gpu_price_") not in _NETWORKS
    ]
    if strange:
        harvest.reject("a price that we cannot name", ", ".join(strange))
    for network in _NETWORKS:
        each = some(row[f"gpu_price_{network}"])
        if each is None:
            continue
        free = row.get(f"gpu_count_{network}")
        yield harvest.offer(
            instance_type=f"{re.sub(r'-[0-9]+gb$', '', model)}-{network}-node",
            accelerator_name=model,
            accelerator_count=count,
            region=_place(row),
            purchase_option="on_demand",
            price_per_hour=each * count,
            vcpus=figure(node.get("cpu_count")),
            ram_gib=figure(node.get("ram_gb")),
            local_disk_gb=figure(node.get("storage_gb")),
            stock=None if free is None else "in_stock" if free >= count else "out",
            stock_units=None if free is None else free // count,
            price_basis="accelerator-hour times accelerators",
        )


def _machine(harvest: Harvest, row: dict[str, Any]) -> Iterator[ScrapedOffer]:
    has = row["resources"]
    if len(has.get("gpus") or {}) > 1:
        raise Refused("two kinds of accelerator in one machine")
    free = row.get("available_vms")
    for model, gpu in (has.get("gpus") or {}).items():
        yield harvest.offer(
            instance_type=f"vm-{gpu['count']}x-{model}",
            accelerator_name=model,
            accelerator_count=gpu["count"],
            region=row["location"],
            native_id=str(row["id"]),
            purchase_option="on_demand",
            price_per_hour=some(row["compute_rate_hourly"]),
            vcpus=figure(has.get("vcpu_count")),
            ram_gib=figure(has.get("ram_gb")),
            local_disk_gb=figure(has.get("storage_gb")),
            stock=None if free is None else "in_stock" if free > 0 else "out",
            stock_units=free,
            price_basis="instance-hour, storage apart",
        )
