"""A measured row as a question: shape, recipe and layout in the words of the estimate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from app.domain.errors import BadInput
from app.domain.model import ModelShape
from app.domain.run import Attention, Framework, TrainingRun
from app.market.accuracy.memory_shapes import shape_of
from app.market.accuracy.memory_words import (
    ADAPTER_METHODS,
    FRAMEWORKS,
    LINEARLESS,
    LOSSES,
    NOMINAL_SHARE,
    OPTIMIZERS,
    QUANTISATIONS,
    SHARDINGS,
    STATE_BYTES_OF,
    checkpointing_of,
    first,
    number,
    word,
)
from app.training.assumptions_memory import value_of
from app.training.layout import Layout
from app.training.profiles import PROFILES, Loss
from app.training.recipe import QUANTISED_BYTES, Quantisation, Recipe, recipe_for
from app.training.targets import parse_targets

Row = Mapping[str, str | None]
OLD_ALLOCATORS = ("2021", "2022", "feb 2022", "4.1x")
Metric = Literal["allocated", "reserved", "device"]


@dataclass(frozen=True, slots=True)
class Case:
    """One row that the estimate can take. `usable_gib` None = the card is not known."""

    id: str
    shape: ModelShape
    recipe: Recipe
    layout: Layout
    metric: Metric
    measured_gib: float | None
    usable_gib: float | None
    outcome: Literal["measured", "oom", "fits"]
    quality: str
    groups: tuple[str, ...]
    source: str


def case_of(row: Row, models: Mapping[str, ModelShape]) -> Case:
    """The row as a case.

    Raises:
        BadInput: what is missing or not modelled, as a reason that rows can be counted by.
    """
    shape = shape_of(row, models)
    framework = first(word(row, "framework"), FRAMEWORKS, "hf-trainer")
    plain = "flash-attention" not in word(row, "framework")
    if "zero" in word(row, "sharding") and framework == "hf-trainer" and plain:
        framework = "deepspeed"
    recipe = recipe_of(row, shape, framework)
    return Case(
        id=row.get("id") or "",
        shape=shape,
        recipe=recipe,
        layout=layout_of(row),
        metric=_metric(word(row, "measured_metric")),
        measured_gib=number(row, "measured_peak_gib"),
        usable_gib=_usable(number(row, "gpu_mem_gib")),
        outcome=_outcome(word(row, "kind")),
        quality=(row.get("quality") or "B").strip() or "B",
        groups=_groups(row, recipe),
        source=row.get("source") or row.get("group") or "",
    )


def _outcome(kind: str) -> Literal["measured", "oom", "fits"]:
    return "oom" if kind == "oom" else "fits" if kind == "fits" else "measured"


def _groups(row: Row, recipe: Recipe) -> tuple[str, ...]:
    if (row.get("quality") or "").strip() == "C":
        return ("quality C",)
    return (
        f"quality {(row.get('quality') or 'B').strip()}",
        f"method {word(row, 'method') or recipe.method}",
        f"framework {word(row, 'framework') or recipe.framework}",
        f"sharding {word(row, 'sharding') or 'none'}",
    )


def _metric(text: str) -> Metric:
    if text.startswith(("allocated", "active")):
        return "allocated"
    return "reserved" if text.startswith("reserved") else "device"


def _usable(gib: float | None) -> float | None:
    """What the driver reports: the cases give the number in a card's name for most cards."""
    if gib is None:
        return None
    return gib * NOMINAL_SHARE if gib in (8, 12, 16, 24, 32, 40, 48, 80, 96) else gib


def layout_of(row: Row) -> Layout:
    """The row's layout; raises BadInput where micro-batch or length is not given."""
    batch = number(row, "micro_batch")
    if batch is None:
        raise BadInput("micro_batch", "the micro-batch is not given")
    degree = {name: int(number(row, name) or 1) for name in ("dp", "tp", "pp", "cp", "ep")}
    sharding = first(word(row, "sharding"), SHARDINGS, "none")
    interleaved = "interleaved" in word(row, "pp_schedule")
    return Layout(
        data_parallel=degree["dp"],
        tensor_parallel=degree["tp"],
        pipeline_parallel=degree["pp"],
        context_parallel=degree["cp"],
        expert_parallel=degree["ep"],
        sharding=sharding,
        shard_group=degree["dp"] * degree["cp"],
        micro_batch_size=int(batch),
        gradient_accumulation=int(number(row, "grad_accum") or _accumulation(row)),
        checkpointing=checkpointing_of(word(row, "act_ckpt"))[0],
        sequence_parallel=word(row, "sp") == "yes",
        virtual_stages=2 if interleaved else 1,
        cpu_offload=word(row, "cpu_offload") not in ("", "no", "paged optimizer"),
    )


