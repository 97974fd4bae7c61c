"""The verdict on one instance: can it hold the job, and if not, why.

One definition for every reason (shown on `/methods`):

- **memory**: even the expected memory of the leanest layout exceeds what the driver reports.
- **margin**: the expected memory fits, the high edge of its error band does not; the verdict is then `tight`.
- **link**: every layout that fits (and reaches LINK_WORTH of the best rate: slow computing does not excuse a slow
  link) waits for communication longer than `link_share_limit` of its step, or a fixed
  tensor-parallel degree needs more accelerators joined by a fast link than the instance has.
- **fabric**: only several nodes hold it, and they are not sold as a cluster; **fabric_unknown**: the node network
  is not known and the run asks for proof.
- **precision**, **count**, **batch**, **host_ram**, **accelerator_unknown**: as their sentences say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from app.domain.accelerator import Accelerator
from app.domain.hardware import Cluster, Fabric, Node
from app.domain.run import TrainingRun
from app.domain.sentence import N_, Sentence
from app.training.layout import Layout
from app.training.plan import Plan
from app.training.space import tensor_cap
from app.training.work import whole_hours

VerdictKind = Literal["fits", "tight", "does_not_fit", "link_too_slow", "unknown"]
VERDICTS: tuple[VerdictKind, ...] = ("fits", "tight", "does_not_fit", "link_too_slow", "unknown")
HOLDS = frozenset({"fits"})

REASONS: dict[str, str] = {
    "memory": N_("not enough accelerator memory"),
    "margin": N_("memory too close to call"),
    "link": N_("link between accelerators too slow"),
    "fabric": N_("node network too slow, or no clusters sold"),
    "fabric_unknown": N_("node network unknown"),
    "host_ram": N_("not enough host memory"),
    "precision": N_("number format not supported"),
    "count": N_("number of accelerators does not suit"),
    "batch": N_("global batch too small to split"),
    "slice": N_("a slice of unknown size"),
    "accelerator_unknown": N_("accelerator unknown"),
    "budget": N_("over budget"),
    "deadline": N_("too late for the deadline"),
    "price_unknown": N_("price unknown"),
    "time_unknown": N_("speed unknown"),
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """`reason` is a key of REASONS, empty where the instance holds the job. `plan`, `memory` (GiB per
    accelerator), `time` describe the layout that the answer is about: the chosen one, or with `link_too_slow` the
    one that waits too long; None where memory is the trouble. `need_gib` is that layout's high edge (the leanest one's
    without a plan), `least_gib` the leanest one's in any case."""

    verdict: VerdictKind
    reason: str
    why: Sentence
    nodes: int = 1
    plan: Layout | None = None
    memory: Mapping[str, float] | None = None
    time: Mapping[str, float] | None = None
    bound: str | None = None
    headroom_gib: float | None = None
    need_gib: float | None = None
    least_gib: float | None = None
    leanest: Layout | None = None

    @property
    def plan_words(self) -> Sentence | None:
        """The layout in a few words, with the nodes where there are several."""
        if self.plan is None:
            return None
        if self.nodes == 1:
            return self.plan.words
        return Sentence(N_("{nodes} nodes · {layout}"), {"nodes": self.nodes, "layout": self.plan.words})

    @property
    def holds(self) -> bool:
        """The instance can hold the job."""
        return self.verdict in HOLDS


def node_counts(run: TrainingRun, fabric: Fabric) -> tuple[int, ...]:
    """How many nodes to try: 1, 2, 3, 4, 6, 8, 12 … up to `max_nodes` and what the provider sells.

    A provider that is known to sell no cluster is still tried at two nodes and more, so that the sentence can say
    what is missing; `judge` never accepts those.
    """
    steps = sorted({2**i for i in range(13)} | {3 * 2**i for i in range(12)} | {run.max_nodes})
    most = run.max_nodes if fabric.max_nodes in (None, 1) else min(run.max_nodes, fabric.max_nodes or 1)
    return tuple(n for n in steps if n <= most)


