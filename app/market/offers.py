"""List and get offers: the rows, their order, what a training run hides and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from app.domain.errors import BadInput
from app.domain.record import OfferRecord
from app.domain.sentence import Sentence
from app.market.board import Board, FloatArray, Mask
from app.market.caption import Caption, caption_of
from app.market.column import Column
from app.market.columns import BY_NAME, COLUMNS, OFFER_COLUMNS
from app.market.facets import Option, Span, facets_of, spans_of
from app.market.filters import Filter
from app.market.frame import Frame, first_rows
from app.market.free_text import Word
from app.market.groups import PRICE, Group, Rows, groups_of
from app.market.known import check_values
from app.market.query import DEFAULT_RUN_SORT, DEFAULT_SORT, MAX_PER_PAGE, OfferQuery
from app.market.units import Units

if TYPE_CHECKING:
    from app.market.service import Market


@dataclass(frozen=True, slots=True)
class OfferRow:
    """One line. `cells` has every column by name in plain types; `hidden` rows cannot hold the run (`why` says so)."""

    record: OfferRecord
    cells: Mapping[str, Any]
    hidden: bool = False

    @property
    def id(self) -> str:
        """Identity of the offer."""
        return self.record.id

    @property
    def why(self) -> Sentence | None:
        """The verdict as a sentence, with a run."""
        return self.cells.get("why")

    def __getitem__(self, name: str) -> Any:
        return self.cells[name]


@dataclass(frozen=True, slots=True)
class OfferPage:
    """One page of the answer. `total` counts all pages; `hidden` counts by reason what the run rules out. `groups` (in
    USD per hour; `shown_groups` in `units`) are there where the question gathers rows, `removals` where nothing answers it: what taking one condition away gives.
    `notice` is what the run's estimates leave open."""

    query: OfferQuery
    rows: tuple[OfferRow, ...]
    total: int
    hidden: Mapping[str, int]
    as_of: datetime | None
    caption: Caption
    columns: tuple[Column, ...]
    version: str
    facets: Mapping[str, tuple[Option, ...]] = field(default_factory=dict)
    spans: Mapping[str, Span] = field(default_factory=dict)
    units: Units = field(default_factory=Units)
    groups: tuple[Group, ...] = ()
    shown_groups: tuple[Group, ...] = ()
    removals: tuple[Removal, ...] = ()
    notice: Sentence | None = None

    @property
    def hidden_total(self) -> int:
        """How many offers the run rules out."""
        return sum(self.hidden.values())

    @property
    def pages(self) -> int:
        """How many pages there are, at least one."""
        return max(1, -(-self.total // (self.query.per_page or max(self.total, 1))))

    @property
    def next(self) -> OfferQuery | None:
        """The question for the next page."""
        return self.query.with_(page=self.query.page + 1) if self.query.page < self.pages else None


@dataclass(frozen=True, slots=True)
class Removal:
    """Without this condition (a filter, a word of the free text, or the run itself: None) there would be `offers`."""

    condition: Filter | Word | None
    offers: int


@dataclass(frozen=True, slots=True)
class Selection:
    """The frame of a question and which of its rows answer it. `fitting` is None without a run."""

    frame: Frame
    units: Units
    conditions: tuple[tuple[Filter, Mask], ...]
    spoken: tuple[tuple[Word, Mask], ...]
    words: Mask
    fitting: Mask | None
    chosen: Mask
    hidden: Mask

    @property
    def rest(self) -> Mask:
        """All that is no filter: free text and, unless hidden rows are shown, the fit."""
        return self.words & ~self.hidden


def select(market: Market, query: OfferQuery) -> Selection:
    """Which rows answer the question.

    A run hides what it cannot use, unless the question shows it or filters by the verdict itself.

    Raises:
        UnknownValue: a filter wants what does not exist.
    """
    frame = market.frame(query.run)
    check_values(query.filters, frame, market.catalog)
    now = market.clock()
    conditions = tuple((item, item.mask(frame, now)) for item in query.filters)
    spoken = tuple((word, word.mask(frame, now)) for word in query.words.words)
    words = _all(frame, (mask for _, mask in spoken))
    fitting = frame.shown() if frame.estimates is not None else None
    asks = query.show_hidden or any(item.column.name in ("verdict", "reason") for item in query.filters)
    hidden = np.zeros(len(frame.board), np.bool_) if fitting is None or asks else ~fitting
    chosen = words & ~hidden & _all(frame, (mask for _, mask in conditions))
    units = Units.of(dict(query.view), frame.board)
    return Selection(frame, units, conditions, spoken, words, fitting, chosen, hidden)


def _all(frame: Frame, masks: Iterable[Mask]) -> Mask:
    passed = np.ones(len(frame.board), np.bool_)
    for mask in masks:
        passed &= mask
    return passed


def _sort_keys(selection: Selection, query: OfferQuery, rows: Rows) -> FloatArray:
    """The order follows what is shown: prices of one accelerator or of a term are in another order than kept ones."""
    column = BY_NAME[query.sort]
    if not selection.units.change(column):
        return selection.frame.sort_keys(query.sort, query.descending, rows)
    shown = selection.units.numbers(selection.frame, column)[rows]
    return np.where(np.isnan(shown), np.inf, -shown if query.descending else shown)


def in_order(query: OfferQuery, selection: Selection) -> OfferQuery:
    """The same question, by price per hour where it is by the cost of a run whose speed nobody can tell."""
    estimates = selection.frame.estimates
    if estimates is None or estimates.question.timed or query.sort != DEFAULT_RUN_SORT:
        return query
    return replace(query, sort=DEFAULT_SORT)


def ordered_rows(selection: Selection, query: OfferQuery) -> Sequence[int]:
    """Board rows of the asked page, in order; ties keep the board's own order."""
    rows = np.flatnonzero(selection.chosen)
    keys = _sort_keys(selection, query, rows)
    size = query.per_page or len(rows)
    start = (query.page - 1) * size
    page: list[int] = rows[first_rows(keys, start, start + size)].tolist()
    return page


def list_offers(market: Market, query: OfferQuery, facets: bool = False) -> OfferPage:
    """One page of offers.

    Raises:
        BadInput: `per_page=all`, which is for the export; anything the run makes impossible.
    """
    if query.per_page is None:
        raise BadInput(
            "per_page",
            Sentence("all is for the CSV export; here it is at most {most}", {"most": MAX_PER_PAGE}),
        )
    selection = select(market, query)
    query = in_order(query, selection)
    frame, total = selection.frame, int(np.count_nonzero(selection.chosen))
    return OfferPage(
        query=query,
        rows=tuple(row_of(selection, row) for row in ordered_rows(selection, query)),
        total=total,
        hidden=_hidden_by_reason(selection),
        as_of=frame.board.as_of,
        caption=caption_of(query, frame.board, total),
        columns=query.shown_columns,
        version=frame.board.version,
        facets=facets_of(frame, selection.conditions, selection.rest) if facets else {},
        spans=spans_of(frame, selection.conditions, selection.rest) if facets else {},
        units=selection.units,
        groups=grouped(selection, query, Units()),
        shown_groups=grouped(selection, query, selection.units),
        removals=() if total else _removals(selection),
        notice=frame.estimates.question.notice if frame.estimates is not None else None,
    )


def grouped(selection: Selection, query: OfferQuery, units: Units) -> tuple[Group, ...]:
    """The groups of a question that gathers rows, in the order of their best offer; none otherwise. A price is that of
    one accelerator, as the groups show it."""
    if not query.group:
        return ()
    if query.sort == DEFAULT_SORT:
        query = replace(query, sort=PRICE.name)
    rows = np.flatnonzero(selection.chosen)
    order = np.argsort(_sort_keys(selection, query, rows), kind="stable")
    return groups_of(selection.frame, query.group, rows[order], units)


def _removals(selection: Selection) -> tuple[Removal, ...]:
    """Conditions that alone stand between the question and an answer, the most fruitful first."""
    masks: list[tuple[Filter | Word | None, Mask]] = [*selection.conditions, *selection.spoken]
    if selection.fitting is not None:
        masks.append((None, ~selection.hidden))
    found = []
    for own, _ in masks:
        left = _all(selection.frame, (mask for other, mask in masks if other is not own))
        found.append(Removal(own, int(np.count_nonzero(left))))
    return tuple(sorted((one for one in found if one.offers), key=lambda one: -one.offers))


def get_offer(market: Market, offer_id: str) -> OfferRow:
    """One current offer.

    Raises:
        NotFound: there is no such offer now.
    """
    return row_on(market.board, offer_id)


def row_on(board: Board, offer_id: str) -> OfferRow:
    """One offer of a board, without a run.

    Raises:
        NotFound: it has no such offer.
    """
    row, frame = board.row_of(offer_id), Frame(board)
    return OfferRow(
        board.records[row], {column.name: frame.value(column.name, row) for column in OFFER_COLUMNS}
    )


def row_of(selection: Selection, row: int) -> OfferRow:
    """The line of a board row."""
    frame = selection.frame
    columns = COLUMNS if frame.estimates is not None else OFFER_COLUMNS
    hidden = selection.fitting is not None and not selection.fitting[row]
    cells = {column.name: frame.value(column.name, row) for column in columns}
    return OfferRow(frame.board.records[row], cells, bool(hidden))


def _hidden_by_reason(selection: Selection) -> Mapping[str, int]:
    if selection.fitting is None:
        return {}
    out = selection.words & ~selection.fitting
    for item, mask in selection.conditions:
        if not item.column.needs_run:
            out &= mask
    reasons = selection.frame.words("reason")
    counts = np.bincount(reasons.codes[out] + 1, minlength=len(reasons.names) + 1).tolist()
    told = Counter({"unknown": counts[0]})
    told.update(dict(zip(reasons.names, counts[1:], strict=True)))
    return {reason: count for reason, count in told.most_common() if count}
