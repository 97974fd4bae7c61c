"""What a run needs, in words and before any price: does one accelerator hold it, a node, or only a cluster?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Generic, Literal, TypeVar, get_args

from app.domain.accelerator import Tier as CardClass
from app.domain.hardware import Cluster
from app.domain.run import TrainingRun
from app.domain.sentence import N_, Sentence
from app.market.board import Board
from app.market.estimating import estimate
from app.market.judging import Judged, judge_shapes, size
from app.market.naive import NaiveRule, naive_rules
from app.market.question import Question
from app.market.reach import Reach, reach
from app.market.shapes import HardwareShape, hardware_index
from app.market.within import Within, within_limits
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
Name = TypeVar("Name", bound=str)


@dataclass(frozen=True, slots=True)
class Tier(Generic[Name]):
    """One size of hardware, or one class of cards. `smallest` is the machine on offer with the least accelerator memory
    that holds the job (None where none does), `need_gib` the least high edge per accelerator that any layout reaches; `in_limits` is False
    where memory would do and no offer of this size is known to meet deadline and budget."""

    name: Name
    holds: bool
    why: Sentence
    smallest: str | None = None
    nodes: int = 1
    need_gib: float | None = None
    in_limits: bool = True


@dataclass(frozen=True, slots=True)
class Short:
    """The largest machine of the next smaller tier, which falls short of memory, and what would make it hold the job."""

    label: str
    levers: tuple[Lever, ...]


@dataclass(frozen=True, slots=True)
class RunAnswer:
    """`enough` is the first tier that holds the job, None where none does. `levers` say what else would do: for the
    node that falls short by least, `compared`. `smaller` says what one accelerator would take, where one or a node is
    enough. `reach` is the run on the smallest machine that is enough, else on the one that falls short by least.
    `within` is there where the run has a deadline or a budget; `why` then begins with it."""

    question: Question
    enough: TierName | None
    why: Sentence
    tiers: tuple[Tier[TierName], ...]
    rules: tuple[NaiveRule, ...]
    levers: tuple[Lever, ...]
    compared: str | None
    classes: tuple[Tier[CardClass], ...] = ()
    smaller: Short | None = None
    reach: Reach | None = None
    within: Within | None = None


def answer(run: TrainingRun, catalog: Catalog, board: Board) -> RunAnswer:
    """The answer for a run from the hardware that is on offer.

    Raises:
        BadInput: the run cannot be answered.
    """
    if run.deadline_hours is None and run.budget_usd is None:
        return _answered(Question.of(run, catalog), hardware_index(board, catalog).shapes)
    table = estimate(board, run, catalog)
    told = _answered(table.question, table.hardware.shapes)
    within = within_limits(table) if told.enough else None
    if within is None:
        return told
    tiers = tuple(_limited(tier, within) for tier in told.tiers)
    return replace(told, why=within.headline(told.why), tiers=tiers, within=within)


def _limited(tier: Tier[TierName], within: Within) -> Tier[TierName]:
    """The tier, and whether anything of its size is within the limits."""
    if tier.name == "cluster" and tier.smallest is None and within.nodes > 1:
        said = {"limits": within.limits, "nodes": within.nodes, "smallest": within.smallest}
        text = N_("not needed for memory, but for {limits}: from {nodes} nodes of {smallest}")
        return replace(tier, why=Sentence(text, said), smallest=within.smallest, nodes=within.nodes)
    unneeded = tier.name == "cluster" and tier.smallest is None
    if unneeded or not tier.holds or tier.name in within.tiers:
        return tier
    text = N_("{memory}; but none of this size is known to meet {limits}")
    return replace(tier, why=Sentence(text, {"memory": tier.why, "limits": within.limits}), in_limits=False)


def _answered(question: Question, shapes: Sequence[HardwareShape]) -> RunAnswer:
    alone = question.over(1)
    judged = _judge(alone, shapes)
    singles = [entry for entry in judged if entry[1].node.count == 1]
    nodes = [entry for entry in judged if entry[1].node.count > 1]
    tiers = [_tier("single", singles), _tier("node", nodes, _ruled_out(question.run, nodes))]
    joined = [] if any(tier.holds for tier in tiers) else _judge_clusters(question, nodes)
    tiers.append(_cluster_tier(question, joined, any(tier.holds for tier in tiers)))
    enough = next((tier.name for tier in tiers if tier.holds), None)
    held_by = {"single": singles, "node": nodes, "cluster": joined, None: []}[enough]
    short = _closest_short(nodes or singles)
    return RunAnswer(
        question=question,
        enough=enough,
        why=_sentence(tiers),
        tiers=tuple(tiers),
        rules=naive_rules(float(count(question.shape).total), question.run),
        levers=_levers(alone, short),
        compared=short[0].label if short else None,
        classes=_classes(joined or judged),
        smaller=_short_of(alone, singles) if enough in ("single", "node") else None,
        reach=_reach(question, min(_holding(held_by), key=size, default=short)),
    )


def _judge(question: Question, shapes: Sequence[HardwareShape]) -> list[Judged]:
    verdicts = judge_shapes(question, shapes)
    pairs = zip(shapes, verdicts, strict=True)
    return [(item, item.cluster, verdict) for item, verdict in pairs if item.cluster is not None]


def _holding(judged: Sequence[Judged]) -> list[Judged]:
    return [entry for entry in judged if entry[2].holds]


def _levers(question: Question, entry: Judged | None) -> tuple[Lever, ...]:
    return levers(question.shape, question.run, entry[1], question.correction) if entry else ()


def _short_of(question: Question, singles: Sequence[Judged]) -> Short | None:
    entry = _closest_short(singles)
    return None if entry is None else Short(entry[0].label, _levers(question, entry))


def _reach(question: Question, entry: Judged | None) -> Reach | None:
    if entry is None:
        return None
    item, cluster, verdict = entry
    return reach(question, item.label, replace(cluster, nodes=verdict.nodes), verdict)


def _tier(name: TierName, judged: Sequence[Judged], why: Sentence | None = None) -> Tier[TierName]:
    needs = [verdict.least_gib for _, _, verdict in judged if verdict.least_gib is not None]
    need = min(needs, default=None)
    if holding := _holding(judged):
        item, _, verdict = least = min(holding, key=size)
        return Tier(name, True, _enough(least), item.label, verdict.nodes, need)
    return Tier(name, False, why or _not_enough(judged), None, 1, need)


def _ruled_out(run: TrainingRun, nodes: Sequence[Judged]) -> Sentence | None:
    """Said where the run itself allows none of the nodes on offer."""
    if not nodes or any(cluster.node.count <= run.max_accelerators for _, cluster, _ in nodes):
        return None
    text = N_("ruled out by the run itself: max_accelerators is {most}, and every node on offer has more")
    return Sentence(text, {"most": run.max_accelerators})


def _classes(judged: Sequence[Judged]) -> tuple[Tier[CardClass], ...]:
    """Each class of cards that is on offer, from the one for a desk to the one for a data centre."""
    found = []
    for name in reversed(get_args(CardClass)):
        of_class = [entry for entry in judged if entry[1].node.accelerator.tier == name]
        needs = [verdict.least_gib for _, _, verdict in of_class if verdict.least_gib is not None]
        need = min(needs, default=None)
        if holding := _holding(of_class):
            item, _, verdict = least = min(holding, key=size)
            found.append(Tier(name, True, _enough(least), item.label, verdict.nodes, need))
        elif of_class:
            found.append(Tier(name, False, _not_enough(of_class), None, 1, need))
    return tuple(found)


def _enough(entry: Judged) -> Sentence:
    item, cluster, verdict = entry
    values = {
        "smallest": item.label,
        "need": f"{verdict.need_gib or 0.0:.1f}",
        "usable": f"{cluster.node.accelerator.usable_gib:.1f}",
        "nodes": verdict.nodes,
    }
    if verdict.nodes > 1:
        return Sentence(
            N_("enough: from {nodes} nodes of {smallest}, up to {need} of {usable} GiB each"), values
        )
    return Sentence(N_("enough: from {smallest}, up to {need} of {usable} GiB each"), values)


def _not_enough(judged: Sequence[Judged]) -> Sentence:
    """Why none of these machines holds the job: memory where all fall short of it, else what each one says."""
    laid_out = [entry for entry in judged if entry[2].least_gib is not None]
    if not laid_out:
        return Sentence(N_("nothing of this size on offer can be judged"))
    item, cluster, verdict = max(laid_out, key=_covered)
    usable, need = cluster.node.accelerator.usable_gib, verdict.least_gib or 0.0
    values = {"machine": item.label, "need": f"{need:.1f}", "usable": f"{usable:.1f}"}
    if need <= usable:
        text = N_("memory would do ({need} GiB per accelerator), but see the reasons offer by offer")
        return Sentence(text, values)
    text = N_("not enough: on {machine}, the closest, each accelerator needs {need} GiB and has {usable}")
    return Sentence(text, values)


def _judge_clusters(question: Question, nodes: Sequence[Judged]) -> list[Judged]:
    """Several of the nodes on offer, as far as they are sold as clusters."""
    sold = [item for item, cluster, _ in nodes if _sold_together(cluster)]
    return _judge(question.over(max(MOST_NODES, question.run.max_nodes)), sold)


def _cluster_tier(question: Question, joined: Sequence[Judged], smaller_holds: bool) -> Tier[TierName]:
    if smaller_holds:
        return Tier("cluster", True, Sentence(N_("not needed")))
    if holding := _holding(joined):
        item, _, verdict = least = min(holding, key=size)
        return Tier("cluster", True, _enough(least), item.label, verdict.nodes, verdict.least_gib)
    most = max(MOST_NODES, question.run.max_nodes)
    text = N_("not enough: no cluster of up to {most} nodes on offer holds it")
    return Tier("cluster", False, Sentence(text, {"most": most}))


def _sold_together(cluster: Cluster) -> bool:
    return cluster.fabric.max_nodes != 1 and cluster.fabric.kind not in (None, "none")


def _closest_short(judged: Sequence[Judged]) -> Judged | None:
    """The machine that covers most of what is needed and still falls short of memory."""
    return max((e for e in judged if e[2].reason == "memory" and e[2].least_gib), key=_covered, default=None)


def _covered(entry: Judged) -> tuple[float, str]:
    """Share of the least need that one accelerator has; ties by name."""
    return entry[1].node.accelerator.usable_gib / (entry[2].least_gib or 1.0), entry[0].label


def _sentence(tiers: Sequence[Tier[TierName]]) -> Sentence:
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
