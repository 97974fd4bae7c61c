"""The recipe of a measured row: the framework's habits, with whatever the row states put in their place."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Literal

from app.domain.errors import BadInput
from app.domain.model import ModelShape
from app.domain.run import Attention, Framework, TrainingRun
from app.market.accuracy.cells import Row, begins, figure, has, squeezed, word
from app.market.accuracy.memory_words import (
    ADAPTER_METHODS,
    LINEARLESS,
    LOSSES,
    LOW_BIT_STATES,
    OPTIMIZERS,
    QUANTISATIONS,
    STATES,
    checkpointing_of,
    first,
    says_yes,
)
from app.market.accuracy.software import is_transformers, software_of
from app.training.assumptions_memory import value_of
from app.training.profiles import PROFILES, Loss
from app.training.recipe import QUANTISED_BYTES, Quantisation, Recipe, recipe_for
from app.training.targets import parse_targets


def recipe_of(row: Row, shape: ModelShape, framework: Framework) -> Recipe:
    """The recipe of a row: the framework's habits, with whatever the row states put in their place."""
    quantised = _quantisation(row)
    kind = _method(word(row, "method"), quantised)
    length = figure(row, "seq_len") or _own_length(shape)
    if length is None:
        raise BadInput("seq_len", "the sequence length is not given")
    half = (
        _dtype(word(row, "weight_dtype")) != 4 or _mixes(_precision(row)) or has(_precision(row), "autocast")
    )
    run = TrainingRun.from_fields(
        {
            "model": "case",
            "method": kind,
            "framework": framework,
            "precision": "bf16" if half else "fp32",
            "optimizer": first(word(row, "optimizer"), OPTIMIZERS, "adamw"),
            "sequence_length": int(length),
            "attention": _attention(word(row, "attention")),
            "lora_rank": int(figure(row, "lora_r") or 8),
        }
    )
    recipe = _stated_bytes(row, shape, recipe_for(shape, run))
    if recipe.frozen:
        recipe = _stated_adapters(row, shape, recipe, quantised)
    return _stated_ways(row, recipe, framework)


def _own_length(shape: ModelShape) -> float | None:
    """Of images: the patches at a model's usual resolution; feature maps are counted per sample."""
    if shape.modality == "cnn" or (shape.modality == "diffusion" and not shape.layers):
        return 1.0
    return shape.max_context if shape.modality in ("vision", "diffusion") else None


def _quantisation(row: Row) -> Quantisation:
    """Of the base under adapters; QLoRA without a word about it is that of its paper."""
    stated = first(f"{word(row, 'base_quant')} {word(row, 'weight_dtype')}", QUANTISATIONS, "none")
    return "nf4-double" if stated == "none" and has(word(row, "method"), "qlora") else stated


def _method(method: str, quantised: Quantisation) -> Literal["pretrain", "full", "lora", "qlora"]:
    if begins(method, "pretrain", "continued pre"):
        return "pretrain"
    if has(method, "lora") or begins(method, *ADAPTER_METHODS):
        return "qlora" if quantised != "none" else "lora"
    return "full"


def _attention(text: str) -> Attention:
    if begins(text, "eager", "naive", "manual", "vanilla") or has(text, "math"):
        return "eager"
    return "sdpa" if begins(text, "sdpa") else "flash"


def _dtype(text: str) -> float:
    if begins(text, "fp32", "float32", "tf32"):
        return 4.0
    return 1.0 if begins(text, "int8") else 2.0


def _precision(row: Row) -> str:
    """What is said of the arithmetic, beside or behind the format of the weights ("fp32, bf16 autocast")."""
    found = re.match(r"(?:fp|float|tf)[\s_-]?32[\W_]*(.*)", word(row, "weight_dtype"))
    return word(row, "precision_extra") or (found[1] if found else "")


def _mixes(precision: str) -> bool:
    return begins(precision, "fp16", "float16", "bf16", "bfloat16", "amp", "mixed")


def _projected(row: Row, shape: ModelShape, states: float) -> float:
    """GaLore keeps its states for gradients projected onto `r` of the hidden size, and the projection beside them, in
    16 bit or (Q-GaLore) 4 bit: Zhao et al. 2024, table 1."""
    method = word(row, "method")
    rank = re.search(r"galorer(\d+)", squeezed(method))
    if rank is None or not shape.hidden_size:
        return states
    projection = 0.5 if has(method, "q-galore") else 2.0
    return (states + projection) * min(1.0, int(rank[1]) / shape.hidden_size)


