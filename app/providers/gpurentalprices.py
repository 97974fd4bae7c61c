"""gpurentalprices.com: a daily list of one accelerator's hourly price at some twenty clouds (CC BY 4.0).

Used for the clouds that cannot be asked without a key. Serverless prices are no machines and are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from app.domain.offer import Parsed, ScrapedOffer
from app.domain.sentence import N_
from app.providers._reading import Harvest, decimal_of, figure, rows_at
from app.providers.card import DAY, ProviderCard
from app.providers.port import Http, Payload, Settings

_URL = "https://raw.githubusercontent.com/adriannutiu/gpu-rental-prices/main/data/latest.json"
_COVERED = (
    "massedcompute", "hyperstack", "lambda", "tensordock", "coreweave", "spheron", "digitalocean", "crusoe",
    "jarvislabs", "gmicloud", "primeintellect", "thundercompute", "together", "latitude", "voltagepark", "hotaisle",
    "salad",
)  # fmt: skip
_KINDS = {
    "on-demand": ("on_demand", None),
    "spot": ("spot", None),
    "secure": ("on_demand", "secure"),
    "community": ("on_demand", "community"),
}

CARD = ProviderCard(
    slug="gpurentalprices",
    name="gpurentalprices.com",
    source_kind="aggregator",
    kind="aggregator",
    homepage="https://gpurentalprices.com/",
    interval_s=DAY,
    terms_note=N_("Attribution: gpurentalprices.com. One price a model and cloud, without region."),
    licence="CC BY 4.0",
    covers=_COVERED,
)


async def fetch(http: Http, settings: Settings) -> Payload:
    """The latest day."""
    return Payload((await http.get(_URL, name="latest"),))


def parse(payload: Payload) -> Parsed:
    """One offer a row, of as many accelerators as must be taken at least."""
    harvest = Harvest("gpurentalprices", source="gpurentalprices", licence=CARD.licence)

    def read(row: dict[str, Any]) -> Iterator[ScrapedOffer]:
        each, least = decimal_of(row["usd_hr"]), int(row.get("min_gpus") or 1)
        option, tier = _KINDS[row["kind"]]
        yield harvest.offer(
            provider=row["provider"],
            instance_type=f"{least}x {row['gpu']}",
            accelerator_name=row["gpu"],
            accelerator_count=least,
            memory_hint_gb=figure(row.get("vram_gb")),
            region="",
            purchase_option=option,
            tier=tier,
            price_per_hour=None if each is None else each * least,
            observed_at=datetime.fromisoformat(row["fetched_at"]),
            source_url=row.get("source_url") or "",
            price_basis="accelerator-hour, lowest seen"
            if least == 1
            else "accelerator-hour times the least number",
        )

    rows = rows_at(payload.part("latest"), "offers")
    machines = harvest.sift(rows, lambda row: row.get("kind") != "serverless", "serverless")
    here = harvest.sift(
        machines, lambda row: row.get("provider") in _COVERED, "a cloud that is asked directly"
    )
    harvest.each(here, read, nothing="no price")
    return harvest.parsed(payload)
