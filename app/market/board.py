"""The board: every current offer as one immutable columnar frame, swapped whole when the database moves on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from functools import lru_cache, partial, wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar, cast

import numpy as np

from app.domain.coded import (
    CodeArray,
    Coded,
    FloatArray,
    Listed,
    Mask,
    RowArray,
    distinct_rows,
    number_key,
    word_key,
)
from app.domain.errors import NotFound
from app.domain.offer_table import IdArray, ListColumn, OfferTable
from app.domain.record import OfferRecord
from app.domain.sentence import Sentence
from app.market.arrays import Columns, Source
from app.market.column import Column, Facts
from app.market.columns import OFFER_COLUMNS
from app.market.labels import HARDWARE_NAMES
from app.market.rows import Records, Rows

if TYPE_CHECKING:
    from app.catalog import Catalog

__all__ = [
    "Board",
    "BoardHolder",
    "CodeArray",
    "Coded",
    "FloatArray",
    "Mask",
    "build",
    "build_from",
    "per_board",
]

P = ParamSpec("P")
T = TypeVar("T")
OfBoard = Callable[Concatenate["Board", P], T]


@dataclass(frozen=True, slots=True)
class Machines:
    """The distinct machines behind the offers: `firsts` (m,) is a row of each, in order of appearance, `of_row` (n,)
    the number of each row's machine."""

    firsts: RowArray
    of_row: RowArray


@dataclass(frozen=True, slots=True, eq=False)
class Board:
    """Offers in a fixed order (provider, instance type, region, id) and their columns as arrays of that order.

    `numbers` hold floats (NaN = unknown; times as epoch seconds, flags as 0 and 1), `texts` hold words. `version`
    changes whenever an offer or a rate does. `as_of` is the newest observation. `rates` has the newest rate by currency:
    its day and USD per unit. `facts` and `records` make a row when it is asked for: take columns for many.
    """

    version: str
    facts: Rows
    records: Records
    numbers: Mapping[str, FloatArray]
    texts: Mapping[str, Coded]
    facets: Mapping[str, Coded]
    machines: Machines
    places: tuple[IdArray, RowArray]
    as_of: datetime | None
    labels: Mapping[str, Mapping[str, str | Sentence]] = field(default_factory=dict)
    rates: Mapping[str, tuple[date | None, float]] = field(default_factory=dict)
    kept: dict[object, Callable[..., Any]] = field(default_factory=dict, init=False)

    def __len__(self) -> int:
        return len(self.records)

    def row_of(self, offer_id: str) -> int:
        """Row of an offer.

        Raises:
            NotFound: no current offer has this id.
        """
        ids, rows = self.places
        try:
            wanted = np.uint64(int(offer_id, 16))
        except (ValueError, OverflowError):
            raise NotFound("offer", offer_id) from None
        at = int(np.searchsorted(ids, wanted))
        if at == len(ids) or ids[at] != wanted or offer_id != f"{int(wanted):016x}":
            raise NotFound("offer", offer_id)
        return int(rows[at])


def per_board(maxsize: int) -> Callable[[OfBoard[P, T]], OfBoard[P, T]]:
    """Keeps the last `maxsize` answers of a function of a board, in the board: they are forgotten with it, and no
    cache holds on to a board that has been replaced."""

    def decorate(function: OfBoard[P, T]) -> OfBoard[P, T]:
        @wraps(function)
        def kept(board: Board, *args: P.args, **kwargs: P.kwargs) -> T:
            cache = board.kept.get(function)
            if cache is None:
                cache = board.kept.setdefault(function, lru_cache(maxsize)(partial(function, board)))
            found: T = cache(*args, **kwargs)
            return found

        return cast(OfBoard[P, T], kept)

    return decorate


class BoardHolder:
    """The one place that knows which board is current. Swapping is a single assignment: readers keep what they have."""

    def __init__(self, board: Board) -> None:
        self._board = board

    @property
    def current(self) -> Board:
        """The board of this moment; hold on to it for the whole answer."""
        return self._board

    def swap(self, board: Board) -> None:
        """Make `board` the current one. What the old one kept leads back to it: without it the old board goes when its
        last reader does, and no row of replaced boards waits for the collector of cycles."""
        replaced, self._board = self._board, board
        if replaced is not board:
            replaced.kept.clear()


def build(records: Iterable[OfferRecord], catalog: Catalog | None, version: str) -> Board:
    """A board of these offers."""
    return build_from(OfferTable.of(records), catalog, version)


def build_from(offers: OfferTable, catalog: Catalog | None, version: str) -> Board:
    """A board from the current offers; the catalog adds the accelerator's data sheet and the provider's terms."""
    offers = offers.take(_reading_order(offers))
    facts, all_, by_id = Rows(offers, catalog), Columns(offers, catalog), np.argsort(offers.ids)
    texts = {"id": _ids(offers, by_id)}
    numbers: dict[str, FloatArray] = {}
    for column in OFFER_COLUMNS:
        if column.name in texts:
            continue
        if column.kind in ("text", "list"):
            texts[column.name] = _texts(column, all_, facts)
        else:
            numbers[column.name] = _numbers(column, all_, facts)
    facets = {
        column.name: _by_name(column.facet, offers, facts) if column.facet else texts[column.name]
        for column in OFFER_COLUMNS
        if column.filter == "choice"
    }
    return Board(
        version=version,
        facts=facts,
        records=Records(facts),
        numbers=numbers,
        texts=texts,
        facets=facets,
        machines=_machines(offers),
        places=(offers.ids[by_id], by_id),
        as_of=datetime.fromtimestamp(offers.numbers["observed_at"].max(), UTC) if len(offers) else None,
        labels=_labels(offers, facets["accelerator"].names, catalog),
    )


