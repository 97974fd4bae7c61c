"""From a scraped row to what the database keeps: names, places and hardware looked up in the catalog."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from functools import lru_cache
from hashlib import blake2b
from operator import attrgetter
from typing import Any, NamedTuple

import msgspec

from app.catalog import Catalog
from app.catalog.resolution import Resolution
from app.domain.identity import offer_id
from app.domain.offer import ScrapedOffer, SourceKind
from app.domain.sentence import N_, Sentence
from app.market import quality
from app.market.quality import Standing

_FINEST = Decimal("0.00000001")
_RESOLVED_BY = attrgetter(
    "provider", "accelerator_name", "instance_type", "memory_hint_gb", "accelerator_count"
)
_HARDWARE_BY = attrgetter(
    "provider",
    "accelerator_name",
    "instance_type",
    "memory_hint_gb",
    "accelerator_count",
    "vcpus",
    "ram_gib",
    "local_disk_gb",
    "intra_node_link",
    "intra_node_gbytes_per_s",
    "fabric",
    "fabric_gbps",
    "max_nodes",
)
_COPIED = (
    "provider",
    "region",
    "zone",
    "purchase_option",
    "term_months",
    "upfront_option",
    "price_per_hour",
    "upfront",
    "tier",
    "native_id",
    "currency",
    "stock",
    "stock_units",
    "reliability",
    "minimum_term_hours",
    "price_basis",
    "source",
    "source_url",
    "licence",
)
_COPY = attrgetter(*_COPIED)


class Described(NamedTuple):
    """A scraped row that can stand: its identity, what it is compared by, and the values of its row in `offer`.
    `unknown` says why the catalog does not know its accelerator."""

    id: str
    offer: ScrapedOffer
    standing: Standing
    values: dict[str, Any]
    unknown: Sentence | None

    def row(self, flags: Iterable[str] = ()) -> dict[str, Any]:
        """The values with further flags and their stamp."""
        return {"id": self.id, **self._with(flags), "stamp": self.stamp(flags)}

    def stamp(self, flags: Iterable[str] = ()) -> str:
        """A text that changes when any value does."""
        return blake2b(_encode(self._with(flags)), digest_size=8).hexdigest()

    def _with(self, flags: Iterable[str]) -> dict[str, Any]:
        if not flags:
            return self.values
        return self.values | {"flags": _flags_told((*self.offer.flags, *flags))}


@dataclass(frozen=True, slots=True)
class Refused:
    """A scraped row that cannot stand, and why. `id` is the offer it would have been."""

    id: str
    offer: ScrapedOffer
    reason: str
    detail: Sentence


class Describer:
    """Looks things up once per distinct name, place and hardware; one instance serves one batch."""

    def __init__(self, catalog: Catalog, source_kind: SourceKind, source_name: str) -> None:
        self.instance_types: dict[str, dict[str, Any]] = {}
        self._catalog = catalog
        self._source_kind = source_kind
        self._source_name = source_name
        self._resolutions: dict[tuple[Any, ...], Resolution] = {}
        self._hardware: dict[tuple[Any, ...], str] = {}
        self._slugs: dict[str, str] = {}
        self._places: dict[tuple[str, str], tuple[str | None, str | None]] = {}

    def describe(self, scraped: ScrapedOffer, asked_at: datetime) -> Described | Refused:
        """A row as the database keeps it. `asked_at` is when the source was asked: what the source says about its
        own age counts only where it is older than that."""
        scraped = self._under_one_name(scraped)
        resolution = self._resolve(scraped)
        if resolution.status == "unknown" and quality.names_nothing(scraped.accelerator_name):
            detail = Sentence(N_("{name} names no accelerator"), {"name": repr(scraped.accelerator_name)})
            return Refused(offer_id(scraped), scraped, "not_an_accelerator", detail)
        offer = _normalised(scraped, resolution)
        refused = quality.refusal(offer)
        if refused is not None:
            return Refused(offer_id(offer), offer, *refused)
        values = self._values(offer, self._hardware_of(offer, resolution), asked_at)
        unknown = resolution.why if resolution.status == "unknown" else None
        return Described(offer_id(offer), offer, quality.standing_of(offer), values, unknown)

    def _under_one_name(self, offer: ScrapedOffer) -> ScrapedOffer:
        slug = self._slugs.get(offer.provider)
        if slug is None:
            slug = self._slugs[offer.provider] = self._catalog.provider_slug(offer.provider)
        zone = self._catalog.zone(slug, offer.zone) if offer.zone else None
        if slug == offer.provider and zone == offer.zone:
            return offer
        return msgspec.structs.replace(offer, provider=slug, zone=zone)

    def _resolve(self, offer: ScrapedOffer) -> Resolution:
        key = _RESOLVED_BY(offer)
        found = self._resolutions.get(key)
        if found is None:
            found = self._resolutions[key] = self._catalog.resolve(
                offer.accelerator_name,
                provider=offer.provider,
                instance_type=offer.instance_type,
                memory_gb=offer.memory_hint_gb,
                count=offer.accelerator_count,
            )
        return found

    def _hardware_of(self, offer: ScrapedOffer, resolution: Resolution) -> str:
        key = _HARDWARE_BY(offer)
        found = self._hardware.get(key)
        if found is None:
            row = _instance_type(self._catalog, offer, resolution)
            found = blake2b(msgspec.msgpack.encode(row), digest_size=8).hexdigest()
            self._hardware[key] = found
            self.instance_types[found] = {"id": found, **row}
        return found

    def _place(self, offer: ScrapedOffer) -> tuple[str | None, str | None]:
        key = offer.provider, offer.region
        if key not in self._places:
            place = self._catalog.place(*key)
            self._places[key] = place.country, place.continent
        country, continent = self._places[key]
        return country or offer.country, continent

    def _values(self, offer: ScrapedOffer, instance_type_id: str, asked_at: datetime) -> dict[str, Any]:
        country, continent = self._place(offer)
        said_at = offer.observed_at if offer.observed_at and offer.observed_at < asked_at else None
        return dict(zip(_COPIED, _COPY(offer), strict=True)) | {
            "instance_type_id": instance_type_id,
            "country": country,
            "continent": continent,
            "source": offer.source or self._source_name,
            "source_kind": self._source_kind,
            "said_at": said_at,
            "flags": _flags_told(offer.flags),
        }


def _flags_told(flags: Iterable[str]) -> str:
    return msgspec.json.encode([*dict.fromkeys(flags)]).decode() if flags else "[]"


_encode = msgspec.msgpack.Encoder().encode


def _normalised(offer: ScrapedOffer, resolution: Resolution) -> ScrapedOffer:
    changes: dict[str, Any] = {}
    if resolution.count is not None and resolution.count != offer.accelerator_count:
        changes["accelerator_count"] = resolution.count
    if not offer.price_per_hour and not offer.upfront:
        changes["price_per_hour"] = None
    for name in ("price_per_hour", "upfront"):
        amount = getattr(offer, name)
        if amount and (stored := _stored(amount)) != amount:
            changes[name] = stored
    return msgspec.structs.replace(offer, **changes) if changes else offer


@lru_cache(maxsize=50_000)
def _stored(amount: Decimal) -> Decimal:
    """An amount as the database keeps it, with eight places; a finer one would look changed at every scrape."""
    exponent = amount.as_tuple().exponent
    if isinstance(exponent, int) and exponent < _FINEST.adjusted() and abs(amount) < quality.LARGEST_PRICE:
        return amount.quantize(_FINEST)
    return amount


def _instance_type(catalog: Catalog, offer: ScrapedOffer, resolution: Resolution) -> dict[str, Any]:
    hardware = catalog.hardware_of(offer, resolution)
    return {
        "provider": offer.provider,
        "provider_name": catalog.provider_name(offer.provider),
        "name": offer.instance_type,
        "accelerator": resolution.key,
        "accelerator_label": resolution.label,
        "accelerator_status": resolution.status,
        "candidates": msgspec.json.encode(resolution.candidates).decode(),
        "accelerator_count": offer.accelerator_count,
        "memory_gib_per_accelerator": resolution.memory_gib,
        "vcpus": hardware.host.vcpus,
        "ram_gib": hardware.host.ram_gib,
        "local_disk_gb": hardware.host.local_disk_gb,
        "intra_node_link": hardware.link.kind,
        "intra_node_gbytes_per_s": hardware.link.gbytes_per_s,
        "link_domain": hardware.link.domain_size,
        "peer_to_peer": hardware.link.peer_to_peer,
        "fabric": hardware.fabric.kind,
        "fabric_gbps": hardware.fabric.gbps_per_node,
        "max_nodes": hardware.fabric.max_nodes,
    }
