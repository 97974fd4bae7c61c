"""The board: every current offer as one immutable columnar frame, swapped whole when the database moves on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from app.domain.errors import NotFound
from app.domain.record import OfferRecord
from app.market.column import Column, Facts
from app.market.columns import OFFER_COLUMNS

if TYPE_CHECKING:
    from app.catalog import Catalog

FloatArray = npt.NDArray[np.float64]
CodeArray = npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Coded:
    """A column of words: `names` are the distinct words in reading order, `codes` (n,) index them, -1 = unknown."""

    codes: CodeArray
    names: tuple[str, ...]

    @classmethod
    def of(cls, values: Iterable[str | None]) -> Coded:
        """Encode words; unknown stays unknown."""
        given = list(values)
        names = tuple(sorted({value for value in given if value}, key=lambda name: (name.casefold(), name)))
        code: dict[str | None, int] = {None: -1, "": -1}
        code |= {name: index for index, name in enumerate(names)}
        return cls(np.fromiter(map(code.__getitem__, given), np.int32, len(given)), names)

    def where(self, wanted: Callable[[str], bool], unknown: bool = False) -> Mask:
        """Rows whose word is wanted, shape (n,). Asks once per distinct word, not per row."""
        table = np.fromiter((*map(wanted, self.names), unknown), np.bool_, len(self.names) + 1)
        return table[self.codes]


@dataclass(frozen=True, slots=True, eq=False)
class Board:
    """`records` in a fixed order (provider, instance type, region, id) and their columns as arrays of that order.

    `numbers` hold floats (NaN = unknown; times as epoch seconds, flags as 0 and 1), `texts` hold words. `version`
    changes whenever an offer or a rate does. `as_of` is the newest observation. `rates` has the newest rate by currency:
    its day and USD per unit.
    """

    version: str
    records: tuple[OfferRecord, ...]
    facts: tuple[Facts, ...]
    numbers: Mapping[str, FloatArray]
    texts: Mapping[str, Coded]
    facets: Mapping[str, Coded]
    index: Mapping[str, int]
    as_of: datetime | None
    labels: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    rates: Mapping[str, tuple[date | None, float]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.records)

    def row_of(self, offer_id: str) -> int:
        """Row of an offer.

        Raises:
            NotFound: no current offer has this id.
        """
        row = self.index.get(offer_id)
        if row is None:
            raise NotFound("offer", offer_id)
        return row


class BoardHolder:
    """The one place that knows which board is current. Swapping is a single assignment: readers keep what they have."""

    def __init__(self, board: Board) -> None:
        self._board = board

    @property
    def current(self) -> Board:
        """The board of this moment; hold on to it for the whole answer."""
        return self._board

    def swap(self, board: Board) -> None:
        """Make `board` the current one."""
        self._board = board


def build(records: Iterable[OfferRecord], catalog: Catalog | None, version: str) -> Board:
    """A board from the current offers; the catalog adds the accelerator's data sheet and the provider's terms."""
    ordered = tuple(sorted(records, key=lambda r: (r.provider, r.instance_type, r.region, r.id)))
    facts = tuple(_facts(ordered, catalog))
    numbers: dict[str, FloatArray] = {}
    texts: dict[str, Coded] = {}
    for column in OFFER_COLUMNS:
        if column.kind == "text":
            texts[column.name] = Coded.of(_values(column, facts))
        elif column.kind != "list":
            numbers[column.name] = _floats(column, facts)
    facets = {
        column.name: Coded.of(map(column.facet, facts)) if column.facet else texts[column.name]
        for column in OFFER_COLUMNS
        if column.filter == "choice"
    }
    return Board(
        version=version,
        records=ordered,
        facts=facts,
        numbers=numbers,
        texts=texts,
        facets=facets,
        index={record.id: row for row, record in enumerate(ordered)},
        as_of=max((record.observed_at for record in ordered), default=None),
        labels=_labels(facts, facets["accelerator"].names, catalog),
    )


def _facts(records: tuple[OfferRecord, ...], catalog: Catalog | None) -> Iterable[Facts]:
    cards = catalog.accelerators if catalog else {}
    terms = {name: catalog.terms(name) for name in {record.provider for record in records}} if catalog else {}
    for record in records:
        yield Facts(record, cards.get(record.accelerator or ""), terms.get(record.provider))


def _values(column: Column, facts: tuple[Facts, ...]) -> Iterable[Any]:
    assert column.value is not None
    return map(column.value, facts)


def _floats(column: Column, facts: tuple[Facts, ...]) -> FloatArray:
    values = _values(column, facts)
    if column.kind == "time":
        values = (None if value is None else value.timestamp() for value in values)
    return np.array(list(values), dtype=np.float64)  # numpy reads None as NaN


def _labels(
    facts: tuple[Facts, ...], accelerator_names: Iterable[str], catalog: Catalog | None
) -> Mapping[str, Mapping[str, str]]:
    providers: dict[str, str] = {}
    accelerators: dict[str, str] = {}
    for record, card, _ in facts:
        providers[record.provider] = record.provider_name
        if card is not None:
            accelerators[card.key] = card.name
            accelerators[f"{card.key}-slice"] = f"{card.name} (part)"
    for name in accelerator_names:
        if name.endswith("-ambiguous"):
            models = name.removesuffix("-ambiguous").upper().replace("-OR-", " / ").replace("-", " ")
            accelerators[name] = f"{models}, variant not stated"
    countries = {record.country for record, _, _ in facts if record.country}
    return {
        "provider": providers,
        "accelerator": accelerators,
        "country": {code: catalog.country_name(code) for code in countries} if catalog else {},
        "model": {key: shape.name for key, shape in catalog.models.items()} if catalog else {},
    }
