"""The few offers worth looking at: cheapest, fastest within budget, cheapest within the deadline, and the Pareto
front of hours against dollars. Rows are those of the board; ties are broken by row, so every answer is stable."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from app.market.board import Board, Mask
from app.market.offers import select
from app.market.query import OfferQuery

if TYPE_CHECKING:
    from app.market.service import Market

FloatArray = npt.NDArray[np.float64]
RowArray = npt.NDArray[np.int64]


class Timed(Protocol):
    """What a choice reads of the estimates, arrays (n,) with NaN = unknown."""

    @property
    def hours(self) -> FloatArray: ...
    @property
    def total_usd(self) -> FloatArray: ...


@dataclass(frozen=True, slots=True)
class Choices:
    """Rows of the board; None where no offer qualifies. `front` runs from the cheapest to the fastest, `rows` are all
    that took part, `left_out` counts offers that would have but for a flagged price."""

    cheapest: int | None
    fastest_within_budget: int | None
    cheapest_within_deadline: int | None
    front: tuple[int, ...]
    rows: RowArray = field(default_factory=lambda: np.empty(0, np.int64))
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The next step on the front from one offer: dearer and `faster`, `cheaper` and slower; `better` is neither slower
    nor dearer than the offer, which then is not on the front itself."""

    faster: int | None
    cheaper: int | None
    better: int | None = None


def choices_of(market: Market, query: OfferQuery) -> Choices | None:
    """The choices among the offers that answer a question; None without a training run. Offers with a flagged price
    take no part unless the question asks for them (`choices=flagged`, or a filter of its own on `flagged`).

    Raises:
        BadInput: the run cannot be answered.
    """
    if query.run is None:
        return None
    selection = select(market, query)
    held = selection.chosen & selection.frame.shown()
    doubtful = held & flagged(selection.frame.board) & ~counts_flagged(query)
    run, rows = query.run, np.flatnonzero(held & ~doubtful)
    found = choose(selection.frame.estimates, rows, run.budget_usd, run.deadline_hours)
    return replace(found, left_out=len(_known(selection.frame.estimates, np.flatnonzero(doubtful))))


def counts_flagged(query: OfferQuery) -> bool:
    """The question wants offers with a flagged price among the choices."""
    return dict(query.view).get("choices") == "flagged" or any(
        item.column.name == "flagged" for item in query.filters
    )


def flagged(board: Board) -> Mask:
    """Offers about whose price something looks odd, shape (n,)."""
    return np.asarray(board.numbers["flagged"] == 1.0, dtype=np.bool_)


def choose(
    estimates: Timed, rows: RowArray, budget_usd: float | None = None, deadline_hours: float | None = None
) -> Choices:
    """The choices among `rows` (those shown); rows with unknown time or cost take no part."""
    rows = _known(estimates, rows)
    hours, usd = estimates.hours, estimates.total_usd
    affordable = rows if budget_usd is None else rows[usd[rows] <= budget_usd]
    in_time = rows if deadline_hours is None else rows[hours[rows] <= deadline_hours]
    return Choices(
        cheapest=_first(rows, usd, hours),
        fastest_within_budget=_first(affordable, hours, usd),
        cheapest_within_deadline=_first(in_time, usd, hours),
        front=pareto_front(estimates, rows),
        rows=rows,
    )


def pareto_front(estimates: Timed, rows: RowArray) -> tuple[int, ...]:
    """Rows that no other row beats in both hours and dollars, from the cheapest to the fastest.

    Of rows that agree in both, the first stands for all.
    """
    rows = _known(estimates, rows)
    if not len(rows):
        return ()
    hours, usd = estimates.hours[rows], estimates.total_usd[rows]
    order = np.lexsort((rows, hours, usd))
    fastest_before = np.minimum.accumulate(np.append(np.inf, hours[order][:-1]))
    return tuple(int(row) for row in rows[order][hours[order] < fastest_before])


def neighbours(estimates: Timed, front: tuple[int, ...], row: int) -> Neighbours:
    """The next points of the front as seen from `row`: the cheapest that is faster and dearer, the fastest that is
    cheaper and slower, and the cheapest that beats it in both. A row of unknown time or cost has none."""
    points = np.asarray(front, dtype=np.int64)
    hours, usd = estimates.hours, estimates.total_usd
    h, u = hours[points], usd[points]
    beats = (h <= hours[row]) & (u <= usd[row]) & ((h < hours[row]) | (u < usd[row]))
    return Neighbours(
        faster=_first(points[(h < hours[row]) & (u > usd[row])], usd, hours),
        cheaper=_first(points[(u < usd[row]) & (h > hours[row])], hours, usd),
        better=_first(points[beats], usd, hours),
    )


def _known(estimates: Timed, rows: RowArray) -> RowArray:
    return rows[np.isfinite(estimates.hours[rows]) & np.isfinite(estimates.total_usd[rows])]


def _first(rows: RowArray, by: FloatArray, then: FloatArray) -> int | None:
    return int(rows[np.lexsort((rows, then[rows], by[rows]))[0]]) if len(rows) else None
