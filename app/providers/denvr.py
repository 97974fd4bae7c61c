"""Denvr Dataworks: configurations of virtual servers, in USD an hour.

providers.md 38; addresses as in Denvr's own Python package.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from app.domain.offer import Parsed, ScrapedOffer
from app.domain.sentence import N_
from app.providers._reading import Harvest, decimal_of, figure, rows_at
from app.providers.card import SIX_HOURS, ProviderCard
from app.providers.port import Http, Payload, Settings, required

_HOST = "https://api.cloud.denvrdata.com"

CARD = ProviderCard(
    slug="denvr",
    name="Denvr Dataworks",
    source_kind="api",
    kind="list_price",
    homepage="https://www.denvr.com/pricing",
    needs_key="DENVR_USERNAME",
    other_variables=("DENVR_PASSWORD",),
    interval_s=SIX_HOURS,
    terms_note=N_("Needs the user name and password of an account."),
)


async def fetch(http: Http, settings: Settings) -> Payload:
    """A token, then the configurations."""
    user, password = (required(settings, name) for name in CARD.variables)
    login = {"userNameOrEmailAddress": user, "password": password}
    token = (await http.post(f"{_HOST}/api/TokenAuth/Authenticate", login, name="token")).json()["result"][
        "accessToken"
    ]
    bearer = {"Authorization": f"Bearer {token}"}
    address = f"{_HOST}/api/v1/servers/virtual/GetConfigurations"
    return Payload((await http.get(address, name="configurations", headers=bearer),))


def parse(payload: Payload) -> Parsed:
    """Offers per configuration and cluster."""
    harvest = Harvest("denvr", source="denvr", url=CARD.homepage)
    part = payload.part("configurations")
    wrapped = isinstance(part.json(), dict) and "result" in part.json()
    rows = rows_at(part, "result", "items") if wrapped else rows_at(part, "items")
    gpu = harvest.sift(rows, lambda row: row.get("gpus"), "no accelerator")

    def read(row: dict[str, Any]) -> Iterator[ScrapedOffer]:
        network = str(row.get("compute_network") or "").lower()
        for cluster in row.get("clusters") or ("global",):
            yield harvest.offer(
                instance_type=row["name"],
                accelerator_name=row.get("gpu_name") or row["gpu_type"],
                accelerator_count=row["gpus"],
                region=cluster,
                purchase_option="on_demand",
                price_per_hour=decimal_of(row["price"]),
                vcpus=figure(row.get("vcpus")),
                ram_gib=figure(row.get("memory")),
                local_disk_gb=figure(row.get("storage")),
                fabric="infiniband" if network == "infiniband" else None,
            )

    harvest.each(gpu, read, nothing="no price")
    return harvest.parsed(payload)
