"""The offers of a board one by one, made when somebody looks at them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, overload

from app.domain.coded import Coded
from app.domain.offer_table import OfferTable
from app.domain.record import OfferRecord
from app.market.arrays import areas_by_place
from app.market.column import Facts

if TYPE_CHECKING:
    from app.catalog import Catalog

_ROWS_KEPT = 2048
_AT_ONCE = 4096


class Rows(Sequence[Facts]):
    """What each row says, made when somebody looks at it; those looked at last are kept."""

    def __init__(self, offers: OfferTable, catalog: Catalog | None) -> None:
        self._offers = offers
        self._facts = facts = _facts_by(catalog, offers.words["provider"].names)
        self._at = lru_cache(maxsize=_ROWS_KEPT)(lambda row: facts(offers.record(row)))

    def __len__(self) -> int:
        return len(self._offers)

    @overload
    def __getitem__(self, row: int) -> Facts: ...
    @overload
    def __getitem__(self, row: slice) -> Sequence[Facts]: ...
    def __getitem__(self, row: int | slice) -> Facts | Sequence[Facts]:
        if isinstance(row, slice):
            return [self[at] for at in range(len(self))[row]]
        return self._at(range(len(self))[row])

    def words(self, name: str) -> Coded:
        """A field of words of all offers at once, of those that are no column too."""
        return self._offers.words[name]

    def __iter__(self) -> Iterator[Facts]:
        for start in range(0, len(self), _AT_ONCE):
            yield from map(self._facts, self._offers.records(start, start + _AT_ONCE))


class Records(Sequence[OfferRecord]):
    """The offers of `Rows` without what the catalog adds."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, row: int) -> OfferRecord: ...
    @overload
    def __getitem__(self, row: slice) -> Sequence[OfferRecord]: ...
    def __getitem__(self, row: int | slice) -> OfferRecord | Sequence[OfferRecord]:
        if isinstance(row, slice):
            return [facts.record for facts in self._rows[row]]
        return self._rows[row].record

    def __iter__(self) -> Iterator[OfferRecord]:
        return (facts.record for facts in self._rows)


def _facts_by(catalog: Catalog | None, providers: Sequence[str]) -> Callable[[OfferRecord], Facts]:
    """What the catalog adds to an offer of one of these providers."""
    cards = catalog.accelerators if catalog else {}
    terms = {name: catalog.terms(name) for name in providers} if catalog else {}
    area = areas_by_place(catalog)

    def facts(record: OfferRecord) -> Facts:
        place = area(record.provider, record.region, record.country)
        return Facts(record, cards.get(record.accelerator or ""), terms.get(record.provider), place)

    return facts
