"""Which rows are one offer: a stable id over the whole identity."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from operator import attrgetter

from app.domain.offer import ScrapedOffer

_SEPARATOR = "\x1f"
_IDENTITY = attrgetter(
    "provider",
    "instance_type",
    "region",
    "zone",
    "purchase_option",
    "term_months",
    "upfront_option",
    "tier",
    "native_id",
)


def offer_id(offer: ScrapedOffer) -> str:
    """16 hex digits over provider, instance type, region, zone, purchase option, term, upfront option, tier
    and native id: the same in every database and on every machine, whatever the price and whoever reports it."""
    return digest(["" if part is None else str(part) for part in _IDENTITY(offer)])


def digest(parts: Iterable[str]) -> str:
    """16 hex digits over texts; the order counts and no text can run into the next."""
    return blake2b(_SEPARATOR.join(parts).encode(), digest_size=8).hexdigest()
