"""How measured rows spell settings, and what the estimate calls them. Data and small readers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from app.domain.errors import BadInput
from app.domain.run import Framework, Optimizer
from app.domain.sentence import Sentence
from app.market.accuracy.cells import begins, figure, has, is_blank, squeezed, word
from app.training.layout import CheckpointingKind, ShardingKind
from app.training.profiles import Loss
from app.training.recipe import Quantisation

T = TypeVar("T")

FRAMEWORKS: tuple[tuple[str, Framework], ...] = (
    ("torchtune", "torchtune"),
    ("torchtitan", "torchtitan"),
    ("litgpt", "litgpt"),
    ("lit-llama", "litgpt"),
    ("unsloth", "unsloth"),
    ("axolotl", "axolotl"),
    ("megatron", "megatron"),
    ("nemo", "megatron"),
    ("neox", "megatron"),
    ("nanotron", "megatron"),
    ("deepspeed", "deepspeed"),
    ("composer", "pytorch-fsdp2"),
    ("llm-foundry", "pytorch-fsdp2"),
    ("mosaic", "pytorch-fsdp2"),
    ("olmo-core", "pytorch-fsdp2"),
)

SHARDINGS: tuple[tuple[str, ShardingKind], ...] = (
    ("shard_grad_op", "gradients"),
    ("hybrid_shard", "hybrid"),
    ("no_shard", "none"),
    ("full_shard", "full"),
    ("zero-3", "full"),
    ("zero-2", "gradients"),
    ("zero-1", "optimizer"),
    ("stage 3", "full"),
    ("stage 2", "gradients"),
    ("stage 1", "optimizer"),
    ("zero++", "full"),
    ("zero-infinity", "full"),
    ("distributed optimizer", "optimizer"),
    ("hsdp", "hybrid"),
    ("fsdp", "full"),
    ("fully sharded", "full"),
)

LOSSES: tuple[tuple[str, Loss], ...] = (
    ("chunked (128)", "chunked-128"),
    ("chunked", "chunked"),
    ("loss parallel", "loss-parallel"),
    ("parallel cross entropy", "loss-parallel"),
    ("parallel ce", "loss-parallel"),
    ("fused, vocab-parallel", "vocab-fused"),
    ("vocab-parallel", "vocab-parallel"),
    ("in place", "in-place"),
    ("cut cross entropy", "fused"),
    ("linear cross entropy", "fused"),
    ("cce", "fused"),
    ("flce", "fused"),
    ("liger", "fused"),
    ("unsloth", "fused"),
    ("fused", "fused"),
    ("class", "classifier"),
    ("span", "classifier"),
    ("mse", "classifier"),
    ("regression", "classifier"),
    ("contrastive", "classifier"),
    ("ctc", "classifier"),
    ("compiled", "loss-compiled"),
    ("bf16", "half"),
    ("fp16", "half"),
)

QUANTISATIONS: tuple[tuple[str, Quantisation], ...] = (
    ("nf4 dq", "nf4-double"),
    ("double", "nf4-double"),
    ("nf4", "nf4"),
    ("int8", "int8"),
    ("8-bit", "int8"),
    ("gptq", "gptq"),
    ("awq", "gptq"),
    ("hqq", "gptq"),
    ("int4", "gptq"),
    ("fp4", "nf4"),
    ("4-bit", "nf4"),
    ("fp8", "fp8"),
)

OPTIMIZERS: tuple[tuple[str, Optimizer], ...] = (
    ("pagedadamw8bit", "paged-adamw-8bit"),
    ("8bit", "adamw-8bit"),
    ("4bit", "adamw-8bit"),
    ("adafactor", "adafactor"),
    ("sgd", "sgd"),
    ("lion", "lion"),
    ("muon", "muon"),
)
LOW_BIT_STATES: tuple[tuple[str, float], ...] = (
    ("lion 8bit", 1.0),
    ("4bit", 1.0),
    ("8bit", 2.0),
    ("adafactor", 0.05),
)
"""Bytes per trained parameter, whatever format the weights have."""
STATES: tuple[tuple[str, float], ...] = (
    ("sgd momentum", 1.0),
    ("sgd with momentum", 1.0),
    ("sgd", 0.0),
    ("lomo", 0.0),
    ("lion", 1.0),
    ("muon", 1.0),
    ("rmsprop", 1.0),
    ("adam-mini", 1.0),
)
"""States per trained parameter of the optimizers that keep other than Adam's two."""

ADAPTER_METHODS = (
    "adapter", "loha", "qdora", "pissa", "olora", "bitfit", "lokr", "oft", "ia3", "dora", "adalora", "boft", "prompt_tuning", "prefix", "p-tuning",
    "vera", "randlora", "hra", "ln_tuning", "fourierft", "c3a", "shira", "trainable_tokens", "vblora", "bone",
    "miss", "road",
)  # fmt: skip

# Driver-reported share of the memory in a card's name: 79.14 of 80, 23.65 of 24, 15.78 of 16 (docs/memory_model.md §3.5).
NOMINAL_SHARE = 0.987
NOMINAL_GB = (8, 12, 16, 24, 32, 40, 48, 80, 96)
NODE = 8
"""Ranks that hybrid sharding shards over: those of one node (PyTorch HYBRID_SHARD)."""


def says_yes(row: Mapping[str, str | None], column: str) -> bool:
    """The cell affirms; blank does not."""
    return begins(word(row, column), "yes", "true", "1", "on")


def whole(row: Mapping[str, str | None], column: str, otherwise: int = 1) -> int:
    """The cell as a whole number from 1 up; `otherwise` where blank.

    Raises:
        BadInput: no number, or below 1.
    """
    value = figure(row, column)
    if value is not None and value < 1:
        said = {"column": column, "value": row[column]}
        raise BadInput(column, Sentence("{column} must be at least 1 (given: {value})", said))
    return otherwise if value is None else int(value)


def first(text: str, choices: tuple[tuple[str, T], ...], otherwise: T) -> T:
    """The meaning of the first spelling that occurs in `text`, both squeezed."""
    given = squeezed(text)
    return next((meaning for spelling, meaning in choices if squeezed(spelling) in given), otherwise)


def checkpointing_of(text: str) -> tuple[CheckpointingKind, int]:
    """Checkpointing, and how many matrix products of a fused feed-forward are recomputed (flash-attention's
    levels 1 and 2). Every second layer counts as selective: about as much stays."""
    if begins(text, "selective", "core", "every 2", "every second", "half", "partial"):
        return "selective", 0
    if has(text, "level 1 and 2"):
        return "none", 1
    if has(text, "level"):
        return "none", 2 if has(text, "level 2") else 1
    return "none" if begins(text, "no", "off", "false", "0") or is_blank(text) else "full", 0


# Methods that add no matrices beside the linears.
LINEARLESS = (
    "adapter",
    "bitfit",
    "prompt_tuning",
    "prefix",
    "p-tuning",
    "ia3",
    "ln_tuning",
    "trainable_tokens",
)
