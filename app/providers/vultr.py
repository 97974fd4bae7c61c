"""Vultr: plans and bare-metal plans, without a key. Whole instances; slices of a card are common.

providers.md 8. `locations` is where a plan can be deployed now: an empty list means nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from app.domain.offer import Parsed, ScrapedOffer
from app.domain.sentence import N_
from app.providers._reading import Harvest, Refused, decimal_of, figure, rows_at, some
from app.providers.card import HALF_HOUR, ProviderCard
from app.providers.port import Http, Part, Payload, Settings

_URL = "https://api.vultr.com/v2"
_HOURS_PER_MONTH_CAP = 672
# GB of one whole card, to tell how much of it a plan holds.
_CARD_GB = {
    "NVIDIA_A100": 80, "NVIDIA_A100_SXM": 80, "NVIDIA_A40": 48, "NVIDIA_A16": 16, "NVIDIA_L40S": 48, "NVIDIA_L40": 48,
    "NVIDIA_H100": 80, "NVIDIA_B200": 192, "NVIDIA_GH200": 96, "AMD_MI300X": 192, "AMD_MI325X": 256, "AMD_MI355X": 288,
}  # fmt: skip
_METAL = re.compile(r"-(?:(\d+)-)?([a-z]+\d+[a-z]*)-gpu$")

CARD = ProviderCard(
    slug="vultr",
    name="Vultr",
    source_kind="api",
    kind="list_price",
    homepage="https://www.vultr.com/pricing/#cloud-gpu",
    interval_s=HALF_HOUR,
    terms_note=N_("Public plan list; hourly, capped at 672 hours a month."),
)


async def fetch(http: Http, settings: Settings) -> Payload:
    """Every page of both lists."""
    parts: list[Part] = []
    for path, query in (("plans", {"type": "all"}), ("plans-metal", {})):
        cursor = ""
        while True:
            params: dict[str, str | int] = {
                **query,
                "per_page": 500,
                **({"cursor": cursor} if cursor else {}),
            }
            parts.append(await http.get(f"{_URL}/{path}", name=path, params=params))
            following = (parts[-1].json().get("meta") or {}).get("links", {}).get("next") or ""
            if not following or following == cursor or len(parts) > 40:
                break
            cursor = following
    return Payload(tuple(parts))


def parse(payload: Payload) -> Parsed:
    """Offers per plan and location."""
    harvest = Harvest("vultr", source="vultr", url=CARD.homepage)
    cloud = [row for part in payload.parts if part.name == "plans" for row in rows_at(part, "plans")]
    metal = [
        row for part in payload.parts if part.name == "plans-metal" for row in rows_at(part, "plans_metal")
    ]
    gpu = harvest.sift(cloud, lambda row: row.get("gpu_type"), "no accelerator")
    gpu_metal = harvest.sift(metal, lambda row: str(row.get("id")).endswith("-gpu"), "no accelerator")
    harvest.each(gpu, lambda row: _plan(harvest, row), nothing="not for rent")
    harvest.each(gpu_metal, lambda row: _metal(harvest, row), nothing="not for rent")
    return harvest.parsed(payload)


def _plan(harvest: Harvest, row: dict[str, Any]) -> Iterator[ScrapedOffer]:
    card, total = _CARD_GB.get(row["gpu_type"]), figure(row.get("gpu_vram_gb"))
    share = total / card if card and total else None
    # Reported memory is a little off the name (180 or 192 GB of a B200), so whole cards are rounded to.
    count = (share if share < 0.9 else float(round(share))) if share else _stated_count(row)
    name = row["gpu_type"].partition("_")[2].replace("_", " ")
    fields = {
        "accelerator_name": name,
        "accelerator_count": count,
        "memory_hint_gb": total / max(count, 1) if total else None,
    }
    if row.get("deploy_ondemand", True):
        yield from _everywhere(harvest, row, "on_demand", _hourly(row, ""), fields)
    if row.get("deploy_preemptible"):
        yield from _everywhere(harvest, row, "spot", _hourly(row, "_preemptible"), fields)


def _metal(harvest: Harvest, row: dict[str, Any]) -> Iterator[ScrapedOffer]:
    """Bare metal names its accelerators in the id alone; a missing count is one."""
    match = _METAL.search(row["id"])
    if match is None:
        raise Refused("a name without an accelerator")
    fields = {"accelerator_name": match.group(2).upper(), "accelerator_count": int(match.group(1) or 1)}
    yield from _everywhere(harvest, row, "on_demand", _hourly(row, ""), fields)


def _stated_count(row: dict[str, Any]) -> float:
    """The count as stated: 1, "8" or "1/20"."""
    whole, _, parts = str(row["gpu_count"]).partition("/")
    return int(whole) / int(parts or 1)


def _hourly(row: dict[str, Any], suffix: str) -> Decimal | None:
    """The hourly price; zero with a monthly price stands for the month over its cap."""
    price, month = some(row.get(f"hourly_cost{suffix}")), some(row.get(f"monthly_cost{suffix}"))
    return price or (month / _HOURS_PER_MONTH_CAP if month else decimal_of(row.get(f"hourly_cost{suffix}")))


def _everywhere(
    harvest: Harvest, row: dict[str, Any], option: str, price: Decimal | None, fields: dict[str, Any]
) -> Iterator[ScrapedOffer]:
    override = row.get("location_cost") or {}
    ram, disk = figure(row.get("ram")), figure(row.get("disk"))
    for place in row.get("locations") or ("global",):
        local = some((override.get(place) or {}).get("hourly_cost")) if option == "on_demand" else None
        yield harvest.offer(
            **fields,
            instance_type=row["id"],
            region=place,
            purchase_option=option,
            price_per_hour=local or price,
            vcpus=figure(row.get("vcpu_count") or row.get("cpu_threads")),
            ram_gib=ram / 1024 if ram else None,
            local_disk_gb=disk * (figure(row.get("disk_count")) or 1) if disk else None,
            stock="in_stock" if row.get("locations") else "out",
        )
