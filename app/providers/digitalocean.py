"""DigitalOcean GPU Droplets: sizes with the regions that have them. Whole droplets, accelerator memory of the box.

providers.md 22. No spot; contract-only sizes do not appear.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from app.domain.offer import Parsed, ScrapedOffer
from app.domain.sentence import N_
from app.providers._reading import Harvest, decimal_of, figure, rows_at
from app.providers.card import HALF_HOUR, ProviderCard
from app.providers.port import Http, Part, Payload, Settings, required

_URL = "https://api.digitalocean.com/v2/sizes"

CARD = ProviderCard(
    slug="digitalocean",
    name="DigitalOcean",
    source_kind="api",
    kind="list_price",
    homepage="https://www.digitalocean.com/pricing/gpu-droplets",
    needs_key="DIGITALOCEAN_TOKEN",
    interval_s=HALF_HOUR,
    terms_note=N_("Needs a token with the scope sizes:read."),
)


async def fetch(http: Http, settings: Settings) -> Payload:
    """Every page."""
    bearer = {"Authorization": f"Bearer {required(settings, 'DIGITALOCEAN_TOKEN')}"}
    parts: list[Part] = []
    while len(parts) < 20:
        query = {"per_page": 200, "page": len(parts) + 1}
        parts.append(await http.get(_URL, name=f"page {len(parts) + 1}", params=query, headers=bearer))
        if not ((parts[-1].json().get("links") or {}).get("pages") or {}).get("next"):
            break
    return Payload(tuple(parts))


def parse(payload: Payload) -> Parsed:
    """Offers per size and region; a size without regions is out of stock."""
    harvest = Harvest("digitalocean", source="digitalocean", url=CARD.homepage)
    rows = [row for part in payload.parts for row in rows_at(part, "sizes")]
    gpu = harvest.sift(rows, lambda row: row.get("gpu_info"), "no accelerator")

    def read(row: dict[str, Any]) -> Iterator[ScrapedOffer]:
        info = row["gpu_info"]
        total, ram = figure((info.get("vram") or {}).get("amount")), figure(row.get("memory"))
        regions = row.get("regions") if row.get("available") else None
        for region in regions or ("global",):
            yield harvest.offer(
                instance_type=row["slug"],
                accelerator_name=str(info["model"]).replace("_", " "),
                accelerator_count=info["count"],
                memory_hint_gb=total / info["count"] if total else None,
                region=region,
                purchase_option="on_demand",
                price_per_hour=decimal_of(row["price_hourly"]),
                vcpus=figure(row.get("vcpus")),
                ram_gib=ram / 1024 if ram else None,
                local_disk_gb=sum(figure(disk["size"]["amount"]) or 0 for disk in row.get("disk_info") or ())
                or None,
                stock="in_stock" if regions else "out",
            )

    harvest.each(gpu, read, nothing="no price")
    return harvest.parsed(payload)
