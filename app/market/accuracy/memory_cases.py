"""A measured row as a question: shape, recipe and layout in the words of the estimate."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from app.domain.errors import BadInput
from app.domain.model import ModelShape
from app.domain.run import Framework
from app.domain.sentence import Sentence, none_of
from app.market.accuracy.cells import Row, begins, figure, has, quality_of, word
from app.market.accuracy.memory_recipes import recipe_of
from app.market.accuracy.memory_shapes import shape_of
from app.market.accuracy.memory_words import (
    FRAMEWORKS,
    NODE,
    NOMINAL_GB,
    NOMINAL_SHARE,
    SHARDINGS,
    checkpointing_of,
    first,
    says_yes,
    whole,
)
from app.training.layout import Layout
from app.training.profiles import PROFILES
from app.training.recipe import Recipe

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
    recipe = recipe_of(row, shape, _framework(row))
    return Case(
        id=row.get("id") or "",
        shape=shape,
        recipe=recipe,
        layout=_checked(layout_of(row), shape),
        metric=_metric(word(row, "measured_metric")),
        measured_gib=_measured(row),
        usable_gib=_usable(row),
        outcome=_outcome(row),
        quality=quality_of(row),
        groups=_groups(row, recipe),
        source=row.get("source") or row.get("group") or "",
    )


def _framework(row: Row) -> Framework:
    """Whose habits fill in what the row leaves open; a Trainer that shards by ZeRO runs DeepSpeed."""
    name = word(row, "framework")
    framework = first(name, FRAMEWORKS, "hf-trainer")
    shards = has(word(row, "sharding"), "zero") and not has(name, "flash-attention")
    return "deepspeed" if shards and framework == "hf-trainer" else framework


def _checked(layout: Layout, shape: ModelShape) -> Layout:
    """The layout, where the model can be split that far."""
    if shape.attention_heads and layout.tensor_parallel > shape.attention_heads:
        said = {"degree": layout.tensor_parallel, "heads": shape.attention_heads, "model": shape.name}
        raise BadInput(
            "tensor_parallel",
            Sentence("{degree} does not divide the {heads} attention heads of {model}", said),
        )
    return layout


def _measured(row: Row) -> float | None:
    peak = figure(row, "measured_peak_gib")
    if peak is not None and peak < 0:
        raise BadInput(
            "measured_peak_gib",
            Sentence("measured_peak_gib must be above 0 (given: {value})", {"value": peak}),
        )
    return peak or None


def _outcome(row: Row) -> Literal["measured", "oom", "fits"]:
    kind = word(row, "kind")
    if begins(kind, "oom", "out of memory", "cuda oom", "cuda out of memory"):
        return "oom"
    if begins(kind, "fit", "ran"):
        return "fits"
    if not kind or begins(kind, "measured"):
        return "measured"
    raise BadInput("kind", none_of(kind, ("measured", "fits", "oom")))


def _groups(row: Row, recipe: Recipe) -> tuple[str, ...]:
    quality = quality_of(row)
    if quality == "C":
        return ("quality C",)
    return (
        f"quality {quality}",
        f"method {word(row, 'method') or recipe.method}",
        f"framework {word(row, 'framework') or recipe.framework}",
        f"sharding {word(row, 'sharding') or 'none'}",
    )


def _metric(text: str) -> Metric:
    if begins(text, "allocated", "active") or has(text, "max_memory_allocated"):
        return "allocated"
    return "reserved" if begins(text, "reserved") or has(text, "max_memory_reserved") else "device"


def _usable(row: Row) -> float | None:
    """What the driver reports: the cases give the number in a card's name for most cards."""
    gib = figure(row, "gpu_mem_gib") or _named_memory(word(row, "gpu_type"))
    if gib is None:
        return None
    return gib * NOMINAL_SHARE if gib in NOMINAL_GB else gib


def _named_memory(card: str) -> float | None:
    """The size at the end of a card's name (`t4-16`, `24 gb card`)."""
    found = re.search(r"[\s_-](\d+)(?:\s?gi?b)?$", card) or re.match(r"(\d+)[\s_-]?g", card)
    return float(found[1]) if found else None


def layout_of(row: Row) -> Layout:
    """The row's layout; raises BadInput where micro-batch or length is not given."""
    if figure(row, "micro_batch") is None:
        raise BadInput("micro_batch", "the micro-batch is not given")
    degree = {name: whole(row, name) for name in ("tp", "pp", "cp", "ep")}
    model = degree["tp"] * degree["pp"] * degree["cp"]
    degree["dp"] = whole(row, "dp", max(1, whole(row, "gpus") // model))
    sharding = first(word(row, "sharding"), SHARDINGS, "none")
    group = degree["dp"] * degree["cp"]
    interleaved = has(word(row, "pp_schedule"), "interleaved")
    return Layout(
        data_parallel=degree["dp"],
        tensor_parallel=degree["tp"],
        pipeline_parallel=degree["pp"],
        context_parallel=degree["cp"],
        expert_parallel=degree["ep"],
        sharding=sharding,
        shard_group=min(NODE, group) if sharding == "hybrid" else group,
        micro_batch_size=whole(row, "micro_batch"),
        gradient_accumulation=whole(row, "grad_accum", _accumulation(row)),
        checkpointing=checkpointing_of(word(row, "act_ckpt"))[0],
        sequence_parallel=says_yes(row, "sp"),
        virtual_stages=2 if interleaved else 1,
        cpu_offload=_offloads(row),
    )


def _offloads(row: Row) -> bool:
    """Paging is no offload, nor is moving activations alone."""
    stated = word(row, "cpu_offload")
    moved = begins(stated, "yes", "true", "all") or has(stated, "param", "optim", "grad")
    return (moved or has(word(row, "sharding"), "offload")) and not has(stated, "paged")


def _accumulation(row: Row) -> int:
    """Micro-steps where the row does not say: enough to fill a pipeline, else the framework's habit."""
    if whole(row, "pp") > 1:
        return whole(row, "pp")
    framework = first(word(row, "framework"), FRAMEWORKS, "hf-trainer")
    lightning = has(word(row, "framework"), "flash-attention training")
    return 2 if PROFILES[framework].accumulates or lightning else 1
