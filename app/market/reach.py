"""How far a run reaches on one machine: every term of its memory there, and how much larger it could grow."""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.hardware import Cluster
from app.market.question import Question
from app.training.corrected import corrected_memory
from app.training.fit import Verdict
from app.training.layout import Layout
from app.training.levers import largest_micro_batch, largest_sequence
from app.training.memory import MemoryBreakdown
from app.training.memory import breakdown as memory_breakdown


@dataclass(frozen=True, slots=True)
class Growth:
    """What memory still holds in one layout, all else unchanged: sequences per pass, and tokens per sequence with one
    sequence per pass. None = not even the smallest."""

    layout: Layout
    largest_micro_batch: int | None
    largest_sequence: int | None


@dataclass(frozen=True, slots=True)
class Reach:
    """A run on one machine of `nodes` nodes. `layout` is the chosen plan or, where `holds` is False, the leanest that
    was tried; `memory` is GiB per accelerator in it. `growth` has that layout first, then the leanest if it differs."""

    label: str
    cluster: Cluster
    holds: bool
    layout: Layout
    memory: MemoryBreakdown
    growth: tuple[Growth, ...]

    @property
    def usable_gib(self) -> float:
        """GiB of one accelerator, as its driver reports them."""
        return self.cluster.node.accelerator.usable_gib

    @property
    def nodes(self) -> int:
        """Nodes that the layout spans."""
        return self.cluster.nodes


def reach(question: Question, label: str, cluster: Cluster, verdict: Verdict) -> Reach | None:
    """The run on a machine that was judged; None where nothing could be laid out on it."""
    layout = verdict.plan or verdict.leanest
    if layout is None:
        return None
    layouts = dict.fromkeys((layout, verdict.leanest or layout))
    memory = memory_breakdown(question.shape, question.recipe, layout)
    return Reach(
        label=label,
        cluster=cluster,
        holds=verdict.holds,
        layout=layout,
        memory=corrected_memory(memory, question.correction),
        growth=tuple(_growth(question, one, cluster) for one in layouts),
    )


def _growth(question: Question, layout: Layout, cluster: Cluster) -> Growth:
    scale = question.correction.memory if question.correction else 1.0
    usable = cluster.node.accelerator.usable_gib / scale
    shape, run = question.shape, question.run
    return Growth(
        layout,
        largest_micro_batch(shape, run, layout, usable),
        largest_sequence(shape, run, layout, usable),
    )
