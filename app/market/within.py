"""What a run's deadline and budget leave of the offers that hold it: the smallest machine, and what holds the others up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.domain.hardware import Cluster
from app.domain.run import TrainingRun
from app.domain.sentence import N_, Sentence
from app.market.estimating import Estimates
from app.market.judging import Judged, nodes_sold, size
from app.training.fit import Verdict


@dataclass(frozen=True, slots=True)
class Within:
    """`smallest` is the machine with the least accelerator memory that is on offer within the `limits` (words), over
    `nodes` nodes; None where no offer is known to meet them. `tiers` are the sizes of all that do: single, node,
    cluster. `batch` says where the global batch keeps late offers from more nodes."""

    limits: Sentence
    smallest: str | None
    nodes: int
    tiers: frozenset[str]
    batch: Sentence | None = None

    def headline(self, memory: Sentence) -> Sentence:
        """What meets the limits, then what memory alone would take."""
        said = {"limits": self.limits, "smallest": self.smallest, "nodes": self.nodes, "memory": memory}
        if self.smallest is None:
            return Sentence(N_("Nothing on offer is known to meet {limits}. By memory alone: {memory}"), said)
        if self.nodes == 1:
            return Sentence(
                N_("Within {limits}, the smallest is {smallest}. By memory alone: {memory}"), said
            )
        text = N_("Within {limits}, the smallest is {nodes} nodes of {smallest}. By memory alone: {memory}")
        return Sentence(text, said)


def within_limits(table: Estimates) -> Within | None:
    """What meets deadline and budget; None where the run sets neither, or no offer holds it in the first place."""
    run = table.question.run
    if (run.deadline_hours is None and run.budget_usd is None) or not any(v.holds for v in table.verdicts):
        return None
    met = _judged(table, np.unique(table.hardware.of_row[table.shown]).tolist())
    least = min(met, key=size, default=None)
    return Within(
        limits=_limits(run),
        smallest=least[0].label if least else None,
        nodes=least[2].nodes if least else 1,
        tiers=frozenset(_tier(cluster, verdict) for _, cluster, verdict in met),
        batch=_batch(table),
    )


def _judged(table: Estimates, at: Sequence[int]) -> list[Judged]:
    shapes = ((table.hardware.shapes[i], table.verdicts[i]) for i in at)
    return [(shape, shape.cluster, verdict) for shape, verdict in shapes if shape.cluster is not None]


def _tier(cluster: Cluster, verdict: Verdict) -> str:
    if verdict.nodes > 1:
        return "cluster"
    return "node" if cluster.node.count > 1 else "single"


def _limits(run: TrainingRun) -> Sentence:
    if run.budget_usd is None:
        return Sentence(N_("your deadline"))
    return Sentence(N_("your budget") if run.deadline_hours is None else N_("your deadline and budget"))


def _batch(table: Estimates) -> Sentence | None:
    """Late offers whose every sequence of the global batch has a rank of its own already."""
    run, late = table.question.run, table.hardware.of_row[table.reason == "deadline"]
    bound = [i for i, shape in enumerate(table.hardware.shapes) if shape.cluster is not None
             and _batch_bound(run, table.verdicts[i], nodes_sold(run, shape.cluster))]  # fmt: skip
    held_up = int(np.count_nonzero(np.isin(late, bound)))
    if not held_up:
        return None
    text = N_(
        "Offers that are too late because of the global batch: {offers}. Its {batch} sequences go to at most {batch} data-parallel ranks, "
        "fewer than your {most} nodes would have; a larger global batch would let more nodes take part."
    )
    return Sentence(
        text, {"offers": f"{held_up:,}", "batch": f"{run.global_batch_size:,}", "most": run.max_nodes}
    )


def _batch_bound(run: TrainingRun, verdict: Verdict, most: int) -> bool:
    layout = verdict.plan
    return layout is not None and layout.data_parallel == run.global_batch_size and verdict.nodes < most
