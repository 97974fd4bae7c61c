"""What a run needs, in words and before any price: does one accelerator hold it, a node, or only a cluster?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from app.domain.hardware import Cluster
from app.domain.run import TrainingRun
from app.domain.sentence import N_, Sentence
from app.market.board import Board
from app.market.judging import judge_shapes
from app.market.naive import NaiveRule, naive_rules
from app.market.question import Question
from app.market.shapes import HardwareShape, hardware_index
from app.training.fit import Verdict
from app.training.levers import Lever, levers
from app.training.parameters import count

if TYPE_CHECKING:
    from app.catalog import Catalog

TierName = Literal["single", "node", "cluster"]
MOST_NODES = 64
TIER_LABELS: dict[TierName, str] = {
    "single": N_("one accelerator"),
    "node": N_("one node"),
    "cluster": N_("several nodes"),
}


@dataclass(frozen=True, slots=True)
class Tier:
    """One size of hardware. `smallest` is the machine on offer with the least accelerator memory that holds the job
    (None where none does), `need_gib` the least high edge per accelerator found on this tier."""

    name: TierName
    holds: bool
    why: Sentence
    smallest: str | None = None
    nodes: int = 1
    need_gib: float | None = None


@dataclass(frozen=True, slots=True)
class RunAnswer:
    """`enough` is the first tier that holds the job, None where none does. `levers` say what else would do: for the
    node that falls short by least, or empty where one accelerator is enough. `compared` tells on what."""

    question: Question
    enough: TierName | None
    why: Sentence
    tiers: tuple[Tier, ...]
    rules: tuple[NaiveRule, ...]
    levers: tuple[Lever, ...]
    compared: str | None


_Judged = tuple[HardwareShape, Cluster, Verdict]


def answer(run: TrainingRun, catalog: Catalog, board: Board) -> RunAnswer:
    """The answer for a run from the hardware that is on offer.

    Raises:
        BadInput: the run cannot be answered.
    """
    question = Question.of(run, catalog)
    alone = replace(question, run=run.model_copy(update={"max_nodes": 1}))
    judged = _judge(alone, hardware_index(board, catalog).shapes)
    singles = [entry for entry in judged if entry[1].node.count == 1]
    nodes = [entry for entry in judged if entry[1].node.count > 1]
    tiers = [_tier("single", singles), _tier("node", nodes)]
    tiers.append(_clusters(question, [entry[0] for entry in nodes], any(tier.holds for tier in tiers)))
    enough = next((tier for tier in tiers if tier.holds), None)
    short = _closest_short(nodes or singles)
    return RunAnswer(
        question=question,
        enough=enough.name if enough else None,
        why=_sentence(tiers),
        tiers=tuple(tiers),
        rules=naive_rules(float(count(question.shape).total), run),
        levers=levers(question.shape, alone.run, short[1], question.correction) if short else (),
        compared=short[0].label if short else None,
    )


def _judge(question: Question, shapes: Sequence[HardwareShape]) -> list[_Judged]:
    verdicts = judge_shapes(question, shapes)
    pairs = zip(shapes, verdicts, strict=True)
    return [(item, item.cluster, verdict) for item, verdict in pairs if item.cluster is not None]


def _tier(name: TierName, judged: Sequence[_Judged]) -> Tier:
    holding = [entry for entry in judged if entry[2].holds]
    needs = [verdict.need_gib for _, _, verdict in judged if verdict.need_gib is not None]
    need = min(needs, default=None)
    if holding:
        item, _, verdict = min(holding, key=_size)
        text = N_("enough: from {smallest}, up to {need} GiB each")
        values = {"smallest": item.label, "need": f"{verdict.need_gib or 0.0:.1f}"}
        return Tier(name, True, Sentence(text, values), item.label, 1, need)
    if need is None:
        return Tier(name, False, Sentence(N_("nothing of this size on offer can be judged")))
    largest = max(cluster.node.accelerator.usable_gib for _, cluster, _ in judged)
    text = N_("not enough: needs at least {need} GiB per accelerator; the largest on offer has {largest}")
    if need <= largest:
        text = N_("memory would do ({need} GiB per accelerator), but see the reasons offer by offer")
    return Tier(
        name, False, Sentence(text, {"need": f"{need:.1f}", "largest": f"{largest:.1f}"}), None, 1, need
    )


def _clusters(question: Question, nodes: Sequence[HardwareShape], smaller_holds: bool) -> Tier:
    """Several of the nodes on offer, as far as they are sold as clusters."""
    if smaller_holds:
        return Tier("cluster", True, Sentence(N_("not needed")))
    run = question.run.model_copy(update={"max_nodes": max(MOST_NODES, question.run.max_nodes)})
    sold = [item for item in nodes if item.cluster is not None and _sold_together(item.cluster)]
    holding = [entry for entry in _judge(replace(question, run=run), sold) if entry[2].holds]
    if not holding:
        text = N_("not enough: no cluster of up to {most} nodes on offer holds it")
        return Tier("cluster", False, Sentence(text, {"most": run.max_nodes}))
    item, _, verdict = min(holding, key=_size)
    text = N_("enough: from {nodes} nodes of {smallest}, up to {need} GiB each")
    values = {"nodes": verdict.nodes, "smallest": item.label, "need": f"{verdict.need_gib or 0.0:.1f}"}
    return Tier("cluster", True, Sentence(text, values), item.label, verdict.nodes, verdict.need_gib)


def _sold_together(cluster: Cluster) -> bool:
    return cluster.fabric.max_nodes != 1 and cluster.fabric.kind not in (None, "none")


def _size(entry: _Judged) -> tuple[float, float, str]:
    """Total accelerator memory, then arithmetic: the smallest machine first."""
    item, cluster, verdict = entry
    card = cluster.node.accelerator
    count_all = cluster.node.count * verdict.nodes
    return count_all * card.usable_gib, count_all * (card.bf16_tflops or 0.0), item.label


def _closest_short(judged: Sequence[_Judged]) -> _Judged | None:
    """The machine that covers most of what is needed and still falls short of memory."""
    short = [entry for entry in judged if entry[2].reason == "memory" and entry[2].need_gib]

    def covered(entry: _Judged) -> tuple[float, str]:
        return entry[1].node.accelerator.usable_gib / (entry[2].need_gib or 1.0), entry[0].label

    return max(short, key=covered, default=None)


def _sentence(tiers: Sequence[Tier]) -> Sentence:
    enough = next((tier for tier in tiers if tier.holds), None)
    if enough is None:
        return Sentence(N_("Nothing on offer holds this run as it is asked; see what would change that."))
    if enough.name == "single":
        return Sentence(N_("One accelerator is enough: {smallest} or larger."), {"smallest": enough.smallest})
    if enough.name == "node":
        text = N_("One accelerator is not enough; one node is: {smallest} or larger.")
        return Sentence(text, {"smallest": enough.smallest})
    text = N_("One node is not enough; several are: {nodes} × {smallest} or larger.")
    return Sentence(text, {"nodes": enough.nodes, "smallest": enough.smallest})
