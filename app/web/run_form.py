"""The fit form, read off `TrainingRun`: three steps a person thinks in, everything else under details."""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Union, get_args, get_origin

from app.domain.figures import shortened
from app.domain.run import TrainingRun
from app.domain.sentence import N_
from app.web.run_help import HELP

Control = Literal["model", "json", "select", "yesno", "number", "text"]


@dataclass(frozen=True, slots=True)
class Field:
    """One control. `choices` are (value, label); `placeholder` shows the default, `help` explains it; `value` is what
    was asked."""

    name: str
    label: str
    control: Control
    unit: str = ""
    help: str = ""
    placeholder: str = ""
    choices: tuple[tuple[str, str], ...] = ()
    value: str = ""
    minimum: str = ""

    @property
    def wide(self) -> bool:
        """Takes the whole width: long values and long labels."""
        return self.control in ("model", "json") or self.name in WIDE


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the form; `details` stay folded until something in them is set."""

    title: str
    fields: tuple[Field, ...]
    details_title: str
    details: tuple[Field, ...]

    @property
    def details_set(self) -> int:
        """How many of the folded fields differ from their default."""
        return sum(bool(item.value) for item in self.details)


Place = tuple[str, str, str]
"""Field name, label, unit."""

WHAT: tuple[Place, ...] = (("model", N_("Model"), ""),)
WHAT_DETAILS: tuple[Place, ...] = (
    ("config", N_("config.json (paste)"), ""),
    ("parameters", N_("Parameters"), ""),
    ("layers", N_("Layers"), ""),
    ("hidden_size", N_("Hidden size"), ""),
    ("attention_heads", N_("Attention heads"), ""),
    ("kv_heads", N_("Key/value heads"), ""),
    ("head_dim", N_("Head dimension"), ""),
    ("ffn_hidden_size", N_("Feed-forward width"), ""),
    ("vocab_size", N_("Vocabulary"), N_("tokens")),
    ("tied_embeddings", N_("Tied embeddings"), ""),
    ("gated_mlp", N_("Gated feed-forward"), ""),
    ("experts", N_("Experts"), N_("per layer")),
    ("experts_per_token", N_("Experts per token"), ""),
)
HOW: tuple[Place, ...] = (
    ("method", N_("Method"), ""),
    ("sequence_length", N_("Sequence length"), N_("tokens")),
    ("global_batch_size", N_("Global batch"), N_("sequences")),
)
HOW_DETAILS: tuple[Place, ...] = (
    ("precision", N_("Precision"), ""),
    ("optimizer", N_("Optimizer"), ""),
    ("framework", N_("Framework"), ""),
    ("micro_batch_size", N_("Micro-batch"), N_("sequences")),
    ("activation_checkpointing", N_("Activation checkpointing"), ""),
    ("attention", N_("Attention"), ""),
    ("loss", N_("Loss"), ""),
    ("lora_rank", N_("LoRA rank"), ""),
    ("lora_targets", N_("LoRA targets"), ""),
    ("sharding", N_("Sharding"), ""),
    ("tensor_parallel", N_("Tensor parallel"), ""),
    ("pipeline_parallel", N_("Pipeline stages"), ""),
    ("context_parallel", N_("Context parallel"), ""),
    ("expert_parallel", N_("Expert parallel"), ""),
    ("cpu_offload", N_("CPU offload"), ""),
)
AMOUNT: tuple[Place, ...] = (
    ("tokens", N_("Tokens to train on"), N_("tokens")),
    ("max_nodes", N_("Most nodes"), ""),
    ("deadline_hours", N_("Deadline"), N_("h")),
    ("budget_usd", N_("Budget"), "USD"),
)
AMOUNT_DETAILS: tuple[Place, ...] = (
    ("samples", N_("Samples instead of tokens"), N_("sequences")),
    ("epochs", N_("Epochs"), ""),
    ("max_accelerators", N_("Most accelerators per node"), ""),
    ("checkpoint_minutes", N_("Between checkpoints"), N_("min")),
    ("interruptions_per_hour", N_("Spot interruptions"), N_("per node, h")),
    ("dataset_gb", N_("Data set stored"), "GB"),
    ("egress_gb", N_("Carried out"), "GB"),
    ("idle_hours", N_("Idle time"), N_("h")),
    ("spread_commitment", N_("Other work uses the rest of a reservation"), ""),
    ("link_share_limit", N_("Most communication share of a step"), ""),
    ("prove_fabric", N_("Unknown network counts as unfit"), ""),
    ("measured_tokens_per_s", N_("Measured speed of a trial"), N_("tokens/s")),
    ("measured_peak_gib", N_("Measured peak of a trial"), "GiB"),
    ("measured_on", N_("Trial ran on"), ""),
)
WIDE = frozenset(
    (
        "accelerator",
        "method",
        "framework",
        "sharding",
        "link_share_limit",
        "prove_fabric",
        "measured_on",
        "spread_commitment",
    )
)
STEPS = (
    (N_("What do you train?"), WHAT, N_("Not in the list? Shape by hand"), WHAT_DETAILS),
    (N_("How?"), HOW, N_("Details of the recipe and layout"), HOW_DETAILS),
    (N_("How much?"), AMOUNT, N_("Details of work, data and trial"), AMOUNT_DETAILS),
)
LARGE = frozenset(("tokens", "samples", "parameters"))
"""Figures of many digits."""
CHOICE_LABELS: Mapping[str, Mapping[str, str]] = {
    "method": {
        "pretrain": N_("Pretraining from scratch"),
        "full": N_("Full fine-tune"),
        "lora": N_("LoRA"),
        "qlora": N_("QLoRA (4-bit base)"),
    },
    "sharding": {
        "auto": N_("search"),
        "none": N_("none (DDP)"),
        "optimizer": N_("optimizer (ZeRO-1)"),
        "gradients": N_("gradients (ZeRO-2)"),
        "full": N_("full (ZeRO-3, FSDP)"),
        "hybrid": N_("hybrid (HSDP)"),
    },
    "activation_checkpointing": {"auto": N_("search")},
}
EMPTY_MEANS: Mapping[str, str] = {
    "micro_batch_size": N_("search"),
    "tensor_parallel": N_("search"),
    "pipeline_parallel": N_("search"),
    "context_parallel": N_("search"),
    "expert_parallel": N_("search"),
    "loss": N_("by framework"),
    "tokens": "1B",
    "deadline_hours": N_("none"),
    "budget_usd": N_("none"),
    "checkpoint_minutes": N_("optimum"),
    "egress_gb": N_("final weights"),
    "interruptions_per_hour": N_("0.005 to 0.3"),
}


@dataclass(frozen=True, slots=True)
class Preset:
    """A run to start from: its name, what it is in one line, its fields as a form sends them."""

    title: str
    words: str
    fields: Mapping[str, str]


PRESETS: tuple[Preset, ...] = (
    Preset(
        N_("QLoRA on one card"),
        N_("Adapters over a 4-bit base, 8B parameters, 50 million tokens: the least memory of all."),
        {"model": "llama-3.1-8b", "method": "qlora", "max_accelerators": "1", "tokens": "5e7"},
    ),
    Preset(
        N_("Full fine-tune on a node"),
        N_(
            "Every weight of 8B parameters, a billion tokens: states shared by the accelerators of one machine."
        ),
        {"model": "llama-3.1-8b"},
    ),
    Preset(
        N_("Pretrain 7B on a cluster"),
        N_("From scratch on 100 billion tokens: up to 16 machines joined by a fast network."),
        {"model": "llama-2-7b", "method": "pretrain", "max_nodes": "16", "tokens": "1e11"},
    ),
)


def steps(asked: Mapping[str, Any]) -> tuple[Step, ...]:
    """The form with the asked values filled in; `asked` holds run fields by name, as typed or as parsed."""
    return tuple(
        Step(title, _fields(shown, asked), details_title, _fields(details, asked))
        for title, shown, details_title, details in STEPS
    )


def label_of(name: str) -> str:
    """The label of a field; of anything else its own name."""
    places = (place for _, shown, _, details in STEPS for place in (*shown, *details))
    return next((label for field, label, _ in places if field == name), name)


def _fields(places: tuple[Place, ...], asked: Mapping[str, Any]) -> tuple[Field, ...]:
    return tuple(_field(name, label, unit, _shown(name, asked.get(name))) for name, label, unit in places)


def _field(name: str, label: str, unit: str, value: str) -> Field:
    info = TrainingRun.model_fields[name]
    kind = next(_kinds(info.annotation))
    default = None if info.default is None else _text(info.default)
    placeholder = EMPTY_MEANS.get(name, default or "")
    choices = _choices(name, kind, default)
    minimum = next((_text(rule.ge) for rule in info.metadata if hasattr(rule, "ge")), "")
    return Field(
        name, label, _control(name, kind), unit, HELP.get(name, ""), placeholder, choices, value, minimum
    )


def _kinds(annotation: Any) -> Iterator[Any]:
    """The types of an annotation without None: `int | None` → int."""
    if get_origin(annotation) in (Union, types.UnionType):
        yield from (part for part in get_args(annotation) if part is not type(None))
    else:
        yield annotation


def _control(name: str, kind: Any) -> Control:
    if name == "model":
        return "model"
    if get_origin(kind) is dict:
        return "json"
    if get_origin(kind) is Literal:
        return "select"
    if kind is bool:
        return "yesno"
    return "text" if kind is str else "number"


def _choices(name: str, kind: Any, default: str | None) -> tuple[tuple[str, str], ...]:
    """The default is the empty choice, so that only what differs reaches the address."""
    labels = CHOICE_LABELS.get(name, {})
    if kind is bool:
        return (
            ("", N_("no") if default == "false" else N_("as the model has it")),
            ("true", N_("yes")),
            ("false", N_("no")),
        )
    if get_origin(kind) is not Literal:
        return ()
    values = get_args(kind)
    first = () if default in values else (("", EMPTY_MEANS.get(name, N_("any"))),)
    return (*first, *(("" if value == default else value, labels.get(value, value)) for value in values))


def _shown(name: str, value: Any) -> str:
    """The value as a person reads it; what is no plain figure stays as it was typed."""
    text = _text(value)
    return shortened(float(text)) if name in LARGE and text.isdigit() else text


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.0f}" if value == int(value) and abs(value) < 1e6 else repr(value)
    return str(value)
