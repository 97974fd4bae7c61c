"""The few offers worth looking at: cheapest, fastest within budget, cheapest within the deadline, and the Pareto
front of hours against dollars. Rows are those of the board; ties are broken by row, so every answer is stable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

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
    """Rows of the board; None where no offer qualifies. `front` runs from the cheapest to the fastest."""

    cheapest: int | None
    fastest_within_budget: int | None
    cheapest_within_deadline: int | None
    front: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The next step on the front from one offer: dearer and faster, cheaper and slower."""

    faster: int | None
    cheaper: int | None


def choices_of(market: Market, query: OfferQuery) -> Choices | None:
    """The choices among the offers that answer a question; None without a training run.

    Raises:
        BadInput: the run cannot be answered.
    """
    if query.run is None:
        return None
    selection = select(market, query)
    held = selection.chosen & selection.frame.shown()
    run = query.run
    return choose(selection.frame.estimates, np.flatnonzero(held), run.budget_usd, run.deadline_hours)


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
    """The cheapest point of the front that is faster than `row`, and the fastest one that is cheaper."""
    points = np.asarray(front, dtype=np.int64)
    faster = points[estimates.hours[points] < estimates.hours[row]]
    cheaper = points[estimates.total_usd[points] < estimates.total_usd[row]]
    return Neighbours(
        faster=_first(faster, estimates.total_usd, estimates.hours),
        cheaper=_first(cheaper, estimates.hours, estimates.total_usd),
    )


def _known(estimates: Timed, rows: RowArray) -> RowArray:
    return rows[np.isfinite(estimates.hours[rows]) & np.isfinite(estimates.total_usd[rows])]


def _first(rows: RowArray, by: FloatArray, then: FloatArray) -> int | None:
    return int(rows[np.lexsort((rows, then[rows], by[rows]))[0]]) if len(rows) else None