def _accumulation(row: Row) -> int:
    """Micro-steps where the row does not say: the framework's habit."""
    framework = first(word(row, "framework"), FRAMEWORKS, "hf-trainer")
    lightning = "flash-attention training" in word(row, "framework")
    return 2 if PROFILES[framework].accumulates or lightning else 1


def recipe_of(row: Row, shape: ModelShape, framework: Framework) -> Recipe:
    """The recipe of a row: the framework's habits, with whatever the row states put in their place."""
    method = word(row, "method")
    quantised = first(word(row, "base_quant"), QUANTISATIONS, "none")
    kind = _method(method, quantised)
    length = number(row, "seq_len") or (1.0 if shape.modality == "cnn" else None)
    if length is None:
        raise BadInput("seq_len", "the sequence length is not given")
    half = word(row, "weight_dtype") != "fp32" or "autocast" in word(row, "precision_extra")
    amp = word(row, "precision_extra")
    half = half or amp.startswith(("fp16", "amp", "bf16"))
    run = TrainingRun(
        model="case",
        method=kind,
        framework=framework,
        precision="bf16" if half else "fp32",
        optimizer=first(word(row, "optimizer").replace(" ", ""), OPTIMIZERS, "adamw"),
        sequence_length=int(length),
        attention=_attention(word(row, "attention")),
        lora_rank=int(number(row, "lora_r") or 8),
    )
    recipe = _stated_bytes(row, recipe_for(shape, run))
    if recipe.frozen:
        recipe = _stated_adapters(row, shape, recipe, quantised)
    return _stated_ways(row, recipe, framework)


def _method(method: str, quantised: Quantisation) -> Literal["pretrain", "full", "lora", "qlora"]:
    if "galore" in method:
        raise BadInput("method", "projected gradients (GaLore) are not modelled")
    if method.startswith("pretrain"):
        return "pretrain"
    if method in ("lora", "qlora") or method.startswith(ADAPTER_METHODS):
        return "qlora" if quantised != "none" else "lora"
    return "full"


def _attention(text: str) -> Attention:
    return "eager" if text.startswith("eager") else "sdpa" if text.startswith("sdpa") else "flash"


def _dtype(text: str) -> float:
    return 4.0 if text.startswith("fp32") else 1.0 if text.startswith("int8") else 2.0


def _stated_bytes(row: Row, recipe: Recipe) -> Recipe:
    """Formats of weights, gradients, master copy and states as the row gives them."""
    weights = word(row, "weight_dtype")
    stored = _dtype(weights)
    gathered = "gathered" in weights
    amp = word(row, "precision_extra")
    apex = word(row, "framework").startswith("nvidia") and amp.startswith("amp")
    autocast = stored == 4 and not gathered and not apex and amp.startswith(("fp16", "bf16", "amp"))
    element = 4.0 if stored == 4 and not gathered and not amp.startswith(("fp16", "bf16", "amp")) else 2.0
    master = 4.0 if word(row, "master_weights") == "fp32" and stored < 4 else 0.0
    gradient = word(row, "grad_dtype")
    blank = 4.0 if recipe.framework == "megatron" and not recipe.frozen else stored
    gradient_bytes = 6.0 if "accumulation" in gradient else _dtype(gradient) if gradient else blank
    states = number(row, "optim_bytes_per_param")
    if states is None:
        default = 8.0 if stored == 4 or master else 4.0
        states = first(word(row, "optimizer").replace("_", " "), STATE_BYTES_OF, default)
    return replace(
        recipe,
        weight_bytes=stored,
        outer_bytes=stored,
        compute_bytes=element,
        residual_bytes=4.0 if autocast else element,
        autocast=autocast,
        master_bytes=master if not recipe.frozen else 0.0,
        gradient_bytes=0.0 if _partitions(row, master) else gradient_bytes,
        state_bytes=states,
        partition_bytes=PROFILES[recipe.framework].partition_bytes if master and not recipe.frozen else 0.0,
        optimizer_in_backward=word(row, "optimizer_in_backward") == "yes",
        paged="paged" in word(row, "cpu_offload"),
        step_copies=_step_copies(row),
    )


def _partitions(row: Row, master: float) -> bool:
    """DeepSpeed's ZeRO-2 and -3 reduce 16-bit gradients in buckets into an fp32 partition."""
    return bool(master) and word(row, "sharding").startswith(("zero-2", "zero-3"))