def refuse_before_search(run: TrainingRun, node: Node) -> Verdict | None:
    """A verdict that needs no layout: number formats and the size that the run allows; None = go on."""
    format_missing = _missing_format(run, node.accelerator)
    if format_missing is not None:
        return Verdict("does_not_fit", "precision", format_missing)
    if node.count > run.max_accelerators:
        return Verdict(
            "does_not_fit",
            "count",
            Sentence(
                N_("has {count} accelerators; the run allows at most {most} per node (max_accelerators)"),
                {"count": int(node.count), "most": run.max_accelerators},
            ),
        )
    return None


def judge(run: TrainingRun, plans: Sequence[Plan]) -> Verdict:
    """The verdict on one instance from its plans at ascending node counts.

    The fewest nodes that hold the job win; with a deadline the fewest that also meet it (undisturbed, as whole runs
    go), and where none does, the fastest.
    """
    reachable = [p for p in plans if _reachable(run, p)]
    if reachable:
        return _held(_fewest_in_time(run, [p for p in reachable if p.fit == "fits"] or reachable))
    fitting = [p for p in plans if p.layout is not None]
    return _too_slow(run, fitting[0]) if fitting else _too_small(run, plans)


def settled(run: TrainingRun, plan: Plan) -> bool:
    """More nodes would not change the verdict: this plan holds the job, and in time."""
    return plan.fit == "fits" and _reachable(run, plan) and _in_time(run, plan)


def _reachable(run: TrainingRun, plan: Plan) -> bool:
    return plan.layout is not None and plan.link_ok and _network_trouble(run, plan.cluster) is None


def _in_time(run: TrainingRun, plan: Plan) -> bool:
    if run.deadline_hours is None:
        return True
    return hours_undisturbed(run, plan) <= run.deadline_hours


def hours_undisturbed(run: TrainingRun, plan: Plan) -> float:
    """Hours of the run from start to end on the plan's machines, no interruption counted."""
    assert plan.time is not None
    cluster = plan.cluster
    return whole_hours(run.total_tokens, plan.time["tokens_per_s"], cluster.node.count, cluster.nodes)


def _fewest_in_time(run: TrainingRun, holding: Sequence[Plan]) -> Plan:
    in_time = [p for p in holding if _in_time(run, p)]
    return in_time[0] if in_time else min(holding, key=lambda p: hours_undisturbed(run, p))


def _held(plan: Plan) -> Verdict:
    memory = plan.memory or {}
    values = {name: _gib(memory.get(name)) for name in ("device", "high")} | {"usable": _gib(plan.usable_gib)}
    if plan.fit == "tight":
        text = N_(
            "{device} GiB expected and up to {high} in the error band, of {usable} GiB per accelerator: try it before you rely on it"
        )
        return _verdict("tight", "margin", Sentence(text, values), plan)
    return _verdict("fits", "", Sentence(N_("up to {high} of {usable} GiB per accelerator"), values), plan)


def _too_slow(run: TrainingRun, plan: Plan) -> Verdict:
    """Memory would do; the link or the node network does not."""
    trouble = _network_trouble(run, plan.cluster)
    if trouble is not None:
        reason, why = trouble
        return _verdict("link_too_slow", reason, why, plan)
    reason = "fabric" if plan.bound == "fabric" else "link"
    text = {
        "link": N_(
            "{share} % of each step would wait for the link between accelerators (limit {limit} %); a faster link, fewer accelerators or a larger micro-batch would do"
        ),
        "fabric": N_(
            "{share} % of each step would wait for the node network (limit {limit} %); a faster network, fewer nodes or a larger global batch would do"
        ),
    }[reason]
    values = {"share": round(100 * (plan.exposed_share or 0)), "limit": round(100 * run.link_share_limit)}
    return _verdict("link_too_slow", reason, Sentence(text, values), plan)


def _network_trouble(run: TrainingRun, cluster: Cluster) -> tuple[str, Sentence] | None:
    """Why these nodes cannot be rented as one cluster; None = nothing known against it."""
    fabric, nodes = cluster.fabric, {"nodes": cluster.nodes}
    if cluster.nodes == 1:
        return None
    if fabric.kind == "none" or (fabric.max_nodes is not None and fabric.max_nodes < cluster.nodes):
        most = fabric.max_nodes or 1
        if most == 1:
            return "fabric", Sentence(
                N_(
                    "takes {nodes} nodes, and this one is not sold as a cluster; a larger node or a provider with a node network would do"
                ),
                nodes,
            )
        return "fabric", Sentence(
            N_(
                "takes {nodes} nodes; at most {most} are sold as one cluster; larger nodes or a provider of larger clusters would do"
            ),
            nodes | {"most": most},
        )
    if run.prove_fabric and not fabric.proven:
        return "fabric_unknown", Sentence(
            N_(
                "takes {nodes} nodes, and the network between them is not known; a provider that states it would do"
            ),
            nodes,
        )
    return None