def _stated_bytes(row: Row, shape: ModelShape, recipe: Recipe) -> Recipe:
    """Formats of weights, gradients, master copy and states as the row gives them."""
    weights = word(row, "weight_dtype")
    stored = _dtype(weights)
    gathered = has(weights, "gathered")
    amp = _precision(row)
    apex = begins(word(row, "framework"), "nvidia") and begins(amp, "amp")
    autocast = stored == 4 and not gathered and not apex and _mixes(amp)
    element = 4.0 if stored == 4 and not gathered and not _mixes(amp) else 2.0
    master = 4.0 if _dtype(word(row, "master_weights")) == 4 and stored < 4 else 0.0
    gradient = word(row, "grad_dtype")
    blank = 4.0 if recipe.framework == "megatron" and not recipe.frozen else stored
    gradient_bytes = 6.0 if has(gradient, "accumulation") else _dtype(gradient) if gradient else blank
    states = figure(row, "optim_bytes_per_param")
    if states is None:
        count = first(word(row, "optimizer"), STATES, 2.0)
        wide = 4.0 if stored == 4 or master else 2.0
        states = first(word(row, "optimizer"), LOW_BIT_STATES, count * wide)
    return replace(
        recipe,
        weight_bytes=stored,
        outer_bytes=stored,
        compute_bytes=element,
        residual_bytes=4.0 if autocast else element,
        autocast=autocast,
        master_bytes=master if not recipe.frozen else 0.0,
        gradient_bytes=gradient_bytes,
        state_bytes=_projected(row, shape, states),
        partition_bytes=PROFILES[recipe.framework].partition_bytes if master and not recipe.frozen else 0.0,
        optimizer_in_backward=_in_backward(row),
        paged=has(word(row, "cpu_offload"), "paged"),
        step_copies=_step_copies(row),
    )


def _in_backward(row: Row) -> bool:
    return says_yes(row, "optimizer_in_backward") or has(word(row, "optimizer"), "lomo")


def _step_copies(row: Row) -> float:
    """Only PyTorch's own AdamW, not fused, 8-bit or in backward, keeps temporaries in its step."""
    plain = (
        squeezed(word(row, "optimizer")) in ("adamw", "adam")
        and not software_of(row).before_pytorch_2
        and not has(word(row, "sharding"), "zero")
    )
    return value_of("step.foreach") if plain and not _in_backward(row) else 0.0


def _stated_adapters(row: Row, shape: ModelShape, recipe: Recipe, quantised: Quantisation) -> Recipe:
    text = word(row, "lora_targets")
    outer = has(text, "fully trained")
    linears = re.split(r"[\s_]*\+[\s_]*wte", text)[0] or "all-linear"
    adapter = (
        4.0
        if squeezed(word(row, "grad_dtype")) in ("fp32", "float32")
        or (figure(row, "optim_bytes_per_param") or 0) >= 8
        else 2.0
    )
    if not word(row, "grad_dtype") and figure(row, "optim_bytes_per_param") is None:
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
        if begins(word(row, "method"), *LINEARLESS)
        else _targets(linears, shape, recipe.framework),
        trains_outer=outer,
        adapter_bytes=adapter,
        gradient_bytes=adapter,
        state_bytes=figure(row, "optim_bytes_per_param") or recipe.state_bytes,
        stated_trainable=figure(row, "trainable_params"),
        quantisation=quantised,
        quantised_bytes=QUANTISED_BYTES.get(quantised),
        outer_bytes=4.0 if upcast else recipe.outer_bytes,
    )


def _targets(text: str, shape: ModelShape, framework: Framework) -> tuple[str, ...]:
    """The linears that a row names; names beside them that no linear has are left out. Megatron's grouped experts are
    linears too (ms-swift: TEGroupedLinear), those of Transformers 5 single tensors."""
    plain = _plain_targets(text)
    if framework == "megatron" and shape.experts and "all-linear" in plain:
        plain += ",experts"
    given = [name.strip(" _") for name in re.split("[,;/]", plain)]
    spelled = [name if _is_target(name, shape) else re.sub(r"[\s-]+", "_", name) for name in given]
    known = [name for name in spelled if _is_target(name, shape)]
    return parse_targets(",".join(known) or plain, shape)


