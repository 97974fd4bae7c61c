"""Lessons on memory: what training keeps, what a larger micro-batch adds, what sharding divides, how much hardware it takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from app.domain.model import ModelShape
from app.market.answer import Tier, TierName
from app.market.estimating import Estimates
from app.market.lessons.basis import FULL_8B, Basis, estimates_of, fit_query, question, rows_of, run_of
from app.market.naive import NaiveRule, naive_rules
from app.market.question import Question
from app.training.assumptions_memory import value_of
from app.training.layout import CheckpointingKind, Layout, ShardingKind
from app.training.memory import MemoryBreakdown, breakdown
from app.training.parameters import count

if TYPE_CHECKING:
    from app.market.service import Market

LEAN = {"micro_batch_size": "1", "activation_checkpointing": "full"}
"""One sequence at a time and everything recomputed: the least that a run keeps in one accelerator."""
METHODS = ("full", "lora", "qlora")
MICRO_BATCHES = (1, 2, 4, 8, 16)
CHECKPOINTED: tuple[CheckpointingKind, ...] = ("none", "full")
SHARDED: tuple[ShardingKind, ...] = ("none", "optimizer", "gradients", "full")
ZERO = {**FULL_8B, **LEAN, "framework": "deepspeed", "tensor_parallel": "1", "pipeline_parallel": "1"}
"""A full fine-tune in the framework whose stages gave the kinds of sharding their names."""
RANKS = 8
REFERENCE_CARD = "h100-sxm5-80gb"
SIZES = (
    {"model": "llama-3.1-8b", "method": "qlora"},
    {"model": "qwen2.5-14b", "method": "lora"},
    {"model": "llama-3.1-8b", "method": "full"},
    {"model": "llama-3.1-70b", "method": "full"},
    {"model": "llama-3.1-405b", "method": "full"},
)


@dataclass(frozen=True, slots=True)
class MethodRow:
    """One method on one accelerator in its leanest layout. `trained` parameters; `memory` GiB, whether anything on offer
    holds it or not; `smallest` machine on offer that does, None where none does; `query` asks the fit page."""

    method: str
    trained: float
    memory: MemoryBreakdown
    smallest: str | None
    query: str
    basis: Basis


@dataclass(frozen=True, slots=True)
class MemoryLesson:
    """`parameters` and `vocabulary` of `model`; `sequence_length` tokens; `logits_gib` of one sequence in full;
    `rules` of thumb for the full fine-tune; `band` = high edge ÷ expected."""

    model: ModelShape
    parameters: float
    sequence_length: int
    rows: tuple[MethodRow, ...]
    rules: tuple[NaiveRule, ...]
    band: float


def memory_lesson(market: Market) -> MemoryLesson:
    """Where the memory goes, by method, for one model."""
    rows = tuple(_method(market, method) for method in METHODS)
    run = run_of(**FULL_8B)
    shape = market.catalog.model(FULL_8B["model"])
    total = float(count(shape).total)
    return MemoryLesson(
        shape, total, run.sequence_length, rows, naive_rules(total, run), value_of("band.high")
    )


def _method(market: Market, method: str) -> MethodRow:
    asked = {**FULL_8B, "method": method, **LEAN}
    question_ = Question.of(run_of(**asked), market.catalog)
    alone = _tier(market, "single", asked)
    return MethodRow(
        method=method,
        trained=float(question_.recipe.trainable_parameters(question_.shape)),
        memory=breakdown(
            question_.shape, question_.recipe, Layout(gradient_accumulation=64, checkpointing="full")
        ),
        smallest=alone.smallest if alone.holds else None,
        query=fit_query(**asked),
        basis=Basis.of(market, **asked, accelerator_count=1),
    )


def _tier(market: Market, name: TierName, asked: dict[str, str]) -> Tier[TierName]:
    return next(tier for tier in market.answer(run_of(**asked)).tiers if tier.name == name)


@dataclass(frozen=True, slots=True)
class BatchCell:
    """One checkpointing at one micro-batch: GiB expected and at the high edge; offers of one accelerator that hold it."""

    checkpointing: str
    device_gib: float
    high_gib: float
    basis: Basis


@dataclass(frozen=True, slots=True)
class BatchRow:
    """`accumulation` micro-steps give the same global batch. `tokens_per_s` and `mfu` of one reference accelerator with
    full recomputation; None where that is not on offer or does not hold it."""

    micro_batch: int
    accumulation: int
    cells: tuple[BatchCell, ...]
    tokens_per_s: float | None
    mfu: float | None


@dataclass(frozen=True, slots=True)
class BatchLesson:
    """`card` is the reference accelerator of the speeds; `query` asks the fit page about the run."""

    model: str
    card: str
    global_batch: int
    sequence_length: int
    rows: tuple[BatchRow, ...]
    query: str


def batch_lesson(market: Market) -> BatchLesson:
    """Micro-batch against memory and speed, LoRA on one accelerator."""
    asked = {**FULL_8B, "method": "lora"}
    run = run_of(**asked)
    return BatchLesson(
        model=market.catalog.model(asked["model"]).name,
        card=market.catalog.accelerator(REFERENCE_CARD).name,
        global_batch=run.global_batch_size,
        sequence_length=run.sequence_length,
        rows=tuple(_batch(market, asked, size, run.global_batch_size) for size in MICRO_BATCHES),
        query=fit_query(**asked),
    )


def _batch(market: Market, asked: dict[str, str], micro: int, global_batch: int) -> BatchRow:
    fields = asked | {"micro_batch_size": str(micro)}
    cells = tuple(_cell(market, fields, kind, global_batch // micro) for kind in CHECKPOINTED)
    time = _alone(estimates_of(market, **fields, activation_checkpointing="full"), REFERENCE_CARD)
    return BatchRow(
        micro,
        global_batch // micro,
        cells,
        time and float(time["tokens_per_s"]),
        time and float(time["mfu"]),
    )


def _cell(market: Market, fields: dict[str, str], kind: CheckpointingKind, steps: int) -> BatchCell:
    asked = fields | {"activation_checkpointing": kind}
    question_ = Question.of(run_of(**asked), market.catalog)
    micro = int(fields["micro_batch_size"])
    layout = Layout(micro_batch_size=micro, gradient_accumulation=steps, checkpointing=kind)
    memory = breakdown(question_.shape, question_.recipe, layout)
    return BatchCell(kind, memory.device, memory.high, Basis.of(market, **asked, accelerator_count=1))


def _alone(table: Estimates, key: str) -> Any:
    """Time of the run on one accelerator of this kind; None where nobody offers it or it does not hold the run."""
    for shape, verdict in zip(table.hardware.shapes, table.verdicts, strict=True):
        node = shape.cluster.node if shape.cluster else None
        if node and node.count == 1 and node.accelerator.key == key and verdict.holds:
            return verdict.time
    return None


@dataclass(frozen=True, slots=True)
class ShardingRow:
    """One way to split the states over RANKS accelerators, GiB per accelerator at the peak: the three states and all
    together, expected and at the high edge; offers of RANKS accelerators that hold it."""

    sharding: str
    weights_gib: float
    gradients_gib: float
    optimizer_gib: float
    device_gib: float
    high_gib: float
    basis: Basis


@dataclass(frozen=True, slots=True)
class SizeRow:
    """How much hardware one run takes; `enough` None where nothing on offer holds it."""

    model: str
    method: str
    parameters: float
    enough: TierName | None
    smallest: str | None
    nodes: int
    need_gib: float | None
    query: str


@dataclass(frozen=True, slots=True)
class TopologyLesson:
    """Runs by the size of the machine that they take, and one run by what is sharded; `state_gib` = the whole of its
    weights, gradients and optimizer states."""

    sizes: tuple[SizeRow, ...]
    model: str
    ranks: int
    state_gib: float
    shardings: tuple[ShardingRow, ...]


def topology_lesson(market: Market) -> TopologyLesson:
    """One accelerator, one node or several, and what each kind of sharding saves."""
    shape = market.catalog.model(FULL_8B["model"])
    rows = tuple(_sharding(market, kind) for kind in SHARDED)
    whole = rows[0]
    return TopologyLesson(
        sizes=tuple(_size(market, asked) for asked in SIZES),
        model=shape.name,
        ranks=RANKS,
        state_gib=whole.weights_gib + whole.gradients_gib + whole.optimizer_gib,
        shardings=rows,
    )


def _size(market: Market, asked: dict[str, str]) -> SizeRow:
    answer = market.answer(run_of(**asked))
    tier = next((item for item in answer.tiers if item.name == answer.enough), None)
    return SizeRow(
        model=answer.question.shape.name,
        method=asked["method"],
        parameters=float(count(answer.question.shape).total),
        enough=answer.enough,
        smallest=tier.smallest if tier else None,
        nodes=tier.nodes if tier else 1,
        need_gib=tier.need_gib if tier else None,
        query=fit_query(**asked),
    )


def _sharding(market: Market, kind: ShardingKind) -> ShardingRow:
    asked = {**ZERO, "sharding": kind}
    question_ = Question.of(run_of(**asked), market.catalog)
    layout = Layout(
        data_parallel=RANKS,
        sharding=kind,
        gradient_accumulation=question_.run.global_batch_size // RANKS,
        checkpointing="full",
    )
    memory = breakdown(question_.shape, question_.recipe, layout)
    query = question(**asked, accelerator_count=RANKS)
    return ShardingRow(
        kind, memory.weights, memory.gradients, memory.optimizer_states, memory.device, memory.high,
        Basis.over(market, rows_of(market, query), query),
    )  # fmt: skip
