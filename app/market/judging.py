"""Verdicts on the distinct hardware shapes of a board: one search for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from app.domain.hardware import Cluster
from app.domain.run import TrainingRun
from app.market.question import Question
from app.market.shapes import HardwareShape
from app.training.fit import Verdict, judge, node_counts, refuse_before_search, settled
from app.training.plan import Plan, search

UNTIMED = {"deadline_hours": None, "link_share_limit": 1.0}
"""What cannot be asked of a run whose speed is not known."""


def judge_shapes(question: Question, hardware: Sequence[HardwareShape]) -> tuple[Verdict, ...]:
    """One verdict per hardware shape, in their order. Further nodes are tried only where fewer do not settle it.

    Raises:
        BadInput: a fixed setting that no hardware could run.
    """
    run = question.run if question.timed else question.run.model_copy(update=UNTIMED)
    verdicts = {
        i: verdict for i, item in enumerate(hardware) if (verdict := _before_search(run, item)) is not None
    }
    tried: dict[int, list[Plan]] = {i: [] for i in range(len(hardware)) if i not in verdicts}
    open_at = {i: iter(node_counts(run, _cluster(hardware[i]).fabric)) for i in tried}
    while rising := {i: nodes for i, counts in open_at.items() if (nodes := next(counts, None)) is not None}:
        clusters = [replace(_cluster(hardware[i]), nodes=nodes) for i, nodes in rising.items()]
        for i, plan in zip(
            rising, search(question.shape, run, question.recipe, clusters, question.correction), strict=True
        ):
            tried[i].append(plan)
            if settled(run, plan):
                del open_at[i]
    found = (verdicts.get(i) or judge(run, tried[i]) for i in range(len(hardware)))
    return (
        tuple(found)
        if question.timed
        else tuple(replace(verdict, time=None, bound=None) for verdict in found)
    )


def _cluster(item: HardwareShape) -> Cluster:
    assert item.cluster is not None
    return item.cluster


def _before_search(run: TrainingRun, item: HardwareShape) -> Verdict | None:
    if item.cluster is None:
        assert item.why is not None
        return Verdict("unknown", item.trouble, item.why)
    return refuse_before_search(run, item.cluster.node)
