"""Oracle Cloud: the public price list joined with the shapes of its cost estimator, without a key.

providers.md 6. GPU parts are priced per accelerator and hour, host included; the price is the same in every
commercial region. Preemptible capacity (half price) exists for virtual machines only.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any, NamedTuple

from app.domain.errors import UpstreamFault
from app.domain.offer import Parsed, ScrapedOffer
from app.domain.sentence import N_
from app.providers._reading import Harvest, Refused, decimal_of, figure, rows_at
from app.providers.card import ProviderCard
from app.providers.port import Http, Payload, Settings

_PRICES = "https://apexapps.oracle.com/pls/apex/cetools/api/v1/products/?currencyCode=USD"
_SHAPES = "https://www.oracle.com/a/ocom/docs/cloudestimator2/data/shapes.json"


class _Shape(NamedTuple):
    name: str
    part: str
    accelerators: int
    ocpus: float | None
    ram_gb: float | None
    preemptible: bool = False


# Shapes that the estimator's file is known to hold, for the days when it does not answer (providers.md 6, 2026-11-30).
_KNOWN = (
    _Shape("BM.GPU4.8", "B92740", 8, 64, 2048),
    _Shape("BM.GPU.B4.8", "B93544", 8, 64, 2048),
    _Shape("BM.GPU.A100-v2.8", "B95907", 8, 128, 2048),
    _Shape("BM.GPU.H100.8", "B98415", 8, 112, 2048),
    _Shape("BM.GPU.H200.8", "B110519", 8, 112, 3072),
    _Shape("BM.GPU.B200.8", "B110978", 8, 128, 4096),
    _Shape("BM.GPU.B300.8", "B112237", 8, 128, 4096),
    _Shape("BM.GPU.GB200.4", "B110979", 4, 144, 960),
    _Shape("BM.GPU.GB300.4", "B112140", 4, 144, 960),
    _Shape("BM.GPU.MI300X.8", "B109485", 8, 112, 2048),
    _Shape("BM.GPU.MI355X.8", "B111758", 8, None, None),
    _Shape("BM.GPU.L40S.4", "B109479", 4, 112, 1024),
    _Shape("BM.GPU.RTXPRO.8", "B112613", 8, 144, 3072),
    _Shape("BM.GPU.A10.4", "B95909", 4, 64, 1024),
    _Shape("VM.GPU.A10.1", "B95909", 1, 15, 240, preemptible=True),
    _Shape("VM.GPU.A10.2", "B95909", 2, 30, 480, preemptible=True),
    _Shape("BM.GPU3.8", "B89734", 8, 52, 768),
    _Shape("VM.GPU3.1", "B89734", 1, 6, 90, preemptible=True),
    _Shape("VM.GPU3.2", "B89734", 2, 12, 180, preemptible=True),
    _Shape("VM.GPU3.4", "B89734", 4, 24, 360, preemptible=True),
    _Shape("BM.GPU2.2", "B88517", 2, 28, 192),
    _Shape("VM.GPU2.1", "B88518", 1, 12, 72, preemptible=True),
)
_NAMES = {
    "B92740": "A100 40GB",
    "B93544": "A100 40GB",
    "B95907": "A100 80GB",
    "B89734": "V100",
    "B88517": "P100",
    "B88518": "P100",
}
_NOT_MACHINES = ("AI Enterprise", "VMware", "Cloud@Customer", "Roving Edge", "H100T")

CARD = ProviderCard(
    slug="oci",
    name="Oracle Cloud",
    source_kind="api",
    kind="list_price",
    homepage="https://www.oracle.com/cloud/price-list/",
    terms_note=N_("Public price list; the same in every commercial region, no stock."),
)


async def fetch(http: Http, settings: Settings) -> Payload:
    """Price list and shapes; without the shapes file the dated table in this file stands in."""
    parts = [await http.get(_PRICES, name="prices", timeout_s=180)]
    try:
        shapes = await http.get(_SHAPES, name="shapes")
        rows_at(shapes, "items")
        parts.append(shapes)
    except UpstreamFault:
        pass
    return Payload(tuple(parts))


def parse(payload: Payload) -> Parsed:
    """An offer a shape, and a preemptible one where the shape allows it."""
    harvest = Harvest("oci", source="oci", url=CARD.homepage)
    shapes = _shapes(harvest, payload)

    def read(row: dict[str, Any]) -> Iterator[ScrapedOffer]:
        each = _pay_as_you_go(row)
        users = [shape for shape in shapes if shape.part == row["partNumber"]]
        if not users:
            raise Refused("a GPU part that no known shape uses")
        for shape in users:
            yield _offer(harvest, row, shape, "on_demand", each * shape.accelerators)
            if shape.preemptible:
                yield _offer(harvest, row, shape, "spot", each * shape.accelerators / 2)

    rows = rows_at(payload.part("prices"), "items")
    gpu = harvest.sift(rows, lambda row: row.get("metricName") == "GPU Per Hour", "not priced per GPU")
    machines = harvest.sift(
        gpu,
        lambda row: not any(word in row["displayName"] for word in _NOT_MACHINES),
        "software, or hardware elsewhere than in the cloud",
    )
    harvest.each(machines, read, nothing="no price")
    return harvest.parsed(payload)


def _pay_as_you_go(row: dict[str, Any]) -> Decimal:
    for currency in row["currencyCodeLocalizations"]:
        for price in currency["prices"] if currency["currencyCode"] == "USD" else ():
            if price["model"] == "PAY_AS_YOU_GO":
                value = decimal_of(price["value"])
                if value is not None:
                    return value
    raise Refused("no pay-as-you-go price in USD")


def _offer(harvest: Harvest, row: dict[str, Any], shape: _Shape, option: str, price: Decimal) -> ScrapedOffer:
    name = _NAMES.get(shape.part) or str(row["displayName"]).rsplit("-", 1)[-1].strip()
    return harvest.offer(
        instance_type=shape.name,
        accelerator_name=name,
        accelerator_count=shape.accelerators,
        region="global",
        purchase_option=option,
        price_per_hour=price,
        # An OCPU is two threads on x86 and one on Arm (the superchips).
        vcpus=None if shape.ocpus is None else shape.ocpus * (1 if "GB" in shape.name else 2),
        ram_gib=shape.ram_gb,
        price_basis="accelerator-hour times accelerators, every commercial region",
    )


def _shapes(harvest: Harvest, payload: Payload) -> tuple[_Shape, ...]:
    """The estimator's shapes, completed by the table for those that it lacks."""
    rows = [row for part in payload.parts if part.name == "shapes" for row in rows_at(part, "items")]
    found = harvest.unfold(rows, _shape)
    return tuple({shape.name: shape for shape in (*_KNOWN, *found)}.values())


def _shape(row: dict[str, Any]) -> Iterator[_Shape]:
    sort = (row.get("subType") or {}).get("value")
    if sort != "gpu" or row.get("hidden") or row.get("status") != "ACTIVE":
        return
    ocpu = [product for product in row.get("products") or () if product["type"]["value"] == "ocpu"]
    if not ocpu or not row.get("gpuQty"):
        return
    virtual = (row.get("shapeType") or {}).get("value") == "vm"
    yield _Shape(
        str(row["name"]).partition(" (")[0], ocpu[0]["partNumber"], int(row["gpuQty"]),
        figure(ocpu[0].get("qty")), figure(row.get("bundleMemoryQty")),
        virtual and bool(row.get("allowPreemptible")),
    )  # fmt: skip
