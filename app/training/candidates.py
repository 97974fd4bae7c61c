"""Which layouts are worth trying: every way to lay a run over a number of accelerators.

Whatever the run fixes is honoured. What is left open is enumerated by the rules of docs/throughput_model.md §5
(tensor parallel inside a link domain, micro-batches in powers of two, three recompute modes) and pruned by
rules that never drop the best: a degree that leaves a stage, head or sequence uneven is not tried.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from app.domain.errors import BadInput
from app.domain.model import ModelShape
from app.domain.run import Framework, TrainingRun
from app.domain.sentence import Sentence
from app.training.layout import CHECKPOINTINGS, SHARDINGS, CheckpointingKind, IntArray, Layouts, ShardingKind

MOST_TOKENS_PER_PASS = 2**18
LONG_SEQUENCE = 8192
MOST_STAGES = 16
MOST_UNEVEN = 1.10
MOST_BATCH_ROUNDING = 1.25


@dataclass(frozen=True, slots=True)
class Support:
    """What a framework can do, so that the search proposes nothing that cannot be typed into it."""

    shardings: tuple[ShardingKind, ...]
    checkpointings: tuple[CheckpointingKind, ...]
    tensor: bool = False
    pipeline: bool = False
    context: bool = False
    expert: bool = False


_ANY_CHECKPOINTING = CHECKPOINTINGS
_COARSE: tuple[CheckpointingKind, ...] = ("none", "full")

SUPPORT: dict[Framework, Support] = {
    "pytorch-fsdp2": Support(
        ("none", "gradients", "full", "hybrid"), _ANY_CHECKPOINTING, True, True, True, True
    ),
    "torchtitan": Support(("none", "full", "hybrid"), _ANY_CHECKPOINTING, True, True, True, True),
    "torchtune": Support(("none", "full"), _COARSE, tensor=True, context=True),
    "hf-trainer": Support(("none", "optimizer", "gradients", "full", "hybrid"), _COARSE),
    "axolotl": Support(("none", "optimizer", "gradients", "full", "hybrid"), _COARSE, context=True),
    "unsloth": Support(("none",), _COARSE),
    "litgpt": Support(("none", "full"), _COARSE),
    "deepspeed": Support(
        ("none", "optimizer", "gradients", "full"), _COARSE, pipeline=True, context=True, expert=True
    ),
    "megatron": Support(("none", "optimizer"), _ANY_CHECKPOINTING, True, True, True, True),
}


@dataclass(frozen=True, slots=True)
class Parallelism:
    """The part of a layout that decides which rank holds what."""

    data: int
    tensor: int
    pipeline: int
    context: int
    expert: int
    sharding: ShardingKind
    shard_group: int


def check(shape: ModelShape, run: TrainingRun) -> None:
    """Refuse what no hardware could run.

    Raises:
        BadInput: naming the field, where a fixed degree does not divide the model, the sequence or the batch,
            or the framework has no such thing.
    """
    support = SUPPORT[run.framework]
    _check_framework(run, support)
    tensor, heads = run.tensor_parallel or 1, shape.attention_heads
    if heads and heads % tensor:
        said = {"degree": tensor, "heads": heads, "model": shape.name}
        raise BadInput(
            "tensor_parallel",
            Sentence("{degree} does not divide the {heads} attention heads of {model}", said),
        )
    if shape.layers and (run.pipeline_parallel or 1) > shape.layers:
        said = {"model": shape.name, "layers": shape.layers}
        raise BadInput(
            "pipeline_parallel", Sentence("{model} has {layers} layers, too few for that many stages", said)
        )
    if run.sequence_length % (run.context_parallel or 1):
        said = {"length": run.sequence_length}
        raise BadInput("context_parallel", Sentence("does not divide the sequence of {length} tokens", said))
    if (run.expert_parallel or 1) > 1 and (not shape.experts or shape.experts % (run.expert_parallel or 1)):
        said = {"experts": shape.experts, "model": shape.name}
        raise BadInput("expert_parallel", Sentence("does not divide the {experts} experts of {model}", said))
    if (run.micro_batch_size or 1) > run.global_batch_size:
        said = {"batch": run.global_batch_size}
        raise BadInput(
            "micro_batch_size", Sentence("is larger than the global batch of {batch} sequences", said)
        )


def _check_framework(run: TrainingRun, support: Support) -> None:
    degrees = {
        "tensor_parallel": (run.tensor_parallel, support.tensor),
        "pipeline_parallel": (run.pipeline_parallel, support.pipeline),
        "context_parallel": (run.context_parallel, support.context),
        "expert_parallel": (run.expert_parallel, support.expert),
    }
    for field, (degree, supported) in degrees.items():
        if (degree or 1) > 1 and not supported:
            said = {"framework": run.framework}
            raise BadInput(
                field,
                Sentence("{framework} does not offer it; leave it empty or choose another framework", said),
            )
    if run.sharding != "auto" and run.sharding not in support.shardings:
        offered = {"framework": run.framework, "offered": ", ".join(support.shardings), "asked": run.sharding}
        raise BadInput("sharding", Sentence("{framework} offers {offered}, not {asked}", offered))


def enumerate_layouts(shape: ModelShape, run: TrainingRun, per_node: int, nodes: int) -> Layouts:
    """Every layout of `run` over `nodes` × `per_node` accelerators, grouped in families.

    A family shares all but the micro-batch; its members follow each other with the micro-batch ascending.
    Empty where the run cannot be split over that many accelerators.
    """
    families = [
        (way, checkpointing, batches)
        for way, batches in _parallelisms(shape, run, per_node, nodes)
        for checkpointing in _checkpointings(run)
    ]
    sizes = [len(batches) for _, _, batches in families]

    def spread(values: list[int]) -> IntArray:
        return np.repeat(np.asarray(values, dtype=np.int64), sizes)

    ways = [way for way, _, _ in families]
    micro = (
        np.concatenate([batches for _, _, batches in families]) if families else np.empty(0, dtype=np.int64)
    )
    data = spread([way.data for way in ways])
    tensor = spread([way.tensor for way in ways])
    return Layouts(
        data_parallel=data,
        tensor_parallel=tensor,
        pipeline_parallel=spread([way.pipeline for way in ways]),
        context_parallel=spread([way.context for way in ways]),
        expert_parallel=spread([way.expert for way in ways]),
        sharding=spread([SHARDINGS.index(way.sharding) for way in ways]),
        shard_group=spread([way.shard_group for way in ways]),
        micro_batch_size=micro,
        gradient_accumulation=-(-run.global_batch_size // (data * micro)),
        checkpointing=spread([CHECKPOINTINGS.index(kind) for _, kind, _ in families]),
        sequence_parallel=np.ones_like(data),
        virtual_stages=np.ones_like(data),
        cpu_offload=np.full_like(data, int(run.cpu_offload)),
    )


def _parallelisms(
    shape: ModelShape, run: TrainingRun, per_node: int, nodes: int
) -> Iterator[tuple[Parallelism, IntArray]]:
    """Every way to split, with its micro-batches."""
    world = per_node * nodes
    support = SUPPORT[run.framework]
    for tensor, pipeline, context in product(
        _tensor_degrees(shape, run, support, world),
        _pipeline_degrees(shape, run, support, world),
        _context_degrees(shape, run, support, world),
    ):
        data, rest = divmod(world, tensor * pipeline * context)
        if rest or data == 0 or data > run.global_batch_size * MOST_BATCH_ROUNDING:
            continue
        batches = _micro_batches(run, data, pipeline, context)
        if not len(batches):
            continue
        for expert, sharding in product(
            _expert_degrees(shape, run, support, data * context), _shardings(run, support, data * context)
        ):
            group = _shard_group(sharding, data, context, tensor * pipeline, per_node)
            if sharding != "hybrid" or 1 < group < data * context or run.sharding == "hybrid":
                yield Parallelism(data, tensor, pipeline, context, expert, sharding, group), batches


def _powers(most: int) -> list[int]:
    return [2**i for i in range(max(most, 1).bit_length())]


def _tensor_degrees(shape: ModelShape, run: TrainingRun, support: Support, world: int) -> list[int]:
    if run.tensor_parallel:
        return [run.tensor_parallel]
    if not support.tensor or not shape.attention_heads:
        return [1]
    heads, groups = shape.attention_heads, shape.kv_heads or shape.attention_heads
    return [t for t in _powers(min(world, 64)) if heads % t == 0 and (groups % t == 0 or t % groups == 0)]


def _pipeline_degrees(shape: ModelShape, run: TrainingRun, support: Support, world: int) -> list[int]:
    if run.pipeline_parallel:
        return [run.pipeline_parallel]
    if not support.pipeline or not shape.layers:
        return [1]
    fair = [
        p
        for p in _powers(min(world, MOST_STAGES, shape.layers))
        if -(-shape.layers // p) * p <= MOST_UNEVEN * shape.layers
    ]
    return [p for p in fair if p == 1 or p <= run.global_batch_size]


def _context_degrees(shape: ModelShape, run: TrainingRun, support: Support, world: int) -> list[int]:
    if run.context_parallel:
        return [run.context_parallel]
    too_few_sequences = run.global_batch_size < world
    if (
        not support.context
        or not shape.layers
        or not (run.sequence_length >= LONG_SEQUENCE or too_few_sequences)
    ):
        return [1]
    return [
        c
        for c in _powers(min(world, 64))
        if c == 1 or (run.sequence_length % c == 0 and run.sequence_length // c >= 1024)
    ]


def _expert_degrees(shape: ModelShape, run: TrainingRun, support: Support, ranks: int) -> list[int]:
    if run.expert_parallel:
        return [run.expert_parallel] if ranks % run.expert_parallel == 0 else []
    if not support.expert or not shape.experts:
        return [1]
    return [e for e in _powers(min(ranks, shape.experts)) if shape.experts % e == 0 and ranks % e == 0]


def _shardings(run: TrainingRun, support: Support, ranks: int) -> tuple[ShardingKind, ...]:
    if run.sharding != "auto":
        return (run.sharding,)
    return support.shardings if ranks > 1 else ("none",)


def _shard_group(sharding: ShardingKind, data: int, context: int, model_parallel: int, per_node: int) -> int:
    """Ranks that one state is spread over; hybrid keeps it inside a node."""
    ranks = data * context
    if sharding != "hybrid":
        return ranks
    inside = max(per_node // model_parallel, 1)
    return inside if ranks % inside == 0 else ranks


def _micro_batches(run: TrainingRun, data: int, pipeline: int, context: int) -> IntArray:
    """Micro-batches that split the global batch evenly, else those that exceed it least."""
    batch = run.global_batch_size
    most = max(int(min(batch / data, MOST_TOKENS_PER_PASS * context / run.sequence_length)), 1)
    sizes = [run.micro_batch_size] if run.micro_batch_size else _powers(most)
    even = [size for size in sizes if batch % (data * size) == 0]
    if not run.micro_batch_size and even:
        sizes = even

    def fair(size: int) -> bool:
        steps = -(-batch // (data * size))
        return data * size * steps <= batch * MOST_BATCH_ROUNDING and (
            steps >= pipeline or bool(run.pipeline_parallel)
        )

    return np.asarray([size for size in sizes if fair(size)], dtype=np.int64)


def _checkpointings(run: TrainingRun) -> tuple[CheckpointingKind, ...]:
    if run.activation_checkpointing == "auto":
        return SUPPORT[run.framework].checkpointings
    return (run.activation_checkpointing,)
