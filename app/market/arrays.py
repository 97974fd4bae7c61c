"""The values of a column for all offers at once; what `column` reads of one offer. A test holds the two together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from app.domain.coded import Coded, FloatArray, Listed, distinct_rows, word_key
from app.domain.offer_table import OfferTable

if TYPE_CHECKING:
    from app.catalog import Catalog
    from app.market.column import Facts, Kind


class Columns:
    """The same for all offers at once: `all.record.price_usd_per_hour` is an array (n,), NaN = unknown, and words are
    `Coded`. What the catalog says is looked up once per accelerator and once per provider."""

    def __init__(self, offers: OfferTable, catalog: Catalog | None) -> None:
        self.area_of = areas_by_place(catalog)
        accelerators, providers = offers.words["accelerator"], offers.words["provider"]
        cards = catalog.accelerators if catalog else {}
        terms = {name: catalog.terms(name) for name in providers.names} if catalog else {}
        self.record = _Part(lambda name, kind: _of_table(offers, name))
        self.card = _Part(lambda name, kind: _of_catalog(accelerators, cards, name, kind))
        self.terms = _Part(lambda name, kind: _of_catalog(providers, terms, name, kind))

    def read(self, source: Source, kind: Kind) -> Any:
        """The array of a plain column."""
        part: _Part = getattr(self, source.part)
        return part.read(source.name, kind)


def areas_by_place(catalog: Catalog | None) -> Callable[[str, str | None, str | None], str | None]:
    """(provider, region, country) → market area, each looked up once; unknown without a catalog."""

    @cache
    def area(provider: str, region: str | None, country: str | None) -> str | None:
        return catalog.place(provider, region or "", country).area if catalog else None

    return area


class _Part:
    def __init__(self, read: Callable[[str, Kind], Any]) -> None:
        self.read = read

    def __getattr__(self, name: str) -> Any:
        return self.read(name, "number")


def _of_table(offers: OfferTable, name: str) -> Any:
    if name in offers.words:
        return offers.words[name]
    return offers.numbers[name] if name in offers.numbers else offers.lists[name]


def _of_catalog(words: Coded, known: Mapping[str, Any], name: str, kind: Kind) -> Any:
    values = [getattr(known.get(word), name, None) for word in words.names]
    if kind == "text":
        return Coded.of([*values, None]).take(words.codes)
    return np.array([*values, None], np.float64)[words.codes]


@dataclass(frozen=True, slots=True)
class Source:
    """Reads a field of one part of `Facts`, of one offer or of all."""

    part: Literal["record", "card", "terms"]
    name: str

    def __call__(self, facts: Facts) -> Any:
        part = getattr(facts, self.part)
        return None if part is None else getattr(part, self.name)


def each_per_accelerator(amount: FloatArray, all_: Columns) -> FloatArray:
    """See `column.each`."""
    found: FloatArray = amount / np.maximum(all_.record.accelerator_count, 1.0)
    return found


def prices_per_accelerator(all_: Columns) -> FloatArray:
    """See `column.per_accelerator`."""
    count = all_.record.accelerator_count
    found: FloatArray = all_.record.price_usd_per_hour / np.where(count > 0, count, np.nan)
    return found


def total_memories(all_: Columns) -> FloatArray:
    """See `column.total_memory`."""
    found: FloatArray = all_.record.memory_gib_per_accelerator * np.maximum(
        all_.record.accelerator_count, 1.0
    )
    return found


def price_changes(all_: Columns) -> FloatArray:
    """See `column.price_change`."""
    previous = all_.record.previous_price_usd_per_hour
    found: FloatArray = all_.record.price_usd_per_hour / np.where(previous != 0, previous, np.nan) - 1.0
    return found


def prices_per_pflop(all_: Columns) -> FloatArray:
    """See `column.price_per_pflop`."""
    speed = all_.card.bf16_tflops
    found: FloatArray = prices_per_accelerator(all_) / np.where(speed != 0, speed, np.nan) * 1000.0
    return found


def flagged(all_: Columns) -> FloatArray:
    """Whether an offer has flags."""
    flags: Listed = all_.record.flags
    return flags.where(bool).astype(np.float64)


def areas(all_: Columns) -> Coded:
    """The market area of every offer."""
    words = [all_.record.provider, all_.record.region, all_.record.country]
    firsts, of_row = distinct_rows([word_key(word) for word in words])
    return Coded.of([all_.area_of(*(word.get(row) for word in words)) for row in firsts]).take(of_row)
