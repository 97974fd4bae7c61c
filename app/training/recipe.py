"""A recipe: every setting of a run that moves memory or time, resolved to figures."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from app.domain.errors import BadInput
from app.domain.figures import plain
from app.domain.model import ModelShape
from app.domain.run import Attention, Framework, Method, Optimizer, Precision, TrainingRun
from app.domain.sentence import Sentence
from app.training.assumptions_memory import value_of
from app.training.parameters import count, structure
from app.training.profiles import PROFILES, Loss, Norm, Profile, Selective, SoftwareClass, Wrap
from app.training.targets import adapter_parameters, parse_targets

MOST_TOKENS = 2**24
MOST_PARAMETERS = 1e14
LARGEST_KNOWN: Mapping[str, float] = {
    "layers": 128, "hidden_size": 25_600, "head_dim": 512, "attention_heads": 256, "ffn_hidden_size": 131_072,
    "vocab_size": 262_400, "experts": 512,
}  # fmt: skip
"""Of published models; the field furthest beyond is the one that a refusal names."""
Quantisation = Literal["none", "nf4", "nf4-double", "int8", "gptq", "fp8"]
QUANTISED_BYTES: dict[Quantisation, float] = {
    "nf4": 0.5 + 4 / 64,
    "nf4-double": 0.5 + 1 / 64 + 4 / 16384,
    "int8": 1.01,
    "gptq": 0.52,
    "fp8": 1.0,
}
STATE_BYTES: dict[Optimizer, float] = {
    "adamw": 8.0, "adamw-8bit": 2.03, "paged-adamw-8bit": 2.03, "adafactor": 0.05,
    "sgd": 0.0, "lion": 4.0, "muon": 4.0,
}  # fmt: skip
LOW_BIT_OPTIMIZERS = ("adamw-8bit", "paged-adamw-8bit", "adafactor")


@dataclass(frozen=True, slots=True)
class Recipe:
    """Every setting resolved. Bytes are per parameter (states) or per element (activations).

    `weight_bytes` of base weights as stored (quantised linears apart: `quantised_bytes`, None = none are);
    `outer_bytes` of embedding, head and norms; `compute_bytes` of activations and gathered weights;
    `residual_bytes` of the stream between layers. `gradient_bytes`, `master_bytes`, `state_bytes` per trained
    parameter; `tight`: an allocator that
    can grow its segments or meets fixed shapes (2023 on). `repeats_keys`: keys and values are copied for every query head; `reference_kernels`: PyTorch's
    kernels on fake CPU tensors, for oracle rows. `partition_bytes` a second copy of the gradient shard. `stated_trainable` overrides the count of
    adapter parameters. `step_copies`: optimizer temporaries in multiples of the trained weights' states.
    """

    method: Method
    precision: Precision
    optimizer: Optimizer
    framework: Framework
    software_class: SoftwareClass
    sequence_length: int
    attention: Attention
    weight_bytes: float
    outer_bytes: float
    compute_bytes: float
    residual_bytes: float
    gradient_bytes: float
    master_bytes: float
    state_bytes: float
    partition_bytes: float
    adapter_bytes: float
    norm: Norm
    loss: Loss
    quantisation: Quantisation = "none"
    quantised_bytes: float | None = None
    quantises_head: bool = False
    rank: int = 0
    targets: tuple[str, ...] = ()
    trains_outer: bool = False
    stated_trainable: float | None = None
    autocast: bool = False
    optimizer_in_backward: bool = False
    paged: bool = False
    step_copies: float = 0.0
    compiled: bool = False
    packed: bool = True
    dropout: float = 0.0
    activation_offload: bool = False
    mlp_recomputed: int = 0
    repeats_keys: bool = False
    tight: bool = True
    reference_kernels: bool = False
    keeps_gradients: bool = False
    gathers_whole: bool = False
    inner_copies: float = 0.0
    adapter_dropout: float = 0.0
    quantised_copies: float = 0.0
    bucket_copies: bool = False
    fused_adapters: bool = False
    bucket_elements: float = 0.0
    extra_gib: float = 0.0
    context_gib: float = 0.0
    unties_embeddings: bool = False
    offloads: Literal["all", "optimizer"] = "all"
    selective: Selective = "products"
    transformers: bool = False
    first_fsdp: bool = False
    splits_outer: bool = False
    wraps: Wrap = "tensors"
    quantises_on_device: bool = False

    @property
    def frozen(self) -> bool:
        """Only adapters are trained."""
        return self.method in ("lora", "qlora")

    def trainable_parameters(self, shape: ModelShape) -> float:
        """Parameters with gradients and optimizer states: all, or those of the adapters."""
        if not self.frozen:
            return float(count(shape).total)
        if self.stated_trainable is not None:
            return self.stated_trainable
        filled = structure(shape)
        outer = 2.0 * filled.vocab_size * filled.hidden_size if self.trains_outer else 0.0
        return adapter_parameters(filled, self.rank, self.targets) + outer


def recipe_for(shape: ModelShape, run: TrainingRun) -> Recipe:
    """The recipe of `run` on `shape` by the habits of the run's framework.

    Raises:
        BadInput: heads that do not divide, adapters without a known structure, a sequence longer than 2**24
            tokens, or any other value no training step could have; names the field.
    """
    check_shape(shape)
    if run.sequence_length > MOST_TOKENS:
        said = {"length": run.sequence_length, "most": MOST_TOKENS}
        raise BadInput("sequence_length", Sentence("{length} tokens is beyond {most}", said))
    profile = PROFILES[run.framework]
    recipe = _base(run, profile)
    if run.method in ("lora", "qlora"):
        recipe = _adapters(shape, run, profile, recipe)
    return replace(recipe, loss=_loss(shape, run, profile))


def check_shape(shape: ModelShape) -> None:
    """Refuse a shape no model can have.

    Raises:
        BadInput: naming the shape field.
    """
    numbers = {
        "layers": shape.layers, "hidden_size": shape.hidden_size, "attention_heads": shape.attention_heads,
        "kv_heads": shape.kv_heads, "ffn_hidden_size": shape.ffn_hidden_size, "vocab_size": shape.vocab_size,
        "experts": shape.experts, "parameters": shape.stated_parameters or 0,
    }  # fmt: skip
    for field, value in numbers.items():
        if not math.isfinite(value) or value < 0:
            raise BadInput(
                field,
                Sentence("must be a number of at least {low} (given: {value})", {"low": 0, "value": value}),
            )
    if not shape.stated_parameters and not (shape.layers and shape.hidden_size):
        missing = "hidden_size" if shape.layers else "layers"
        raise BadInput(missing, "a model needs at least layers and hidden size, or its number of parameters")
    heads, kv_heads = shape.attention_heads, shape.kv_heads
    if heads and kv_heads and (kv_heads > heads or heads % kv_heads):
        said = {"part": kv_heads, "heads": heads}
        raise BadInput(
            "kv_heads", Sentence("{part} key/value heads do not divide the {heads} attention heads", said)
        )
    if heads and not shape.head_dim and shape.hidden_size % heads:
        said = {"heads": heads, "size": shape.hidden_size}
        raise BadInput(
            "attention_heads", Sentence("{heads} heads do not divide the hidden size {size}", said)
        )
    if shape.experts and not 0 < shape.experts_per_token <= shape.experts:
        raise BadInput(
            "experts_per_token",
            Sentence("must be between 1 and the experts ({experts})", {"experts": shape.experts}),
        )
    if (total := count(shape).total) > MOST_PARAMETERS:
        oddest = max(LARGEST_KNOWN, key=lambda name: float(getattr(shape, name) / LARGEST_KNOWN[name]))
        named = {"value": getattr(shape, oddest), "total": plain(total, 2), "most": plain(MOST_PARAMETERS)}
        raise BadInput(
            oddest, Sentence("{value} makes a model of {total} parameters; the most is {most}", named)
        )


def _base(run: TrainingRun, profile: Profile) -> Recipe:
    half = run.precision != "fp32"
    states = "pure" if run.precision == "bf16" else profile.mixed if half else "fp32"
    wide = states in ("fp32", "autocast", "fp32-weights")
    element = 2.0 if half else 4.0
    adam = STATE_BYTES[run.optimizer]
    return Recipe(
        method=run.method,
        precision=run.precision,
        optimizer=run.optimizer,
        framework=run.framework,
        software_class=profile.software_class,
        sequence_length=run.sequence_length,
        attention=run.attention,
        weight_bytes=4.0 if wide else 2.0,
        outer_bytes=4.0 if wide else 2.0,
        compute_bytes=element,
        residual_bytes=4.0 if states in ("fp32", "autocast") else element,
        gradient_bytes=4.0 if wide else 2.0 if states == "pure" else profile.gradient_bytes,
        master_bytes=4.0 if states == "fp32-master" else 0.0,
        state_bytes=adam / 2 if states == "pure" and run.optimizer not in LOW_BIT_OPTIMIZERS else adam,
        partition_bytes=profile.partition_bytes if states == "fp32-master" else 0.0,
        adapter_bytes=0.0,
        norm=profile.norm,
        loss=profile.loss,
        autocast=states == "autocast",
        paged=run.optimizer == "paged-adamw-8bit",
        step_copies=value_of("step.foreach") if run.optimizer == "adamw" and not half else 0.0,
        compiled=profile.compiles,
        keeps_gradients=profile.keeps_gradients,
        gathers_whole=profile.gathers_whole,
        inner_copies=profile.inner_copies,
        bucket_copies=profile.bucket_copies,
        bucket_elements=profile.bucket_elements,
        extra_gib=profile.extra_gib,
        context_gib=value_of("context.lazy"),
        unties_embeddings=profile.unties_embeddings,
        offloads=profile.offloads,
        selective=profile.selective,
        transformers=profile.transformers,
        first_fsdp=profile.first_fsdp,
        splits_outer=profile.splits_outer,
        wraps=profile.wraps,
        repeats_keys=_repeats_keys(run, profile),
    )


def _repeats_keys(run: TrainingRun, profile: Profile) -> bool:
    return profile.repeats_keys == "always" or (profile.repeats_keys == "sdpa" and run.attention != "flash")


def _adapters(shape: ModelShape, run: TrainingRun, profile: Profile, base: Recipe) -> Recipe:
    filled = structure(shape)
    targets = parse_targets(run.lora_targets, filled)
    stored = 4.0 if run.precision == "fp32" else 2.0
    adapter = 4.0 if run.precision == "fp32" else profile.adapter_bytes
    quantised = run.method == "qlora"
    return replace(
        base,
        weight_bytes=stored,
        outer_bytes=4.0 if quantised and profile.upcasts_unquantised else stored,
        residual_bytes=stored,
        gradient_bytes=adapter,
        master_bytes=0.0,
        partition_bytes=0.0,
        state_bytes=STATE_BYTES[run.optimizer]
        * (1.0 if run.optimizer in LOW_BIT_OPTIMIZERS else adapter / 4),
        adapter_bytes=adapter,
        quantised_copies=profile.quantised_copies,
        quantisation="nf4-double" if quantised else "none",
        quantised_bytes=QUANTISED_BYTES["nf4-double"] if quantised else None,
        quantises_head=quantised and profile.quantises_head,
        quantises_on_device=quantised and profile.quantises_on_device,
        rank=run.lora_rank,
        adapter_dropout=profile.adapter_dropout,
        fused_adapters=profile.fused_adapters,
        targets=targets,
        autocast=False,
    )


def _loss(shape: ModelShape, run: TrainingRun, profile: Profile) -> Loss:
    if shape.modality in ("encoder", "vision", "diffusion", "cnn"):
        return "classifier"
    choices: dict[str, Loss] = {"full": profile.full_loss, "chunked": profile.chunked_loss, "fused": "fused"}
    return choices[run.loss] if run.loss else profile.loss
