"""How measured rows spell settings, and what the estimate calls them. Data and small readers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from app.domain.errors import BadInput
from app.domain.run import Framework, Optimizer
from app.domain.sentence import Sentence
from app.training.layout import CheckpointingKind, ShardingKind
from app.training.profiles import Loss
from app.training.recipe import Quantisation

T = TypeVar("T")

FRAMEWORKS: tuple[tuple[str, Framework], ...] = (
    ("torchtune", "torchtune"),
    ("torchtitan", "torchtitan"),
    ("litgpt", "litgpt"),
    ("unsloth", "unsloth"),
    ("axolotl", "axolotl"),
    ("megatron", "megatron"),
    ("nemo", "megatron"),
    ("neox", "megatron"),
    ("nanotron", "megatron"),
    ("deepspeed", "deepspeed"),
    ("composer", "pytorch-fsdp2"),
    ("llm-foundry", "pytorch-fsdp2"),
    ("olmo-core", "pytorch-fsdp2"),
)

SHARDINGS: tuple[tuple[str, ShardingKind], ...] = (
    ("shard_grad_op", "gradients"),
    ("hybrid_shard", "hybrid"),
    ("zero3", "full"),
    ("zero2", "gradients"),
    ("zero1", "optimizer"),
    ("distributed optimizer", "optimizer"),
    ("no_shard", "none"),
    ("zero-3", "full"),
    ("zero-2", "gradients"),
    ("zero-1", "optimizer"),
    ("hsdp", "hybrid"),
    ("fsdp", "full"),
)

LOSSES: tuple[tuple[str, Loss], ...] = (
    ("chunked (128)", "chunked-128"),
    ("chunked", "chunked"),
    ("loss parallel", "loss-parallel"),
    ("fused, vocab-parallel", "vocab-fused"),
    ("vocab-parallel", "vocab-parallel"),
    ("in place", "in-place"),
    ("cut cross entropy", "fused"),
    ("fused", "fused"),
    ("class", "classifier"),
    ("(compiled)", "loss-compiled"),
)

QUANTISATIONS: tuple[tuple[str, Quantisation], ...] = (
    ("nf4 dq", "nf4-double"),
    ("nf4", "nf4"),
    ("int8", "int8"),
    ("gptq", "gptq"),
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
STATE_BYTES_OF: tuple[tuple[str, float], ...] = (
    ("4bit", 1.0),
    ("8bit", 2.0),
    ("adafactor", 0.05),
    ("sgd momentum", 4.0),
    ("sgd", 0.0),
    ("lion", 4.0),
    ("muon", 4.0),
)

ADAPTER_METHODS = (
    "adapter", "loha", "lokr", "oft", "ia3", "dora", "adalora", "boft", "prompt_tuning", "prefix", "p-tuning",
    "vera", "randlora", "hra", "ln_tuning", "fourierft", "c3a", "shira", "trainable_tokens", "vblora", "bone",
    "miss", "road",
)  # fmt: skip

# Driver-reported share of the memory in a card's name: 79.14 of 80, 23.65 of 24, 15.78 of 16 (memory_model.md §3.5).
NOMINAL_SHARE = 0.987


def number(row: Mapping[str, str | None], column: str) -> float | None:
    """The cell as a finite number; None where blank, absent or not a number."""
    text = (row.get(column) or "").strip()
    try:
        value = float(text)
    except ValueError:
        return None
    return value if abs(value) < 1e18 else None


def whole(row: Mapping[str, str | None], column: str, otherwise: int = 1) -> int:
    """The cell as a whole number from 1 up; `otherwise` where blank.

    Raises:
        BadInput: below 1.
    """
    value = number(row, column)
    if value is not None and value < 1:
        raise BadInput(
            column, Sentence("must be at least {low} (given: {value})", {"low": 1, "value": value})
        )
    return otherwise if value is None else int(value)


def word(row: Mapping[str, str | None], column: str) -> str:
    """The cell in lower case without spaces around; empty where blank or absent."""
    return (row.get(column) or "").strip().lower()


def first(text: str, choices: tuple[tuple[str, T], ...], otherwise: T) -> T:
    """The meaning of the first spelling that occurs in `text`."""
    return next((meaning for spelling, meaning in choices if spelling in text), otherwise)


def checkpointing_of(text: str) -> tuple[CheckpointingKind, int]:
    """Checkpointing, and how many matrix products of a fused feed-forward are recomputed (flash-attention's
    levels 1 and 2)."""
    if text.startswith(("full", "yes", "every layer", "gradient checkpointing", "unsloth")):
        return "full", 0
    if text.startswith("selective"):
        return "selective", 0
    if "level 1 and 2" in text:
        return "none", 1
    return "none", 2 if "level 2" in text else 1 if "level 1" in text else 0


# Methods that add no matrices beside the linears.
LINEARLESS = ("adapter", "prompt_tuning", "prefix", "p-tuning", "ia3", "ln_tuning", "trainable_tokens")