def _reading_order(offers: OfferTable) -> RowArray:
    words = offers.words
    return np.lexsort(
        (offers.ids, words["region"].order(), words["instance_type"].order(), words["provider"].order())
    )


def _texts(column: Column, all_: Columns, facts: Rows) -> Coded:
    found = _at_once(column, all_)
    if isinstance(found, Coded):
        return found
    if column.kind == "list" and found is not None:
        listed: ListColumn = found
        return listed.words()
    assert column.value is not None
    return Coded.of(map(column.value, facts))


def _numbers(column: Column, all_: Columns, facts: Rows) -> FloatArray:
    found = _at_once(column, all_)
    if found is None:
        assert column.value is not None
        found = list(map(column.value, facts))
    return np.asarray(found, np.float64)


def _at_once(column: Column, all_: Columns) -> Any:
    """A column for all offers at once; None where it only knows how to read one (a test says that none is)."""
    if column.array is not None:
        return column.array(all_)
    return all_.read(column.value, column.kind) if isinstance(column.value, Source) else None


def _ids(offers: OfferTable, by_id: RowArray) -> Coded:
    """Ids as words; they sort as their numbers do."""
    joined = offers.ids[by_id].astype(">u8").tobytes().hex()
    codes = np.empty(len(offers), np.int32)
    codes[by_id] = np.arange(len(offers))
    return Coded(codes, tuple(joined[at : at + 16] for at in range(0, len(joined), 16)))


def _machines(offers: OfferTable) -> Machines:
    """What tells machines apart: the card as far as its name says, how many, how joined; of a part of a card, its
    memory."""
    words, numbers = offers.words, offers.numbers
    count = numbers["accelerator_count"]
    memory = np.where(count < 1, numbers["memory_gib_per_accelerator"], np.nan)
    figures = ("intra_node_gbytes_per_s", "link_domain", "peer_to_peer", "fabric_gbps", "max_nodes")
    return Machines(
        *distinct_rows(
            [
                _card_key(offers),
                *(word_key(words[name]) for name in ("accelerator_status", "intra_node_link", "fabric")),
                *(number_key(numbers[name]) for name in figures),
                number_key(count),
                number_key(memory),
            ]
        )
    )


def _card_key(offers: OfferTable) -> tuple[CodeArray, int]:
    """Accelerator, else the candidates, else the label."""
    accelerator, label, candidates = (
        offers.words["accelerator"], offers.words["accelerator_label"], offers.lists["candidates"],
    )  # fmt: skip
    assert isinstance(candidates, Listed)
    first, second = len(accelerator.names), len(accelerator.names) + len(candidates.values)
    unnamed = np.where(candidates.where(bool), first + candidates.codes, second + 1 + label.codes)
    named = accelerator.codes >= 0
    return np.where(named, accelerator.codes, unnamed), second + 1 + len(label.names)


def _by_name(facet: Callable[[Facts], str | None], offers: OfferTable, facts: Rows) -> Coded:
    """Words that depend on the accelerator's name alone, worked out once for each."""
    candidates = offers.lists["candidates"]
    assert isinstance(candidates, Listed)
    names = [word_key(offers.words[name]) for name in ("accelerator", "accelerator_status")]
    firsts, of_row = distinct_rows([*names, (candidates.codes, len(candidates.values))])
    return Coded.of([facet(facts[row]) for row in firsts]).take(of_row)


def _labels(
    offers: OfferTable, accelerator_names: Iterable[str], catalog: Catalog | None
) -> Mapping[str, Mapping[str, str | Sentence]]:
    words, cards = offers.words, catalog.accelerators if catalog else {}
    firsts, _ = distinct_rows([word_key(words["provider"]), word_key(words["provider_name"])])
    accelerators: dict[str, str | Sentence] = {}
    for key in words["accelerator"].names:
        if (card := cards.get(key)) is not None:
            accelerators[card.key] = card.name
            accelerators[f"{card.key}-slice"] = Sentence("{card} (part)", {"card": card.name})
    for name in accelerator_names:
        if name.endswith("-ambiguous"):
            models = name.removesuffix("-ambiguous").upper().replace("-OR-", " / ").replace("-", " ")
            accelerators[name] = Sentence("{models}, variant not stated", {"models": models})
    return {
        **dict.fromkeys(("vendor", "form_factor", "architecture"), HARDWARE_NAMES),
        "provider": {
            words["provider"].get(row) or "": words["provider_name"].get(row) or "" for row in firsts
        },
        "accelerator": accelerators,
        "country": {code: catalog.country_name(code) for code in words["country"].names} if catalog else {},
        "model": {key: shape.name for key, shape in catalog.models.items()} if catalog else {},
    }
