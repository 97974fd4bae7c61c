"""Oracle rows: peaks of real PyTorch steps on fake tensors, as cases. Allocated bytes, no allocator, no driver."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from app.domain.errors import BadInput
from app.domain.model import ModelShape
from app.domain.run import TrainingRun
from app.domain.units import GIB
from app.market.accuracy.cells import Row, begins, figure, has, quality_of, squeezed, word
from app.market.accuracy.memory_cases import Case
from app.market.accuracy.memory_shapes import shape_of
from app.market.accuracy.memory_words import OPTIMIZERS, checkpointing_of, first, whole
from app.training.assumptions_memory import value_of
from app.training.layout import Layout
from app.training.recipe import Recipe, recipe_for

DROPOUT_FAMILIES = ("gpt2", "bert", "distilbert", "roberta", "opt", "t5")


def oracle_case_of(row: Row, models: Mapping[str, ModelShape]) -> Case:
    """A row in the columns of `memory_oracle.csv`.

    Raises:
        BadInput: an unknown model, a method or setting that is not modelled, a missing size.
    """
    shape = shape_of(row, models)
    method = word(row, "method")
    batch, length, peak = (figure(row, name) for name in ("micro_batch", "seq_len", "peak_bytes"))
    if batch is None or length is None or peak is None:
        raise BadInput("seq_len", "micro-batch, length or peak is not given")
    layout = Layout(
        micro_batch_size=whole(row, "micro_batch"),
        checkpointing=checkpointing_of(word(row, "checkpointing"))[0],
        gradient_accumulation=whole(row, "grad_accum"),
    )
    recipe = _recipe(row, shape, method, int(length))
    quality = quality_of(row, "A")
    groups = (f"method {method}", f"weights {word(row, 'weights')}", f"attention {word(row, 'attention')}")
    return Case(
        id=row.get("id") or "",
        shape=shape,
        recipe=recipe,
        layout=layout,
        metric="allocated",
        measured_gib=peak / GIB,
        usable_gib=None,
        outcome="measured",
        quality=quality,
        groups=(f"quality {quality}", *groups, f"model {word(row, 'model')}"),
        source="oracle",
    )


def _recipe(row: Row, shape: ModelShape, method: str, length: int) -> Recipe:
    weights = squeezed(word(row, "weights")).replace("fp16", "bf16").replace("bfloat16", "bf16")
    mixed = has(weights, "amp", "autocast", "mixed")
    if method not in ("full", "pretrain", "lora", "qlora"):
        raise BadInput("method", f"{method} is not modelled on fake tensors")
    run = TrainingRun.from_fields(
        {
            "model": "case",
            "method": method,
            "framework": "hf-trainer",
            "precision": "bf16-mixed" if mixed else weights,
            "optimizer": first(word(row, "optimizer"), OPTIMIZERS, "adamw"),
            "sequence_length": length,
            "attention": "eager" if begins(word(row, "attention"), "eager") else "sdpa",
            "lora_rank": int(figure(row, "lora_rank") or 16),
            "lora_targets": word(row, "lora_targets") or "all-linear",
        }
    )
    recipe = recipe_for(shape, run)
    adapters = word(row, "adapters")
    if recipe.frozen and adapters:
        size = 4.0 if has(adapters, "fp32", "float32") else 2.0
        recipe = replace(recipe, adapter_bytes=size, gradient_bytes=size, state_bytes=2 * size)
    if recipe.frozen and mixed:
        recipe = replace(recipe, weight_bytes=4.0, outer_bytes=4.0, residual_bytes=4.0, autocast=True)
    dropout = 0.1 if _drops(shape) else 0.0
    foreach = has(word(row, "optimizer"), "foreach")
    recipe = replace(recipe, reference_kernels=True, repeats_keys=True, adapter_dropout=0.0)
    return replace(recipe, dropout=dropout, step_copies=value_of("step.foreach") if foreach else 0.0)


def _drops(shape: ModelShape) -> bool:
    return shape.family != "ModernBERT" and any(family in shape.key for family in DROPOUT_FAMILIES)
