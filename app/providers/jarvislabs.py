"""JarvisLabs: accelerators per region, priced one by one; sizes up to what a machine holds.

providers.md 30. Figures arrive as numbers or strings; spot exists for containers only.
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

_URL = "https://backendn.jarvislabs.net/misc/server_meta"
_SIZES = (1, 2, 4, 8)

CARD = ProviderCard(
    slug="jarvislabs",
    name="JarvisLabs",
    source_kind="api",
    kind="list_price",
    homepage="https://jarvislabs.ai/pricing",
    needs_key="JL_API_KEY",
    interval_s=HALF_HOUR,
    terms_note=N_("Needs a key of an account."),
)


async def fetch(http: Http, settings: Settings) -> Payload:
    """One answer."""
    bearer = {"Authorization": f"Bearer {required(settings, 'JL_API_KEY')}"}
    return Payload((await http.get(_URL, name="servers", headers=bearer),))


def parse(payload: Payload) -> Parsed:
    """Offers per kind, region and size."""
    harvest = Harvest("jarvislabs", source="jarvislabs", url=CARD.homepage)

    def read(row: dict[str, Any]) -> Iterator[ScrapedOffer]:
        each = some(row["price_per_hour"])
        if each is None:
            raise Refused("price of zero or less")
        most = int(row.get("num_gpus") or 1)
        spot = some(row.get("spot_price")) if row.get("workload_type") == "container" else None
        for size in (size for size in _SIZES if size <= most):
            yield _offer(harvest, row, size, "on_demand", each)
            if spot is not None:
                yield _offer(harvest, row, size, "spot", spot)

    harvest.each(rows_at(payload.part("servers"), "server_meta"), read, nothing="no size")
    return harvest.parsed(payload)


def _offer(harvest: Harvest, row: dict[str, Any], size: int, option: str, each: Decimal) -> ScrapedOffer:
    free = int(row.get("num_free_devices") or 0)
    cpus, ram = figure(row.get("cpus_per_gpu")), figure(row.get("ram_per_gpu"))
    return harvest.offer(
        instance_type=f"{size}x {row['gpu_type']}",
        accelerator_name=row["gpu_type"],
        accelerator_count=size,
        memory_hint_gb=figure(row.get("vram")),
        region=row["region"],
        tier=row.get("workload_type"),
        purchase_option=option,
        price_per_hour=each * size,
        vcpus=cpus * size if cpus else None,
        ram_gib=ram * size if ram else None,
        stock="in_stock" if free >= size else "out",
        stock_units=free // size,
        max_nodes=1,
        price_basis="accelerator-hour times accelerators",
    )
