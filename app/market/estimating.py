"""A training run against every offer of the board: verdict, plan, speed, hours and dollars, row by row.

Verdicts are found once per distinct hardware shape and joined onto the offers (design rule 7); what differs between
offers of one shape (host memory, price, billing terms) is computed in arrays over the rows that hold the job.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, fields
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from app.domain.run import TrainingRun
from app.domain.sentence import Sentence
from app.market.board import Board
from app.market.costs import Rates, prices_for, work_on
from app.market.host import host_words, hosts_at
from app.market.judging import judge_shapes
from app.market.question import Question
from app.market.shapes import HardwareIndex, hardware_index
from app.market.whys import RULES, Whys, host_rules, with_limits
from app.training.cost import CostTable, cost_of
from app.training.fit import HOLDS, Verdict
from app.training.host import host_need_gib

if TYPE_CHECKING:
    from app.catalog import Catalog

FloatArray = npt.NDArray[np.float64]
WordArray = npt.NDArray[np.object_]
BoolArray = npt.NDArray[np.bool_]
KEPT = 32
_NONE = np.array(None, dtype=np.object_)


@dataclass(frozen=True, slots=True, eq=False)
class Estimates:
    """Arrays aligned with the board's rows, NaN or None = unknown. `shown` = holds the job within budget and
    deadline. `nodes` instances are counted in the costs; `hours` is wall-clock time; `host_check` as `host.host_words`."""

    question: Question
    hardware: HardwareIndex
    verdicts: tuple[Verdict, ...]
    costs: CostTable
    shown: BoolArray
    verdict: WordArray
    reason: WordArray
    why: Sequence[Sentence]
    plan: WordArray
    nodes: FloatArray
    headroom_gib: FloatArray
    tokens_per_s: FloatArray
    mfu: FloatArray
    host_check: WordArray

    @property
    def hours(self) -> FloatArray:
        """Expected wall-clock hours."""
        return self.costs.hours

    @property
    def total_usd(self) -> FloatArray:
        """Expected cost of the whole run over all nodes."""
        return self.costs.total_usd

    @property
    def total_usd_low(self) -> FloatArray:
        """Cost at the fast edge of the band."""
        return self.costs.low_usd

    @property
    def total_usd_high(self) -> FloatArray:
        """Cost at the slow edge of the band."""
        return self.costs.high_usd

    def verdict_of(self, row: int) -> Verdict:
        """The verdict on the hardware shape of a row (before host memory, budget and deadline)."""
        return self.verdicts[int(self.hardware.of_row[row])]


class _Cache:
    """The last KEPT runs on the board that was asked last; a new board forgets them all. One estimate at a time: a
    second question about the same run waits and finds the first one's answer."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, Estimates] = OrderedDict()
        self._board: Board | None = None
        self._lock = Lock()

    def get(self, board: Board, run: TrainingRun, catalog: Catalog) -> Estimates:
        key = repr(run.to_fields())
        with self._lock:
            if board is not self._board:
                self._kept.clear()
                self._board = board
            found = self._kept.get(key)
            if found is None:
                found = self._kept[key] = _estimate(board, Question.of(run, catalog), catalog)
            self._kept.move_to_end(key)
            if len(self._kept) > KEPT:
                self._kept.popitem(last=False)
            return found


_cache = _Cache()


def estimate(board: Board, run: TrainingRun, catalog: Catalog) -> Estimates:
    """The estimates of a run, cached by run and board.

    Raises:
        BadInput: the run names no model, or asks for what no hardware could run.
    """
    return _cache.get(board, run, catalog)


def estimate_aside(board: Board, run: TrainingRun, catalog: Catalog) -> Estimates:
    """The same for a board that is asked once; what is kept of the current one stays.

    Raises:
        BadInput: as `estimate`.
    """
    return _estimate(board, Question.of(run, catalog), catalog)