def _step_copies(row: Row) -> float:
    """Only PyTorch's own AdamW, not fused, 8-bit or in backward, keeps temporaries in its step."""
    name = word(row, "optimizer")
    plain = (
        name in ("adamw", "adam")
        and not word(row, "framework_version").startswith(OLD_ALLOCATORS)
        and "zero" not in word(row, "sharding")
    )
    return value_of("step.foreach") if plain and word(row, "optimizer_in_backward") != "yes" else 0.0


def _stated_adapters(row: Row, shape: ModelShape, recipe: Recipe, quantised: Quantisation) -> Recipe:
    text = word(row, "lora_targets")
    outer = "fully trained" in text
    names = text.split("+ wte")[0] or "all-linear"
    adapter = (
        4.0 if word(row, "grad_dtype") == "fp32" or (number(row, "optim_bytes_per_param") or 0) >= 8 else 2.0
    )
    if not word(row, "grad_dtype") and number(row, "optim_bytes_per_param") is None:
        adapter = PROFILES[recipe.framework].adapter_bytes
    upcast = PROFILES[recipe.framework].upcasts_unquantised and quantised in (
        "nf4",
        "nf4-double",
        "gptq",
        "int8",
    )
    return replace(
        recipe,
        targets=()
        if word(row, "method").startswith(LINEARLESS)
        else parse_targets(_plain_targets(names), shape),
        trains_outer=outer,
        adapter_bytes=adapter,
        gradient_bytes=adapter,
        state_bytes=number(row, "optim_bytes_per_param") or recipe.state_bytes,
        stated_trainable=number(row, "trainable_params"),
        quantisation=quantised,
        quantised_bytes=QUANTISED_BYTES.get(quantised),
        outer_bytes=4.0 if upcast else recipe.outer_bytes,
    )


def _plain_targets(text: str) -> str:
    if "attention + feed-forward" in text or text.startswith("all"):
        return "all-linear"
    return text.replace("attention + shared expert", "all-linear").replace("+", ",")


def _stated_ways(row: Row, recipe: Recipe, framework: Framework) -> Recipe:
    compiled = word(row, "compile") == "yes"
    stated = word(row, "ce_impl")
    loss: Loss = first(stated, LOSSES, PROFILES[framework].full_loss if stated else recipe.loss)
    whole_graph = (loss == "full" and framework == "torchtitan") or (
        loss == "loss-compiled" and framework == "torchtune"
    )
    if compiled and whole_graph:
        loss = "compiled"
    if loss == "fused" and framework == "megatron":
        loss = "vocab-fused"
    if loss == "full" and framework in ("hf-trainer", "deepspeed") and _returns_logits(row):
        loss = "returned"
    if loss == "full" and recipe.quantisation == "gptq":
        loss = "half"
    megatron_deepspeed = word(row, "framework") == "megatron-deepspeed"
    return replace(
        recipe,
        loss=loss,
        compiled=compiled,
        packed=word(row, "packing") != "no",
        activation_offload=word(row, "act_offload") == "yes",
        mlp_recomputed=checkpointing_of(word(row, "act_ckpt"))[1],
        norm="fused" if "fused norm" in word(row, "framework") else recipe.norm,
        offloads="optimizer" if word(row, "cpu_offload") == "optimizer" else "all",
        quantised_copies=2.0
        if recipe.quantises_head
        and word(row, "framework_version") >= "2024"
        and not word(row, "framework_version").startswith("8")
        else 0.0,
        bucket_elements=5e8 if megatron_deepspeed else recipe.bucket_elements,
        partition_bytes=4.0 if megatron_deepspeed and recipe.gradient_bytes < 4 else recipe.partition_bytes,
        tight=not word(row, "framework_version").startswith(OLD_ALLOCATORS),
        dropout=0.1 if _drops(row, recipe) else 0.0,
        extra_gib=value_of("extra.megatron-deepspeed") if megatron_deepspeed else recipe.extra_gib,
        context_gib=value_of("context.old" if _old(row) else "context.lazy"),
    )


def _returns_logits(row: Row) -> bool:
    """Transformers 4 of 2024 kept the fp32 logits and their shifted copy beside the loss."""
    return "2024" in word(row, "framework_version") or word(row, "framework").startswith("hf +")


def _drops(row: Row, recipe: Recipe) -> bool:
    """Encoders and GPT-2 of Transformers train with dropout 0.1 as they come."""
    name = f"{word(row, 'model_key')} {word(row, 'model')}"
    return not recipe.frozen and any(family in name for family in ("bert", "gpt2", "t5-"))


def _old(row: Row) -> bool:
    """Before CUDA 12 loaded kernels lazily (2023)."""
    version = word(row, "framework_version")
    return any(sign in version for sign in ("2021", "2022", "2023-", "cuda 11", "v100"))