def _is_target(name: str, shape: ModelShape) -> bool:
    try:
        return bool(parse_targets(name, shape))
    except BadInput:
        return False


def _plain_targets(text: str) -> str:
    if has(text, "attention + feed-forward", "attention + shared expert") or begins(text, "all"):
        return "all-linear"
    return text.replace("+", ",")


def _stated_ways(row: Row, recipe: Recipe, framework: Framework) -> Recipe:
    compiled = says_yes(row, "compile")
    stated = word(row, "ce_impl")
    loss: Loss = first(stated, LOSSES, PROFILES[framework].full_loss if stated else recipe.loss)
    if compiled and loss == "loss-compiled" and framework == "torchtune":
        loss = "compiled"
    if loss == "fused" and framework == "megatron":
        loss = "vocab-fused"
    if loss == "full" and _returns_logits(row, framework):
        loss = "returned"
    if loss == "full" and recipe.quantisation == "gptq":
        loss = "half"
    megatron_deepspeed = begins(word(row, "framework"), "megatron-deepspeed", "gpt-neox")
    return replace(
        recipe,
        loss=loss,
        compiled=compiled,
        packed=word(row, "packing") not in ("no", "false", "0", "off"),
        activation_offload=says_yes(row, "act_offload"),
        mlp_recomputed=checkpointing_of(word(row, "act_ckpt"))[1],
        norm="fused" if has(word(row, "framework"), "fused norm") else recipe.norm,
        offloads="optimizer" if _offloads_states_only(word(row, "cpu_offload")) else "all",
        quantised_copies=0.0
        if framework == "litgpt" and software_of(row).before((2024, 1))
        else recipe.quantised_copies,
        bucket_elements=5e8 if megatron_deepspeed else recipe.bucket_elements,
        partition_bytes=4.0 if megatron_deepspeed and recipe.gradient_bytes < 4 else recipe.partition_bytes,
        tight=_tight(row),
        keeps_gradients=recipe.keeps_gradients or _zeroes_gradients(row, framework),
        selective="attention" if has(word(row, "act_ckpt"), "core") else recipe.selective,
        first_fsdp=has(word(row, "sharding"), "fsdp1"),
        dropout=0.1 if _drops(row, recipe) else 0.0,
        extra_gib=value_of("extra.megatron-deepspeed") if megatron_deepspeed else recipe.extra_gib,
        context_gib=value_of("context.old" if software_of(row).loads_kernels_at_once else "context.lazy"),
    )


def _offloads_states_only(text: str) -> bool:
    return has(text, "optim") and not has(text, "param")


def _zeroes_gradients(row: Row, framework: Framework) -> bool:
    """Before PyTorch 2.0 `zero_grad` filled gradients with zeros and kept them through the next forward pass."""
    return framework == "hf-trainer" and software_of(row).before_pytorch_2


def _tight(row: Row) -> bool:
    """Expandable segments, or one and the same sequence of allocations every step: packed, without a pipeline."""
    repeats = says_yes(row, "packing") and (figure(row, "pp") or 1) == 1
    return repeats or not software_of(row).before_pytorch_2


def _returns_logits(row: Row, framework: Framework) -> bool:
    """Transformers 4 of 2024 kept the fp32 logits and their shifted copy beside the loss, and so is a Transformers
    taken of which nothing is said: the larger of two answers. The recipes of torchtune 0.1 did the same."""
    software = software_of(row)
    if framework == "torchtune":
        return software.own is not None and software.own < (0, 2)
    keeps = software.year == 2024 or (software.is_unknown and is_transformers(row))
    return framework in ("hf-trainer", "deepspeed") and keeps


def _drops(row: Row, recipe: Recipe) -> bool:
    """Encoders and GPT-2 of Transformers train with dropout 0.1 as they come."""
    name = f"{word(row, 'model_key')} {word(row, 'model')}"
    drops = any(family in name for family in ("bert", "gpt2", "t5-")) and "modernbert" not in name
    return drops and not recipe.frozen
