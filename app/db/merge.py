"""One offer told by several sources: the best-placed source speaks, the others fill its blanks and stay named."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from app.domain.offer import SourceKind
from app.domain.record import OfferRecord

RANK: dict[SourceKind, int] = {
    "api": 0,
    "page": 1,
    "catalog": 2,
    "hand_kept": 3,
    "aggregator": 4,
    "snapshot": 5,
}
"""Who is believed first: the provider's own API, its own page, an open catalog, a file kept by hand, a reseller's
list, the bundled snapshot."""

DISAGREEMENT = 0.02
"""Two sources of one offer may differ by this share before the offer is flagged (rounding and exchange rates)."""

_FILLABLE = (
    "zone",
    "country",
    "continent",
    "vcpus",
    "ram_gib",
    "local_disk_gb",
    "memory_gib_per_accelerator",
    "intra_node_link",
    "intra_node_gbytes_per_s",
    "peer_to_peer",
    "fabric",
    "fabric_gbps",
    "max_nodes",
    "stock",
    "stock_units",
    "reliability",
    "minimum_term_hours",
)


def merge(records: Sequence[OfferRecord]) -> OfferRecord:
    """One record out of what each source says of the same offer (at least one, any order).

    The price, its currency and its age always come from one source, the best ranked and then the newest that has
    a price: prices are never mixed or averaged. `other_sources` names the rest with their prices.
    """
    if len(records) == 1:
        return records[0]
    ranked = sorted(records, key=_standing)
    first, others = ranked[0], ranked[1:]
    blanks = {name: _first_known(others, name) for name in _FILLABLE if getattr(first, name) is None}
    if first.accelerator is None and first.accelerator_status != "slice":
        blanks |= _accelerator_of(others)
    flags = first.flags if _agree(ranked) else (*first.flags, "sources_disagree")
    return msgspec.structs.replace(
        first,
        **blanks,
        flags=flags,
        first_seen=min(record.first_seen for record in ranked),
        other_sources=tuple(_cite(record) for record in others),
    )


def _standing(record: OfferRecord) -> tuple[bool, int, float]:
    unpriced = record.price_usd_per_hour is None and record.hourly_price_native is None
    return unpriced, RANK[record.source_kind], -record.observed_at.timestamp()


def _first_known(records: Iterable[OfferRecord], name: str) -> object:
    return next((value for record in records if (value := getattr(record, name)) is not None), None)


def _accelerator_of(records: Iterable[OfferRecord]) -> dict[str, object]:
    known = next((record for record in records if record.accelerator_status == "known"), None)
    if known is None:
        return {}
    names = (
        "accelerator",
        "accelerator_label",
        "accelerator_status",
        "candidates",
        "memory_gib_per_accelerator",
    )
    return {name: getattr(known, name) for name in names}


def _agree(records: Iterable[OfferRecord]) -> bool:
    prices = [record.price_usd_per_hour for record in records if record.price_usd_per_hour is not None]
    return not prices or max(prices) <= min(prices) * (1 + DISAGREEMENT)


def _cite(record: OfferRecord) -> str:
    price = "?" if record.price_usd_per_hour is None else f"{record.price_usd_per_hour:.4f} USD/h"
    return f"{record.source}: {price} ({record.observed_at:%Y-%m-%d})"
