"""The current offer as the database keeps it: names resolved, prices in USD, every blank honest."""

from __future__ import annotations

from datetime import date, datetime
from typing import Literal

import msgspec

from app.domain.offer import PurchaseOption, SourceKind, Stock, Upfront

AcceleratorStatus = Literal["known", "ambiguous", "unknown", "slice"]


class OfferRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One offer, present price, ready for the board. None = unknown.

    `id` is 16 hex digits of a hash over the whole identity (design §5), stable across databases.
    `accelerator` is the catalog key (None when ambiguous or unknown; for a slice the key of the card it is cut
    from, with `accelerator_count` < 1); `accelerator_label` is what a person reads. `candidates` are the keys that an ambiguous name may
    mean. `memory_gib_per_accelerator` is what the driver reports (for a slice: of the slice).
    `price_usd_per_hour` is of the whole instance, upfront spread over the term; `hourly_price_native` is the
    recurring part as quoted. `observed_at` is when the source said so; `price_changed_at` when it last moved. `flags` are doubts about the price,
    `notes` explain it (see `domain.flags`).
    """

    id: str
    provider: str
    provider_name: str
    instance_type: str
    accelerator: str | None
    accelerator_label: str
    accelerator_status: AcceleratorStatus
    accelerator_count: float
    region: str
    purchase_option: PurchaseOption
    source: str
    source_kind: SourceKind
    observed_at: datetime
    first_seen: datetime
    candidates: tuple[str, ...] = ()
    memory_gib_per_accelerator: float | None = None
    zone: str | None = None
    country: str | None = None
    continent: str | None = None
    term_months: int | None = None
    upfront_option: Upfront | None = None
    upfront_usd: float | None = None
    tier: str | None = None
    native_id: str | None = None
    price_usd_per_hour: float | None = None
    hourly_price_native: float | None = None
    currency: str = "USD"
    rate_date: date | None = None
    price_changed_at: datetime | None = None
    previous_price_usd_per_hour: float | None = None
    vcpus: float | None = None
    ram_gib: float | None = None
    local_disk_gb: float | None = None
    intra_node_link: str | None = None
    intra_node_gbytes_per_s: float | None = None
    link_domain: int = 1
    peer_to_peer: bool | None = None
    fabric: str | None = None
    fabric_gbps: float | None = None
    max_nodes: int | None = None
    stock: Stock | None = None
    stock_units: int | None = None
    reliability: float | None = None
    minimum_term_hours: float | None = None
    price_basis: str = "instance-hour"
    flags: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    source_url: str = ""
    licence: str = ""
    other_sources: tuple[str, ...] = ()
