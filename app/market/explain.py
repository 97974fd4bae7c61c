"""One run on one offer with every term: what the breakdown page and `POST /api/v1/estimates` show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from app.domain.hardware import Cluster
from app.domain.record import OfferRecord
from app.domain.run import TrainingRun
from app.domain.sentence import Sentence
from app.market.board import Board
from app.market.choices import Neighbours, flagged, neighbours, pareto_front
from app.market.costs import (
    Rates,
    commitment_words,
    prices_for,
    published_interruptions,
    stand_in_words,
    unknown_terms,
    work_on,
)
from app.market.estimating import Estimates, estimate, estimate_aside
from app.market.host import hosts_at
from app.market.naive import NaiveRule, naive_rules
from app.market.question import Question
from app.market.shapes import assumed_links
from app.training.billing import Prices
from app.training.corrected import corrected_memory, corrected_time
from app.training.cost import CostBreakdown
from app.training.cost import breakdown as cost_breakdown
from app.training.fit import Verdict
from app.training.host import host_warnings
from app.training.layout import Layout
from app.training.levers import Lever, largest_micro_batch, largest_sequence, levers
from app.training.memory import MemoryBreakdown
from app.training.memory import breakdown as memory_breakdown
from app.training.parameters import count
from app.training.resilience import Resilience, resilience_of
from app.training.throughput import TimeBreakdown
from app.training.throughput import breakdown as time_breakdown
from app.training.work import Work

if TYPE_CHECKING:
    from app.catalog import Catalog


@dataclass(frozen=True, slots=True)
class Explanation:
    """Everything about one run on one offer.

    `verdict`, `reason` and `why` are the final ones (host memory, budget and deadline included). `layout` is the
    chosen plan, or the leanest layout where nothing fits: `memory` explains it; `time` and `cost` are None where
    the job is not held. `cluster` is None for hardware that cannot be judged. `largest_*` are what would still fit
    in this layout; `assumed` names figures that stand in for unknown ones, among them those of `unknown_terms` of the
    provider; `resilience` says what interruptions do.
    """

    record: OfferRecord
    question: Question
    found: Verdict
    verdict: str
    reason: str | None
    why: Sentence
    cluster: Cluster | None
    layout: Layout | None = None
    memory: MemoryBreakdown | None = None
    time: TimeBreakdown | None = None
    cost: CostBreakdown | None = None
    levers: tuple[Lever, ...] = ()
    largest_micro_batch: int | None = None
    largest_sequence: int | None = None
    rules: tuple[NaiveRule, ...] = ()
    warnings: tuple[Sentence, ...] = ()
    assumed: tuple[str | Sentence, ...] = ()
    unknown_terms: tuple[str, ...] = ()
    beside: Mapping[str, str | None] | None = None
    resilience: Resilience | None = None
    published_interruptions: Sentence | None = None

    @property
    def calibration(self) -> Sentence | None:
        """What one's own trial corrects in these figures; None without one."""
        return self.question.calibration

    @property
    def usable_gib(self) -> float | None:
        """GiB of one accelerator that the job is judged against."""
        return None if self.cluster is None else self.cluster.node.accelerator.usable_gib


def explain(
    board: Board, offer_id: str, run: TrainingRun, catalog: Catalog, aside: bool = False
) -> Explanation:
    """Every term of a run on one offer. `aside` for a board that is asked once and not kept.

    Raises:
        NotFound: there is no such offer now.
        BadInput: the run cannot be answered.
    """
    row = board.row_of(offer_id)
    table = estimate_aside(board, run, catalog) if aside else estimate(board, run, catalog)
    found, hardware = table.verdict_of(row), table.hardware.shapes[table.hardware.of_row[row]]
    cluster = hardware.cluster and replace(hardware.cluster, nodes=found.nodes)
    explanation = Explanation(
        record=board.records[row],
        question=table.question,
        found=found,
        verdict=str(table.verdict[row]),
        reason=table.reason[row],
        why=table.why[row],
        cluster=cluster,
        rules=naive_rules(float(count(table.question.shape).total), table.question.run),
        assumed=(*table.question.assumed, *hardware.assumed, *(assumed_links(cluster) if cluster else ())),
        warnings=_warnings(board, table, row) if cluster is not None else (),
        beside=_beside(board, table, row),
        published_interruptions=published_interruptions(board, row),
    )
    if cluster is None or (layout := found.plan or found.leanest) is None:
        return explanation
    return _with_terms(explanation, board, row, cluster, layout)


def _with_terms(
    explanation: Explanation, board: Board, row: int, cluster: Cluster, layout: Layout
) -> Explanation:
    question, found = explanation.question, explanation.found
    shape, run, recipe = question.shape, question.run, question.recipe
    scale = question.correction.memory if question.correction else 1.0
    usable = cluster.node.accelerator.usable_gib / scale
    held = found.plan is not None and found.time is not None
    bill = _bill(board, row, question, found) if held else None
    cost = cost_breakdown(*bill) if bill is not None else None
    unknown = unknown_terms(board, row) if held else ()
    return replace(
        explanation,
        layout=layout,
        memory=corrected_memory(memory_breakdown(shape, recipe, layout), question.correction),
        time=corrected_time(time_breakdown(shape, recipe, layout, cluster), question.correction, cluster)
        if held
        else None,
        cost=cost,
        assumed=(*explanation.assumed, *stand_in_words(unknown)),
        unknown_terms=unknown,
        resilience=resilience_of(*bill) if bill is not None else None,
        levers=levers(shape, run, cluster, question.correction),
        largest_micro_batch=largest_micro_batch(shape, run, layout, usable),
        largest_sequence=largest_sequence(shape, run, layout, usable),
    )


def _bill(board: Board, row: int, question: Question, found: Verdict) -> tuple[Work, Prices]:
    assert found.time is not None
    names = ("low_tokens_per_s", "tokens_per_s", "high_tokens_per_s")
    rates = Rates(*(np.asarray([found.time[name]]) for name in names))
    prices = prices_for(board, np.asarray([row]), np.asarray([float(found.nodes)]))
    return work_on(question.run, question.shape, question.recipe, rates), prices


def _warnings(board: Board, table: Estimates, row: int) -> tuple[Sentence, ...]:
    rows = np.asarray([row])
    taken = table.nodes[rows], table.hours[rows]
    host = host_warnings(hosts_at(board, table.question, table.hardware, rows, taken))
    committed = commitment_words(table.costs, row)
    return host if committed is None else (committed, *host)


def _beside(board: Board, table: Estimates, row: int) -> Mapping[str, str | None]:
    """Ids of the neighbours on the front of hours against dollars: `faster` and dearer, `cheaper` and slower, `better`
    in both. Offers with a flagged price are no neighbours."""
    front = pareto_front(table, np.flatnonzero(table.shown & ~flagged(board)))
    found: Neighbours = neighbours(table, front, row)
    return {
        name: None if at is None else board.records[at].id
        for name, at in (("faster", found.faster), ("cheaper", found.cheaper), ("better", found.better))
    }
