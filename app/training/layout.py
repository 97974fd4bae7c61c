"""Layouts: how a run is laid over accelerators. One struct of arrays, so that one formula serves one or many."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from app.domain.sentence import N_, Sentence, joined

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

ShardingKind = Literal["none", "optimizer", "gradients", "full", "hybrid"]
CheckpointingKind = Literal["none", "selective", "full"]
SHARDINGS: tuple[ShardingKind, ...] = ("none", "optimizer", "gradients", "full", "hybrid")
CHECKPOINTINGS: tuple[CheckpointingKind, ...] = ("none", "selective", "full")


@dataclass(frozen=True, slots=True)
class Layout:
    """One layout. World size = data × tensor × pipeline × context (expert parallel lies inside data × tensor).

    `data_parallel` is the number of model replicas or shards; `shard_group` the ranks a state is sharded over
    under `hybrid` (elsewhere data × context). `gradient_accumulation` × `micro_batch_size` × `data_parallel`
    is the global batch.
    """

    data_parallel: int = 1
    tensor_parallel: int = 1
    pipeline_parallel: int = 1
    context_parallel: int = 1
    expert_parallel: int = 1
    sharding: ShardingKind = "none"
    shard_group: int = 1
    micro_batch_size: int = 1
    gradient_accumulation: int = 1
    checkpointing: CheckpointingKind = "none"
    sequence_parallel: bool = True
    virtual_stages: int = 1
    cpu_offload: bool = False

    @property
    def world_size(self) -> int:
        """Accelerators that the layout occupies."""
        return self.data_parallel * self.tensor_parallel * self.pipeline_parallel * self.context_parallel

    @property
    def global_batch_size(self) -> int:
        """Sequences per optimizer step."""
        return self.data_parallel * self.micro_batch_size * self.gradient_accumulation

    @property
    def words(self) -> Sentence:
        """The layout in a few words: "FSDP over 8 · micro-batch 2 × 4 · full checkpointing"."""
        parts = []
        if (ranks := self.data_parallel * self.context_parallel) > 1:
            parts.append(
                Sentence("{scheme} over {count}", {"scheme": _SCHEMES[self.sharding], "count": ranks})
            )
        degrees = (self.tensor_parallel, self.pipeline_parallel, self.context_parallel, self.expert_parallel)
        for template, degree in zip(_DEGREES, degrees, strict=True):
            if degree > 1:
                parts.append(Sentence(template, {"degree": degree}))
        steps = {"size": self.micro_batch_size, "steps": self.gradient_accumulation}
        parts.append(Sentence("micro-batch {size} × {steps}", steps))
        parts.append(Sentence(CHECKPOINTED[self.checkpointing]))
        if self.cpu_offload:
            parts.append(Sentence(N_("CPU offload")))
        return joined(parts, N_("{first} · {next}"))


_SCHEMES: Mapping[ShardingKind, str] = {
    "none": N_("data parallel"),
    "optimizer": "ZeRO-1",
    "gradients": "ZeRO-2",
    "full": "FSDP",
    "hybrid": "HSDP",
}
_DEGREES = (N_("tensor {degree}"), N_("pipeline {degree}"), N_("context {degree}"), N_("expert {degree}"))
CHECKPOINTED: Mapping[CheckpointingKind, str] = {
    "none": N_("no checkpointing"),
    "selective": N_("selective checkpointing"),
    "full": N_("full checkpointing"),
}
"""Activation checkpointing in words."""


@dataclass(frozen=True, slots=True)
class Layouts:
    """Many layouts as equal-length arrays; `sharding` and `checkpointing` are indices into SHARDINGS and
    CHECKPOINTINGS, flags are 0/1. All formulas of memory and time read this."""

    data_parallel: IntArray
    tensor_parallel: IntArray
    pipeline_parallel: IntArray
    context_parallel: IntArray
    expert_parallel: IntArray
    sharding: IntArray
    shard_group: IntArray
    micro_batch_size: IntArray
    gradient_accumulation: IntArray
    checkpointing: IntArray
    sequence_parallel: IntArray
    virtual_stages: IntArray
    cpu_offload: IntArray

    def __len__(self) -> int:
        return int(self.data_parallel.shape[0])

    @property
    def world_size(self) -> IntArray:
        """Accelerators that each layout occupies, shape (n,)."""
        return self.data_parallel * self.tensor_parallel * self.pipeline_parallel * self.context_parallel

    def row(self, index: int) -> Layout:
        """Layout number `index`."""
        values: dict[str, Any] = {f.name: int(getattr(self, f.name)[index]) for f in fields(self)}
        values["sharding"] = SHARDINGS[values["sharding"]]
        values["checkpointing"] = CHECKPOINTINGS[values["checkpointing"]]
        values["sequence_parallel"] = bool(values["sequence_parallel"])
        values["cpu_offload"] = bool(values["cpu_offload"])
        return Layout(**values)

    def take(self, which: npt.NDArray[Any]) -> Layouts:
        """The layouts at the given indices or mask."""
        return replace(self, **{f.name: getattr(self, f.name)[which] for f in fields(self)})

    @classmethod
    def of(cls, *layouts: Layout) -> Layouts:
        """Arrays from single layouts."""
        columns: dict[str, list[int]] = {f.name: [] for f in fields(cls)}
        for layout in layouts:
            for name, column in columns.items():
                value = getattr(layout, name)
                if name == "sharding":
                    value = SHARDINGS.index(value)
                elif name == "checkpointing":
                    value = CHECKPOINTINGS.index(value)
                column.append(int(value))
        return cls(**{name: np.asarray(column, dtype=np.int64) for name, column in columns.items()})
