"""Cudo Compute: machine types per data centre; accelerator, processor, memory and disk are priced apart.

providers.md 16. An offer is n accelerators with the least host that goes with them, and says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from app.domain.offer import Parsed, ScrapedOffer
from app.domain.sentence import N_
from app.providers._reading import Harvest, Refused, figure, rows_at, some
from app.providers.card import HALF_HOUR, ProviderCard
from app.providers.port import Http, Payload, Settings, required

_URL = "https://rest.compute.cudo.org/v1/vms/machine-types"
_SIZES = (1, 2, 4, 8)
_DISK_GIB = 100

CARD = ProviderCard(
    slug="cudo",
    name="Cudo Compute",
    source_kind="api",
    kind="marketplace",
    homepage="https://www.cudocompute.com/pricing",
    needs_key="CUDO_API_KEY",
    interval_s=HALF_HOUR,
    terms_note=N_("Needs a key; answered without one until mid-2026."),
)


async def fetch(http: Http, settings: Settings) -> Payload:
    """Every machine type."""
    bearer = {"Authorization": f"Bearer {required(settings, 'CUDO_API_KEY')}"}
    return Payload((await http.get(_URL, name="types", headers=bearer),))


def parse(payload: Payload) -> Parsed:
    """Offers per machine type, data centre and size."""
    harvest = Harvest("cudo", source="cudo", url=CARD.homepage)
    rows = rows_at(payload.part("types"), "machineTypes")
    gpu = harvest.sift(rows, lambda row: row.get("gpuModel"), "no accelerator")
    harvest.each(gpu, lambda row: _offers(harvest, row), nothing="no size allowed")
    return harvest.parsed(payload)


def _rate(row: dict[str, Any], field: str) -> Decimal:
    rate = some((row.get(field) or {}).get("value"))
    if rate is None:
        raise Refused("a part without a price")
    return rate


def _offers(harvest: Harvest, row: dict[str, Any]) -> Iterator[ScrapedOffer]:
    each, vcpu, memory, disk = (
        _rate(row, field)
        for field in ("gpuPriceHr", "vcpuPriceHr", "memoryGibPriceHr", "minStorageGibPriceHr")
    )
    least, most, free = (
        int(row.get("minGpuPerVm") or 1),
        int(row["maxGpuPerVm"]),
        int(row.get("maxGpuFree") or 0),
    )
    for size in (size for size in _SIZES if least <= size <= most):
        vcpus = max(int(row.get("minVcpu") or 1), size * int(row.get("minVcpuPerGpu") or 1))
        ram = max(int(row.get("minMemoryGib") or 1), vcpus)
        yield harvest.offer(
            instance_type=f"{size}x {row['machineType']}",
            accelerator_name=row["gpuModel"],
            accelerator_count=size,
            memory_hint_gb=figure(row.get("gpuMemoryGib")),
            region=row["dataCenterId"],
            purchase_option="on_demand",
            price_per_hour=each * size + vcpu * vcpus + memory * ram + disk * _DISK_GIB,
            vcpus=vcpus,
            ram_gib=ram,
            local_disk_gb=_DISK_GIB,
            stock="in_stock" if free >= size else "out",
            stock_units=free // size,
            price_basis=f"parts added up: {size} accelerators, {vcpus} vCPUs, {ram} GiB memory, {_DISK_GIB} GiB disk",
        )
