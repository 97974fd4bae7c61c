"""The layout of a measured case: as stated, completed by rule where the source leaves it open."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product

import numpy as np

from app.domain.errors import BadInput
from app.domain.hardware import Cluster
from app.domain.sentence import Sentence
from app.market.accuracy.cells import Row, figure, has, word
from app.market.accuracy.memory_words import checkpointing_of, whole
from app.market.accuracy.throughput_words import degrees_named, method_of, sharding_of
from app.training.compute import Workload
from app.training.layout import CheckpointingKind, Layout, Layouts
from app.training.machine import machines_of
from app.training.throughput import time_of_work

PASS_TOKENS = 8192
MEMORY_SHARE = 0.5
RUN_TOKENS = 4 * 2**20
RUN_TOKENS_PER_ACCELERATOR = 1024
RUN_MEMORY_SHARE = 0.85


def layout_of(row: Row, cluster: Cluster) -> Layout:
    """The layout of a row. Raises BadInput where a figure cannot be read."""
    words = row.get("sharding") or ""
    sharding = sharding_of(words)
    world = whole(row, "gpu_count")
    batch = number(row, "global_batch", 0.0)
    tensor, pipeline, context = _model_parallel(row, cluster, sharding, batch)
    data = max(1, world // (tensor * pipeline * context))
    micro, accumulation = _passes(row, data, batch, pipeline)
    group = {"hybrid": int(cluster.node.count)}.get(sharding, data * context)
    return Layout(
        data_parallel=data,
        tensor_parallel=tensor,
        pipeline_parallel=pipeline,
        context_parallel=context,
        expert_parallel=whole(row, "ep"),
        sharding=sharding,
        shard_group=group,
        micro_batch_size=micro,
        gradient_accumulation=accumulation,
        checkpointing=_checkpointing(row),
        virtual_stages=_virtual(row, pipeline),
        cpu_offload=has(words, "offload"),
    )


def _checkpointing(row: Row) -> CheckpointingKind:
    """As stated; a JAX run whose rematerialisation policy is not stated keeps what is cheap to keep, its default."""
    if has(word(row, "notes"), "remat policy not stated"):
        return "selective"
    return checkpointing_of(word(row, "activation_checkpointing"))[0]


def _passes(row: Row, data: int, batch: float, stages: int) -> tuple[int, int]:
    """Micro-batch and accumulation; a blank micro-batch holds up to PASS_TOKENS tokens, one sequence in a pipeline."""
    sequence = positive(row, "seq_len")
    if not batch and figure(row, "micro_batch") is None:
        batch = 4.0 * data
    share = max(1.0, batch / data)
    most = 1.0 if stages > 1 else min(share, max(1.0, PASS_TOKENS / sequence))
    micro = whole(row, "micro_batch", 2 ** math.floor(math.log2(most)))
    accumulation = whole(row, "grad_accum", max(1, round(share / micro)))
    return micro, accumulation


def _model_parallel(row: Row, cluster: Cluster, sharding: str, batch: float) -> tuple[int, int, int]:
    """Tensor, pipeline and context degrees as stated; where they are only named, the least that holds."""
    stated = tuple(whole(row, name) for name in ("tp", "pp", "cp"))
    named = degrees_named(row.get("sharding") or "")
    published = max(stated) > 1 or figure(row, "micro_batch") is not None or whole(row, "ep") > 1
    if published or not named or sharding in ("full", "hybrid"):
        return stated[0], stated[1], stated[2]
    need = _power(_degree_for_memory(row, cluster))
    world = whole(row, "gpu_count")
    if batch and batch < world:
        need = max(need, world // max(1, int(batch)))
    tensor = min(8, _power(need), max(cluster.node.link.domain_size, 1))
    rest = max(1, need // tensor)
    long = positive(row, "seq_len") >= 4096 and method_of(row) in ("lora", "qlora")
    return (tensor, 1, rest) if long else (tensor, rest, 1)


def _virtual(row: Row, stages: int) -> int:
    """Virtual pipeline stages; an inferred pipeline interleaves by two layers, as the published ones do."""
    if stages == whole(row, "pp"):
        return whole(row, "vp")
    return max(1, int(positive(row, "layers")) // (2 * stages))


def _degree_for_memory(row: Row, cluster: Cluster) -> float:
    params, world = positive(row, "params"), positive(row, "gpu_count")
    memory = cluster.node.accelerator.usable_gib * 2**30 * MEMORY_SHARE
    if method_of(row) in ("lora", "qlora"):
        return params / memory
    return 6.0 * params / max(memory - 12.0 * params / world, 0.3 * memory)


def _power(value: float) -> int:
    return int(2 ** math.ceil(math.log2(max(1.0, value))))


def fastest_layout(row: Row, work: Workload, cluster: Cluster) -> Layout:
    """For a whole run, whose layout nobody published: the fastest that holds, as its authors will have searched.

    The batch is RUN_TOKENS, on large clusters RUN_TOKENS_PER_ACCELERATOR each. Raises ValueError where none holds.
    """
    layouts = [layout for layout in _candidates(row, work, cluster) if _holds(layout, work, cluster)]
    if not layouts:
        raise ValueError("no layout holds the run in memory")
    rate = time_of_work(work, Layouts.of(*layouts), machines_of(cluster)).tokens_per_s
    return layouts[int(np.argmax(rate))]


def _candidates(row: Row, work: Workload, cluster: Cluster) -> Iterator[Layout]:
    world, layers = cluster.world_size, int(work.layers)
    batch = max(RUN_TOKENS, RUN_TOKENS_PER_ACCELERATOR * world) / float(work.sequence)
    kinds: tuple[CheckpointingKind, ...] = ("none", "selective", "full")
    stated = _checkpointing(row)
    for tensor, stages, micro, kind in product((1, 2, 4, 8), (1, 2, 4, 8, 16), (1, 2, 4), kinds):
        data = world // (tensor * stages)
        accumulation = round(batch / (max(data, 1) * micro))
        if data < 1 or accumulation < stages or stages > layers or (stated != "none" and kind != stated):
            continue
        expert = min(int(cluster.node.count), data) if work.experts_per_token else 1
        yield Layout(
            data_parallel=data,
            tensor_parallel=tensor,
            pipeline_parallel=stages,
            expert_parallel=expert,
            sharding="optimizer",
            shard_group=data,
            micro_batch_size=micro,
            gradient_accumulation=accumulation,
            checkpointing=kind,
            virtual_stages=max(1, layers // (2 * stages)) if stages > 1 else 1,
        )


def _holds(layout: Layout, work: Workload, cluster: Cluster) -> bool:
    """Weights and gradients (6 B), optimizer over the data ranks (12 B), activations (Korthikanti 2022)."""
    split = layout.tensor_parallel * layout.pipeline_parallel
    routed = max(0.0, 1.0 - work.linear / work.stored) if work.experts_per_token else 0.0
    local = work.stored * (1.0 - routed + routed / layout.expert_parallel) / split
    states = 6.0 * local + 12.0 * work.stored / cluster.world_size
    width = {"none": 34.0, "selective": 24.0, "full": 2.0}[layout.checkpointing] / layout.tensor_parallel
    tokens = layout.micro_batch_size * work.sequence
    activations = width * work.hidden * tokens * work.layers
    return bool(states + activations <= RUN_MEMORY_SHARE * cluster.node.accelerator.usable_gib * 2**30)


def positive(row: Row, name: str) -> float:
    """A figure above 0. Raises BadInput where it is blank or not one."""
    value = figure(row, name)
    if value is None:
        raise BadInput(name, Sentence("{column} is not given", {"column": name}))
    if value <= 0:
        said = {"column": name, "value": row[name]}
        raise BadInput(name, Sentence("{column} must be above 0 (given: {value})", said))
    return value


def number(row: Row, name: str, default: float) -> float:
    """A figure above 0, or `default` where the cell is blank. Raises BadInput where it is not one."""
    return default if figure(row, name) is None else positive(row, name)
