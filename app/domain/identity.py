"""Which rows are one offer: a stable id over the whole identity."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b

from app.domain.offer import ScrapedOffer

_SEPARATOR = "\x1f"


def offer_id(offer: ScrapedOffer) -> str:
    """16 hex digits over provider, instance type, region, zone, purchase option, term, upfront option, tier
    and native id: the same in every database and on every machine, whatever the price and whoever reports it."""
    parts = (
        offer.provider,
        offer.instance_type,
        offer.region,
        offer.zone,
        offer.purchase_option,
        offer.term_months,
        offer.upfront_option,
        offer.tier,
        offer.native_id,
    )
    return digest("" if part is None else str(part) for part in parts)


def digest(parts: Iterable[str]) -> str:
    """16 hex digits over texts; the order counts and no text can run into the next."""
    return blake2b(_SEPARATOR.join(parts).encode(), digest_size=8).hexdigest()
