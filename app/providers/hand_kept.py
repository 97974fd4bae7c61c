"""Prices that a person read off a page: providers without an interface, or without one that a stranger may ask.

Every row has the day on which it was read and where; it ages from that day. Facts as cited in providers.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

from app.domain.offer import Parsed, ScrapedOffer
from app.domain.sentence import N_
from app.providers._reading import Harvest, Refused, decimal_of, figure
from app.providers.card import WEEK, ProviderCard
from app.providers.port import Http, Part, Payload, Settings

_FILE = Path(__file__).with_name("_hand_kept.csv")
_NEEDED = ("provider", "instance_type", "accelerator", "count", "option", "as_of", "source_url")

CARD = ProviderCard(
    slug="hand_kept",
    name="Price pages, read by hand",
    source_kind="hand_kept",
    kind="list_price",
    homepage="https://www.coreweave.com/pricing",
    interval_s=WEEK,
    terms_note=N_("Dated rows with the page they were read on; no request is made."),
    covers=("coreweave", "crusoe", "lambda", "digitalocean", "hyperstack"),
)


async def fetch(http: Http, settings: Settings) -> Payload:
    """The file beside this module."""
    return Payload((Part("rows", "", _FILE.read_text(encoding="utf-8")),))


def parse(payload: Payload) -> Parsed:
    """One offer a row."""
    harvest = Harvest("hand_kept", source="hand_kept")

    def read(row: dict[str, str]) -> Iterator[ScrapedOffer]:
        count, least = int(row["count"]), row.get("least_nodes")
        each, whole = decimal_of(row["usd_per_accelerator_hour"]), decimal_of(row["usd_per_hour"])
        if (each is None) == (whole is None):
            raise Refused("a row needs one price, of the accelerator or of the whole")
        basis = "instance-hour" if each is None else "accelerator-hour times accelerators"
        yield harvest.offer(
            provider=row["provider"],
            instance_type=row["instance_type"],
            accelerator_name=row["accelerator"],
            accelerator_count=count,
            memory_hint_gb=figure(row["memory_gb"]),
            region="global",
            purchase_option=row["option"],
            price_per_hour=whole if each is None else each * Decimal(count),
            vcpus=figure(row["vcpus"]),
            ram_gib=figure(row["ram_gib"]),
            local_disk_gb=figure(row["disk_gb"]),
            fabric=row["fabric"] or None,
            price_basis=f"{basis}, from {least} nodes" if least else basis,
            observed_at=datetime.fromisoformat(row["as_of"]).replace(tzinfo=UTC),
            source_url=row["source_url"],
        )

    harvest.each(harvest.csv_rows(payload.part("rows"), _NEEDED), read, nothing="no price")
    return harvest.parsed(payload)
