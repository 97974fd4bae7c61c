"""Held batches: kept whole and packed, with the difference that a person needs to decide."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping
from decimal import Decimal

import msgspec

from app.domain.identity import offer_id
from app.domain.offer import ScrapedOffer
from app.market.describe import Described
from app.market.quality import Standing, standing_of

_LISTED = 50
"""How many offers of each kind of difference are listed; all are counted."""


class Change(msgspec.Struct, frozen=True):
    """One offer that differs: prices per hour with the upfront spread, None = unknown."""

    id: str
    before: Decimal | None
    now: Decimal | None


class Difference(msgspec.Struct, frozen=True):
    """How a held batch differs from what stands. Lists stop at 50; the counts do not."""

    before: int
    now: int
    gone: int
    added: int
    moved: int
    gone_listed: tuple[str, ...] = ()
    moved_listed: tuple[Change, ...] = ()


def difference(before: Mapping[str, Standing], now: Mapping[str, Standing]) -> Difference:
    """Offers gone, added and moved between two scrapes."""
    gone = sorted(before.keys() - now.keys())
    common = sorted(before.keys() & now.keys())
    moved = [Change(key, before[key].price, now[key].price) for key in common if before[key] != now[key]]
    moved.sort(key=_by_size, reverse=True)
    added = len(now.keys() - before.keys())
    return Difference(
        len(before), len(now), len(gone), added, len(moved), tuple(gone[:_LISTED]), tuple(moved[:_LISTED])
    )


def pack(batch: Iterable[Described]) -> bytes:
    """The scraped rows of a batch, for the day it is released."""
    return zlib.compress(msgspec.msgpack.encode([one.offer for one in batch]))


def unpack(packed: bytes) -> list[ScrapedOffer]:
    """The rows that `pack` kept."""
    return msgspec.msgpack.decode(zlib.decompress(packed), type=list[ScrapedOffer])


def standings(packed: bytes) -> dict[str, Standing]:
    """A held batch as the next one is compared with it."""
    return {offer_id(offer): standing_of(offer) for offer in unpack(packed)}


def _by_size(change: Change) -> Decimal:
    if not change.before or not change.now:
        return Decimal("Infinity")
    return max(change.before / change.now, change.now / change.before)
