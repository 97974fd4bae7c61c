"""What to change to make a run fit, and how far it could grow before it no longer does.

Every lever is a change of run fields, judged by the same search as the run itself: nothing here has a formula of
its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from app.domain.errors import BadInput
from app.domain.hardware import Cluster
from app.domain.model import ModelShape
from app.domain.run import TrainingRun
from app.domain.sentence import N_, Sentence
from app.training.calibration import Correction
from app.training.fit import node_counts
from app.training.layout import Layout, Layouts
from app.training.memory import memory_of
from app.training.plan import Fit, fit_of, leanest_layout
from app.training.recipe import recipe_for

MOST_MICRO_BATCH = 1024
SEQUENCE_STEP = 256
LONGEST_SEQUENCE = 2**20
LEAST_EFFECT_GIB = 0.05


@dataclass(frozen=True, slots=True)
class Lever:
    """`changes` are run fields and their new values; `need_gib` the high edge per accelerator of the leanest layout
    afterwards, `saves_gib` the difference to now; `fit` the verdict on memory afterwards, over `nodes` nodes."""

    name: str
    text: Sentence
    changes: Mapping[str, object]
    need_gib: float
    saves_gib: float
    fit: Fit
    nodes: int = 1


def levers(
    shape: ModelShape, run: TrainingRun, cluster: Cluster, correction: Correction | None = None
) -> tuple[Lever, ...]:
    """Changes that lower what the leanest layout needs on `cluster`; those that make it fit first, gentler first."""
    start = _Start(shape, run, cluster, correction)
    now = start.need(run, cluster)
    if now is None:
        return ()
    found = [lever for change in _changes(run) if (lever := _try(start, now, change))]
    if (nodes := _more_nodes(start, now)) is not None:
        found.append(nodes)
    useful = [lever for lever in found if lever.saves_gib > LEAST_EFFECT_GIB]
    return tuple(sorted(useful, key=lambda lever: lever.fit == "does_not_fit"))


Change = tuple[str, Sentence, dict[str, object]]


def _changes(run: TrainingRun) -> Iterator[Change]:
    """Candidate changes from the gentlest to the one that changes most."""
    yield from _unfixed(run)
    for loss, text in (
        ("chunked", N_("compute the loss in chunks")),
        ("fused", N_("a fused loss that never stores the logits")),
    ):
        if run.loss != loss:
            yield f"loss_{loss}", Sentence(text), {"loss": loss}
    if run.method in ("full", "pretrain"):
        yield from _state_changes(run)
    if not run.cpu_offload:
        yield "cpu_offload", Sentence(N_("keep the states in host memory (offload)")), {"cpu_offload": True}
    if run.sequence_length >= 2 * SEQUENCE_STEP:
        half = run.sequence_length // 2
        yield (
            "sequence_length",
            Sentence(N_("sequences of {tokens} tokens"), {"tokens": half}),
            {"sequence_length": half},
        )
    if run.method == "full":
        yield "method_lora", Sentence(N_("LoRA instead of a full fine-tune")), {"method": "lora"}
    if run.method in ("full", "lora"):
        yield "method_qlora", Sentence(N_("QLoRA: a 4-bit base with adapters")), {"method": "qlora"}


def _unfixed(run: TrainingRun) -> Iterator[Change]:
    """What the run fixes and need not."""
    if run.micro_batch_size not in (None, 1):
        yield "micro_batch_size", Sentence(N_("a micro-batch of 1")), {"micro_batch_size": 1}
    for field in ("tensor_parallel", "pipeline_parallel", "context_parallel", "expert_parallel"):
        if getattr(run, field) is not None:
            yield field, Sentence(N_("let the search choose {field}"), {"field": field}), {field: None}
    if run.sharding not in ("auto", "full"):
        yield "sharding", Sentence(N_("shard weights, gradients and states (FSDP)")), {"sharding": "full"}
    if run.activation_checkpointing not in ("auto", "full"):
        text = Sentence(N_("full activation checkpointing"))
        yield "activation_checkpointing", text, {"activation_checkpointing": "full"}


def _state_changes(run: TrainingRun) -> Iterator[Change]:
    if run.optimizer not in ("adamw-8bit", "paged-adamw-8bit", "adafactor", "sgd"):
        yield "optimizer_8bit", Sentence(N_("an 8-bit optimizer")), {"optimizer": "adamw-8bit"}
        yield (
            "optimizer_adafactor",
            Sentence(N_("Adafactor, which keeps rows and columns only")),
            {"optimizer": "adafactor"},
        )
    if run.precision == "bf16-mixed":
        yield (
            "precision",
            Sentence(N_("weights and states in bfloat16 (precision bf16)")),
            {"precision": "bf16"},
        )


@dataclass(frozen=True, slots=True)
class _Start:
    """Where the levers start from."""

    shape: ModelShape
    run: TrainingRun
    cluster: Cluster
    correction: Correction | None

    def need(self, run: TrainingRun, cluster: Cluster) -> float | None:
        """High edge of the leanest layout, GiB; None where nothing can be laid out."""
        found = leanest_layout(self.shape, run, recipe_for(self.shape, run), cluster, self.correction)
        return None if found is None else found[1]

    def fit(self, need_gib: float) -> Fit:
        """The verdict on that much memory."""
        return fit_of(need_gib, self.cluster.node.accelerator.usable_gib)


def _try(start: _Start, now_gib: float, change: Change) -> Lever | None:
    """The lever, or None where the framework or the model has no such thing."""
    name, text, changes = change
    try:
        then = start.need(start.run.model_copy(update=changes), start.cluster)
    except BadInput:
        return None
    if then is None:
        return None
    return Lever(name, text, changes, then, now_gib - then, start.fit(then), start.cluster.nodes)


def _more_nodes(start: _Start, now_gib: float) -> Lever | None:
    """The fewest nodes beyond the present ones that fit, else the most that were tried."""
    cluster = start.cluster
    wider = start.run.model_copy(update={"max_nodes": max(16, 4 * cluster.nodes)})
    last = None
    for nodes in node_counts(wider, replace(cluster.fabric, max_nodes=None)):
        then = start.need(start.run, replace(cluster, nodes=nodes)) if nodes > cluster.nodes else None
        if then is None:
            continue
        text = Sentence(N_("{nodes} such nodes joined by a fast network"), {"nodes": nodes})
        last = Lever("max_nodes", text, {"max_nodes": nodes}, then, now_gib - then, start.fit(then), nodes)
        if last.fit != "does_not_fit":
            break
    return last


def largest_micro_batch(shape: ModelShape, run: TrainingRun, layout: Layout, usable_gib: float) -> int | None:
    """The largest micro-batch whose high edge still fits in `usable_gib`, all else as in `layout`; None = not even 1."""
    sizes = np.unique(np.rint(np.geomspace(1, MOST_MICRO_BATCH, 160)).astype(np.int64))
    layouts = Layouts.of(*(replace(layout, micro_batch_size=int(size)) for size in sizes))
    fitting = sizes[memory_of(shape, recipe_for(shape, run), layouts).high <= usable_gib]
    return int(fitting.max()) if len(fitting) else None


def largest_sequence(shape: ModelShape, run: TrainingRun, layout: Layout, usable_gib: float) -> int | None:
    """The longest sequence, in steps of 256 tokens, that fits with a micro-batch of 1; None = not even 256.

    Bisection: memory never falls as the sequence grows.
    """
    alone = Layouts.of(replace(layout, micro_batch_size=1))

    def fits(steps: int) -> bool:
        longer = run.model_copy(update={"sequence_length": steps * SEQUENCE_STEP})
        return bool(memory_of(shape, recipe_for(shape, longer), alone).high[0] <= usable_gib)

    limit = min(shape.max_context or LONGEST_SEQUENCE, LONGEST_SEQUENCE) // SEQUENCE_STEP
    low, high = 0, max(limit, 1)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return low * SEQUENCE_STEP or None
