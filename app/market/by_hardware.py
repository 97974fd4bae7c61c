"""A run on every distinct hardware shape of the board, with the cheapest offer of each: what the API answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np

from app.domain.flags import doubts_of
from app.domain.sentence import Sentence
from app.market.board import Board
from app.market.choices import flagged
from app.market.frame import plain
from app.training.cost import CostTable
from app.training.memory import PHASES

if TYPE_CHECKING:
    from app.market.estimating import Estimates


@dataclass(frozen=True, slots=True)
class HardwareAnswer:
    """One hardware shape. `memory` is GiB per accelerator, `time` of the chosen plan over `nodes` instances; `offer`
    is the cheapest offer that holds the run within budget and deadline, and `cost` its bill; None where there is none.
    `doubts` are those about its price: only where no offer without doubts holds the run is one with them taken.
    """

    label: str
    accelerator: str | None
    accelerator_count: float | None
    offers: int
    verdict: str
    reason: str | None
    why: Sentence
    plan: Sentence | None
    nodes: int
    need_gib: float | None
    headroom_gib: float | None
    memory: Mapping[str, float | str] | None
    time: Mapping[str, float | bool] | None
    bound: str | None
    offer: str | None
    doubts: tuple[str, ...]
    cost: Mapping[str, float | None] | None


def by_hardware(board: Board, table: Estimates) -> tuple[HardwareAnswer, ...]:
    """One answer per hardware shape that is on offer, the cheapest total first, then what holds it, then the rest."""
    answers = sorted(_answers(board, table), key=_order)
    return tuple(answers)


def _answers(board: Board, table: Estimates) -> Iterator[HardwareAnswer]:
    offers = np.bincount(table.hardware.of_row, minlength=len(table.verdicts))
    cheapest = _cheapest(board, table)
    for index, (shape, found) in enumerate(zip(table.hardware.shapes, table.verdicts, strict=True)):
        row = cheapest.get(index)
        node = shape.cluster.node if shape.cluster else None
        yield HardwareAnswer(
            label=shape.label,
            accelerator=node.accelerator.key if node else None,
            accelerator_count=node.count if node else None,
            offers=int(offers[index]),
            verdict=found.verdict,
            reason=found.reason or None,
            why=found.why,
            plan=found.plan_words,
            nodes=found.nodes,
            need_gib=found.need_gib,
            headroom_gib=found.headroom_gib,
            memory=_memory_words(found.memory),
            time=_time_words(found.time),
            bound=found.bound,
            offer=None if row is None else board.records[row].id,
            doubts=() if row is None else doubts_of(board.records[row].flags),
            cost=None if row is None else _bill(table.costs, row),
        )


def _memory_words(memory: Mapping[str, float] | None) -> Mapping[str, float | str] | None:
    return None if memory is None else {**memory, "peak_phase": PHASES[int(memory["peak_phase"])]}


def _time_words(time: Mapping[str, float] | None) -> Mapping[str, float | bool] | None:
    """`bound` is left out: the answer says it in a word beside."""
    if time is None:
        return None
    return {name: value for name, value in time.items() if name != "bound"} | {
        "memory_bound": bool(time["memory_bound"])
    }


def _cheapest(board: Board, table: Estimates) -> Mapping[int, int]:
    """Hardware shape → the shown row with the least total; rows without a price come after those with one, and rows
    with a doubtful price after both."""
    best: dict[int, int] = {}
    totals = np.where(np.isnan(table.total_usd), np.inf, table.total_usd)
    rows = np.flatnonzero(table.shown)
    for row in rows[np.lexsort((rows, totals[rows], flagged(board)[rows]))].tolist():
        best.setdefault(int(table.hardware.of_row[row]), row)
    return best


def _bill(costs: CostTable, row: int) -> Mapping[str, float | None]:
    return {item.name: plain(getattr(costs, item.name)[row]) for item in fields(costs)}


def _order(answer: HardwareAnswer) -> tuple[bool, float, bool, str]:
    total = answer.cost["total_usd"] if answer.cost else None
    return answer.cost is None, float("inf") if total is None else total, answer.plan is None, answer.label