def _estimate(board: Board, question: Question, catalog: Catalog) -> Estimates:
    hardware = hardware_index(board, catalog)
    verdicts = judge_shapes(question, hardware.shapes)
    of_row, ram = hardware.of_row, board.numbers["ram_gib"]
    needs = _numbers([_host_need(question, v) for v in verdicts])[of_row]
    rules = host_rules(needs, ram)
    verdict = np.where(rules > 0, "does_not_fit", _words([v.verdict for v in verdicts])[of_row])
    holds = np.isin(verdict, sorted(HOLDS))
    costs = _costs(board, question, verdicts, of_row, holds | (verdict == "tight"))
    rules = with_limits(rules, question.run, costs, holds)
    reason = np.where(rules > 0, _words(RULES)[rules], _words([v.reason or None for v in verdicts])[of_row])
    nodes = _numbers([float(v.nodes) if v.plan else None for v in verdicts])[of_row]
    return Estimates(
        question=question,
        hardware=hardware,
        verdicts=verdicts,
        costs=costs,
        shown=holds & (reason == _NONE),
        verdict=verdict,
        reason=reason,
        why=Whys([v.why for v in verdicts], of_row, rules, question.run, costs, (needs, ram)),
        plan=_words([v.plan_words for v in verdicts])[of_row],
        nodes=nodes,
        headroom_gib=_numbers([v.headroom_gib for v in verdicts])[of_row],
        tokens_per_s=_of_time(verdicts, "tokens_per_s")[of_row],
        mfu=_of_time(verdicts, "mfu")[of_row],
        host_check=_host_words(
            board, question, hardware, np.flatnonzero(np.isfinite(costs.hours)), (nodes, costs.hours)
        ),
    )


def _host_need(question: Question, verdict: Verdict) -> float | None:
    if verdict.plan is None or not verdict.holds:
        return None
    return host_need_gib(question.shape, question.recipe, verdict.plan, verdict.nodes, question.run.method)


def _host_words(
    board: Board,
    question: Question,
    hardware: HardwareIndex,
    rows: npt.NDArray[np.int64],
    taken: tuple[FloatArray, FloatArray],
) -> WordArray:
    """What may hold the job up on the rows that hold it; None elsewhere."""
    words: WordArray = np.full(len(board), None, dtype=np.object_)
    nodes, hours = taken
    words[rows] = host_words(hosts_at(board, question, hardware, rows, (nodes[rows], hours[rows])))
    return words


def _costs(
    board: Board,
    question: Question,
    verdicts: Sequence[Verdict],
    of_row: npt.NDArray[np.int64],
    holds: BoolArray,
) -> CostTable:
    """Costs of the rows that hold the job; NaN elsewhere."""
    rows = np.flatnonzero(holds)
    at = of_row[rows]
    names = ("low_tokens_per_s", "tokens_per_s", "high_tokens_per_s")
    rates = Rates(*(_of_time(verdicts, name)[at] for name in names))
    nodes = np.asarray([v.nodes for v in verdicts], dtype=np.float64)[at]
    work = work_on(question.run, question.shape, question.recipe, rates)
    table = cost_of(work, prices_for(board, rows, nodes))
    return CostTable(**{f.name: _spread(getattr(table, f.name), rows, len(board)) for f in fields(CostTable)})


def _words(values: Sequence[Any]) -> WordArray:
    array = np.empty(len(values), dtype=np.object_)
    array[:] = values
    return array


def _numbers(values: Sequence[float | None]) -> FloatArray:
    return np.asarray([np.nan if value is None else value for value in values], dtype=np.float64)


def _of_time(verdicts: Sequence[Verdict], name: str) -> FloatArray:
    return _numbers([None if v.time is None else v.time[name] for v in verdicts])


def _spread(values: FloatArray, rows: npt.NDArray[np.int64], size: int) -> FloatArray:
    wide = np.full(size, np.nan)
    wide[rows] = values
    return wide
