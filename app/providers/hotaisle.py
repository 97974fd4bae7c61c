"""Hot Aisle: MI300X machines of one site, in cents an hour, with a least reservation that is charged in full.

providers.md 32.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from app.domain.offer import Parsed, ScrapedOffer
from app.domain.sentence import N_
from app.domain.units import GB, GIB
from app.providers._reading import Harvest, decimal_of, figure, rows_at
from app.providers.card import HALF_HOUR, ProviderCard
from app.providers.port import Http, Payload, Settings, required

_URL = "https://admin.hotaisle.app/api/teams/{team}/{kind}/available/"

CARD = ProviderCard(
    slug="hotaisle",
    name="Hot Aisle",
    source_kind="api",
    kind="list_price",
    homepage="https://hotaisle.xyz/pricing/",
    needs_key="HOTAISLE_API_KEY",
    other_variables=("HOTAISLE_TEAM_HANDLE",),
    interval_s=HALF_HOUR,
    terms_note=N_("Needs a token and the handle of a team."),
)


async def fetch(http: Http, settings: Settings) -> Payload:
    """Virtual machines and bare metal."""
    token, team = (required(settings, name) for name in CARD.variables)
    headers = {"Authorization": f"Token {token}"}
    kinds = ("virtual_machines", "bare_metal")
    return Payload(
        tuple(
            [await http.get(_URL.format(team=team, kind=kind), name=kind, headers=headers) for kind in kinds]
        )
    )


def parse(payload: Payload) -> Parsed:
    """One offer a kind of machine."""
    harvest = Harvest("hotaisle", source="hotaisle", url=CARD.homepage)
    listed = [(part.name, row) for part in payload.parts for row in rows_at(part)]
    rows = harvest.unfold(listed, lambda pair: ({**pair[1], "kind": pair[0]},), "no row")
    gpu = harvest.sift(rows, lambda row: row["Specs"].get("gpus"), "no accelerator")

    def read(row: dict[str, Any]) -> Iterator[ScrapedOffer]:
        specs, cents = row["Specs"], decimal_of(row["OnDemandPrice"])
        count, model = sum(gpu["count"] for gpu in specs["gpus"]), specs["gpus"][0]["model"]
        ram, disk = figure(specs.get("ram_capacity")), figure(specs.get("disk_capacity"))
        yield harvest.offer(
            instance_type=f"{count}x {model} {'VM' if row['kind'] == 'virtual_machines' else 'bare metal'}",
            accelerator_name=model,
            accelerator_count=count,
            region="us-michigan",
            country="US",
            purchase_option="on_demand",
            price_per_hour=None if cents is None else cents / 100,
            vcpus=figure(specs.get("cpu_cores")),
            ram_gib=ram / GIB if ram else None,
            local_disk_gb=disk / GB if disk else None,
            stock="in_stock" if row.get("Quantity") else "out",
            stock_units=int(row.get("Quantity") or 0),
            minimum_term_hours=(figure(row.get("MinimumReservationMinutes")) or 0) / 60 or None,
        )

    harvest.each(gpu, read, nothing="no price")
    return harvest.parsed(payload)