def _too_small(run: TrainingRun, plans: Sequence[Plan]) -> Verdict:
    laid_out = [p for p in plans if p.need_gib is not None]
    if not laid_out:
        return _cannot_be_laid_out(run, plans[0])
    sold = [p for p in laid_out if _network_trouble(run, p.cluster) is None] or laid_out
    best = min(sold, key=lambda p: p.need_gib or 0.0)
    values = {
        "need": _gib(best.need_gib),
        "usable": _gib(best.usable_gib),
        "layout": best.leanest.words if best.leanest else "",
        "nodes": best.cluster.nodes,
    }
    text = N_(
        "needs up to {need} GiB per accelerator even in the leanest layout ({layout}); there are {usable}"
    )
    if best.cluster.nodes > 1:
        text = N_(
            "needs up to {need} GiB per accelerator even over {nodes} nodes ({layout}); there are {usable}"
        )
    return _verdict("does_not_fit", "memory", Sentence(text, values), best)


def _cannot_be_laid_out(run: TrainingRun, plan: Plan) -> Verdict:
    node = plan.cluster.node
    world = int(node.count) * plan.cluster.nodes
    degree, joined = run.tensor_parallel or 1, tensor_cap(node, plan.cluster.nodes)
    fixed = degree * (run.pipeline_parallel or 1) * (run.context_parallel or 1)
    if fixed > world or world % fixed:
        text = N_(
            "the fixed parallel degrees (tensor × pipeline × context = {fixed}) do not divide {world} accelerators"
        )
        return Verdict("does_not_fit", "count", Sentence(text, {"fixed": fixed, "world": world}))
    if degree > joined:
        text = N_(
            "tensor_parallel {degree} needs {degree} accelerators joined by NVLink or the like; here {joined} are, so a larger domain or a smaller degree would do"
        )
        return Verdict("link_too_slow", "link", Sentence(text, {"degree": degree, "joined": joined}))
    experts = run.expert_parallel or 1
    if (ranks := world // degree // (run.pipeline_parallel or 1)) % experts:
        text = N_("expert_parallel {experts} does not divide the {ranks} data-parallel ranks")
        return Verdict("does_not_fit", "count", Sentence(text, {"experts": experts, "ranks": ranks}))
    text = N_(
        "a global batch of {batch} sequences (global_batch_size) cannot be split over {world} accelerators"
    )
    return Verdict("does_not_fit", "batch", Sentence(text, {"batch": run.global_batch_size, "world": world}))


def _missing_format(run: TrainingRun, accelerator: Accelerator) -> Sentence | None:
    values = {"name": accelerator.name}
    if run.precision in ("bf16", "bf16-mixed") and not accelerator.supports_bf16:
        return Sentence(
            N_("{name} does not compute in bfloat16; precision fp16-mixed or fp32 would do"), values
        )
    if run.precision == "fp8-mixed" and not accelerator.supports_fp8:
        return Sentence(N_("{name} does not compute in FP8; precision bf16-mixed would do"), values)
    return None


def _verdict(kind: VerdictKind, reason: str, why: Sentence, plan: Plan) -> Verdict:
    return Verdict(
        verdict=kind,
        reason=reason,
        why=why,
        nodes=plan.cluster.nodes,
        plan=plan.layout,
        memory=plan.memory,
        time=plan.time,
        bound=plan.bound,
        headroom_gib=plan.headroom_gib,
        need_gib=plan.memory["high"] if plan.memory else plan.need_gib,
        least_gib=plan.need_gib,
        leanest=plan.leanest,
    )


def _gib(value: float | None) -> str:
    return "?" if value is None else f"{value:.1f}"
