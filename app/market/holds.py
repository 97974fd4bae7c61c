"""Held batches: kept whole and packed, with the difference that a person needs to decide."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

import msgspec

from app.domain.identity import offer_id
from app.domain.offer import ScrapedOffer
from app.domain.sentence import Sentence
from app.market.describe import Described
from app.market.quality import Standing, standing_of

_LISTED = 50
"""How many offers of each kind of difference are listed; all are counted."""


class Change(msgspec.Struct, frozen=True):
    """One offer that differs. `what` is what a person reads; prices per hour with the upfront spread, in the source's
    currency; None = unknown."""

    id: str
    what: str
    currency: str
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


def difference(before: Mapping[str, Standing], now: Mapping[str, Described]) -> Difference:
    """Offers gone, added and moved between what stands and a batch; the largest moves first."""
    gone = sorted(before.keys() - now.keys())
    moved = [
        Change(
            key,
            _words(now[key].offer),
            now[key].standing.currency,
            before[key].price,
            now[key].standing.price,
        )
        for key in before.keys() & now.keys()
        if before[key] != now[key].standing
    ]
    moved.sort(key=lambda change: (-_size(change), change.id))
    return Difference(
        before=len(before),
        now=len(now),
        gone=len(gone),
        added=len(now.keys() - before.keys()),
        moved=len(moved),
        gone_listed=tuple(gone[:_LISTED]),
        moved_listed=tuple(moved[:_LISTED]),
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


def keep_sentence(said: Sentence) -> str:
    """A sentence (its values plain texts or sentences) as the database keeps it, to be translated when it is shown."""
    return msgspec.json.encode(_kept(said)).decode()


def read_sentence(kept: str) -> Sentence:
    """The sentence that `keep_sentence` kept; the plain text that versions before it wrote stays as it is."""
    told = read_text(kept)
    return told if isinstance(told, Sentence) else Sentence("{value}", {"value": told})


def read_text(kept: str) -> Sentence | str:
    """The sentence that `keep_sentence` kept, or the plain text that stands there."""
    try:
        return _read(msgspec.json.decode(kept, type=tuple[str, dict[str, Any], str, float]))
    except msgspec.DecodeError:
        return kept


def _kept(said: object) -> object:
    if not isinstance(said, Sentence):
        return said
    values = {name: _kept(value) for name, value in said.values.items()}
    return said.template, values, said.plural, said.count


def _read(kept: Sequence[Any]) -> Sentence:
    template, values, plural, count = kept
    said = {name: _read(value) if isinstance(value, list) else value for name, value in values.items()}
    return Sentence(template, said, plural=plural, count=count)


def _words(offer: ScrapedOffer) -> str:
    parts = (
        offer.instance_type,
        offer.region,
        offer.zone,
        offer.purchase_option.replace("_", " "),
        offer.tier,
    )
    return " · ".join(part for part in parts if part)


def _size(change: Change) -> Decimal:
    if not change.before or not change.now:
        return Decimal("Infinity")
    return max(change.before / change.now, change.now / change.before)
