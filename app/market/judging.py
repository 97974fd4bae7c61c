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
from app.training.workload import has_known_rate

Judged = tuple[HardwareShape, Cluster, Verdict]

UNTIMED = {"deadline_hours": None, "link_share_limit": 1.0}
"""What cannot be asked of a run whose speed is not known."""


def judge_shapes(question: Question, hardware: Sequence[HardwareShape]) -> tuple[Verdict, ...]:
    """One verdict per hardware shape, in their order. Further nodes are tried only where fewer do not settle it. Where
    the speed cannot be known, only memory is judged.

    Raises:
        BadInput: a fixed setting that no hardware could run.
    """
    timed = [_is_timed(question, item) for item in hardware]
    untimed = question.run.model_copy(update=UNTIMED)
    runs = [question.run if known else untimed for known in timed]
    verdicts = {
        i: verdict
        for i, item in enumerate(hardware)
        if (verdict := _before_search(runs[i], item)) is not None
    }
    tried: dict[int, list[Plan]] = {i: [] for i in range(len(hardware)) if i not in verdicts}
    open_at = {i: iter(node_counts(runs[i], _cluster(hardware[i]).fabric)) for i in tried}
    while rising := {i: nodes for i, counts in open_at.items() if (nodes := next(counts, None)) is not None}:
        clusters = [replace(_cluster(hardware[i]), nodes=nodes) for i, nodes in rising.items()]
        run = question.run if question.timed else untimed
        found = search(question.shape, run, question.recipe, clusters, question.correction)
        for i, plan in zip(rising, found, strict=True):
            tried[i].append(plan)
            if settled(runs[i], plan):
                del open_at[i]
    judged = (verdicts.get(i) or judge(runs[i], tried[i]) for i in range(len(hardware)))
    return tuple(
        verdict if known else replace(verdict, time=None, bound=None)
        for verdict, known in zip(judged, timed, strict=True)
    )


def size(entry: Judged) -> tuple[float, float, str]:
    """Total accelerator memory, GiB, then arithmetic: the smallest machine first."""
    item, cluster, verdict = entry
    card = cluster.node.accelerator
    count = cluster.node.count * verdict.nodes
    return count * card.usable_gib, count * (card.bf16_tflops or 0.0), item.label


def nodes_sold(run: TrainingRun, cluster: Cluster) -> int:
    """The most nodes that the run allows and the provider sells as one."""
    return min(run.max_nodes, cluster.fabric.max_nodes or run.max_nodes)


def _is_timed(question: Question, item: HardwareShape) -> bool:
    """Speed is a matter of the model and of a published rate for its number format."""
    rated = item.cluster is None or has_known_rate(item.cluster.node.accelerator, question.recipe.precision)
    return question.timed and rated


def _cluster(item: HardwareShape) -> Cluster:
    assert item.cluster is not None
    return item.cluster


def _before_search(run: TrainingRun, item: HardwareShape) -> Verdict | None:
    if item.cluster is None:
        assert item.why is not None
        return Verdict("unknown", item.trouble, item.why)
    return refuse_before_search(run, item.cluster.node)
