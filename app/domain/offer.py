"""An offer: provider × instance type × region × purchase option … at a price."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Literal

import msgspec

PurchaseOption = Literal["on_demand", "spot", "reserved", "block", "savings_plan"]
PURCHASE_OPTIONS: tuple[PurchaseOption, ...] = ("on_demand", "spot", "reserved", "block", "savings_plan")
Upfront = Literal["none", "partial", "all"]
Stock = Literal["in_stock", "low", "out"]
SourceKind = Literal["api", "page", "catalog", "aggregator", "snapshot", "hand_kept"]


class ScrapedOffer(msgspec.Struct, frozen=True, kw_only=True):
    """One row as a provider's reader understood it, before names and places are resolved.

    Prices are of the whole instance per hour in `currency`; None = unknown (never 0). `upfront` is the
    whole-term payment. `accelerator_count` may be a fraction (a slice). `accelerator_name` is the source's
    spelling; `memory_hint_gb` is per accelerator. `raw` is a short extract for rejects and for the curious.
    """

    provider: str
    instance_type: str
    accelerator_name: str
    accelerator_count: float
    region: str
    purchase_option: PurchaseOption
    price_per_hour: Decimal | None
    currency: str = "USD"
    zone: str | None = None
    country: str | None = None
    term_months: int | None = None
    upfront_option: Upfront | None = None
    upfront: Decimal | None = None
    tier: str | None = None
    native_id: str | None = None
    memory_hint_gb: float | None = None
    vcpus: float | None = None
    ram_gib: float | None = None
    local_disk_gb: float | None = None
    intra_node_link: str | None = None
    intra_node_gbytes_per_s: float | None = None
    fabric: str | None = None
    fabric_gbps: float | None = None
    max_nodes: int | None = None
    stock: Stock | None = None
    stock_units: int | None = None
    reliability: float | None = None
    minimum_term_hours: float | None = None
    price_basis: str = "instance-hour"
    flags: tuple[str, ...] = ()
    observed_at: datetime | None = None
    source: str = ""
    source_url: str = ""
    licence: str = ""
    raw: str = ""


class Reject(msgspec.Struct, frozen=True, kw_only=True):
    """One refused row: what it was and, as a sentence, why."""

    provider: str
    reason: str
    detail: str
    raw: str = ""


class Parsed(msgspec.Struct, frozen=True, kw_only=True):
    """What `parse` made of a payload: every input row is either an offer, a reject, or counted in `ignored`
    (reason → rows left out on purpose, such as CPU-only rows). One row may yield several offers (on demand and
    spot), so `rows_read` and `rows_used` (rows that yielded at least one) keep the account. `unanswered` names
    regions (of a source of one provider) or providers that could not be asked this time: their stored offers stay
    as they were and age."""

    offers: tuple[ScrapedOffer, ...]
    rejects: tuple[Reject, ...] = ()
    ignored: dict[str, int] = {}
    rows_read: int = 0
    rows_used: int = 0
    unanswered: tuple[str, ...] = ()
