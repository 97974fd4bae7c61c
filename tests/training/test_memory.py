"""The memory estimate: laws that hold for every model, recipe and layout, and figures known from real runs."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from app.domain.errors import BadInput
from app.domain.model import ModelShape
from app.domain.run import TrainingRun
from app.training.layout import Layout, Layouts
from app.training.memory import PHASES, breakdown, memory_of
from app.training.parameters import count
from app.training.recipe import Recipe, recipe_for
from app.training.states import parts_of

LLAMA_8B = ModelShape(
    key="llama-3.1-8b",
    name="Llama 3.1 8B",
    layers=32,
    hidden_size=4096,
    attention_heads=32,
    kv_heads=8,
    head_dim=128,
    ffn_hidden_size=14336,
    vocab_size=128256,
)
FRAMEWORKS = (
    "pytorch-fsdp2",
    "torchtune",
    "torchtitan",
    "hf-trainer",
    "unsloth",
    "axolotl",
    "litgpt",
    "deepspeed",
    "megatron",
)
TERMS = ("weights", "gradients", "optimizer_states", "activations", "loss", "buffers")


def recipe(shape: ModelShape = LLAMA_8B, **settings_: Any) -> Recipe:
    return recipe_for(shape, TrainingRun(**{"model": "x", **settings_}))


@st.composite
def shapes(draw: st.DrawFn) -> ModelShape:
    heads = draw(st.sampled_from([4, 8, 16, 32, 64]))
    hidden = heads * draw(st.sampled_from([64, 128]))
    experts = draw(st.sampled_from([0, 0, 8]))
    return ModelShape(
        key="any",
        name="any",
        layers=draw(st.integers(2, 96)),
        hidden_size=hidden,
        attention_heads=heads,
        kv_heads=heads // draw(st.sampled_from([1, 2, 4])),
        head_dim=hidden // heads,
        ffn_hidden_size=draw(st.sampled_from([3, 4])) * hidden,
        vocab_size=draw(st.sampled_from([32_000, 128_256])),
        tied_embeddings=draw(st.booleans()),
        gated_mlp=draw(st.booleans()),
        norm=draw(st.sampled_from(["rms", "layer"])),
        experts=experts,
        experts_per_token=2 if experts else 0,
        moe_ffn_hidden_size=hidden if experts else 0,
    )


@st.composite
def recipes(draw: st.DrawFn, shape: ModelShape, **fixed: Any) -> Recipe:
    chosen = {
        "method": draw(st.sampled_from(["pretrain", "full", "lora", "qlora"])),
        "framework": draw(st.sampled_from(FRAMEWORKS)),
        "precision": draw(st.sampled_from(["bf16-mixed", "bf16", "fp32"])),
        "optimizer": draw(st.sampled_from(["adamw", "adamw-8bit", "adafactor", "sgd", "lion", "muon"])),
        "sequence_length": draw(st.sampled_from([128, 1024, 4096, 32_768])),
        "attention": draw(st.sampled_from(["flash", "sdpa", "eager"])),
        "loss": draw(st.sampled_from([None, "full", "chunked", "fused"])),
    }
    return recipe_for(shape, TrainingRun(**{"model": "x", **chosen, **fixed}))


@st.composite
def layouts(draw: st.DrawFn) -> Layout:
    return Layout(
        data_parallel=draw(st.sampled_from([1, 2, 8, 64])),
        tensor_parallel=draw(st.sampled_from([1, 2, 4])),
        pipeline_parallel=draw(st.sampled_from([1, 2, 4])),
        context_parallel=draw(st.sampled_from([1, 2])),
        sharding=draw(st.sampled_from(["none", "optimizer", "gradients", "full"])),
        micro_batch_size=draw(st.sampled_from([1, 2, 8])),
        gradient_accumulation=draw(st.sampled_from([1, 2, 16])),
        checkpointing=draw(st.sampled_from(["none", "selective", "full"])),
        sequence_parallel=draw(st.booleans()),
        cpu_offload=draw(st.booleans()),
    )


@st.composite
def questions(draw: st.DrawFn) -> tuple[ModelShape, Recipe, Layout]:
    shape = draw(shapes())
    return shape, draw(recipes(shape)), draw(layouts())


def device(shape: ModelShape, wanted: Recipe, layout: Layout) -> float:
    return breakdown(shape, wanted, layout).device


def never_more(less: float, more: float) -> bool:
    return less <= more * (1 + 1e-9)


@settings(max_examples=200, deadline=None)
@given(questions())
def test_terms_sum_to_the_peak_of_their_phase_and_the_phase_is_the_largest(
    question: tuple[ModelShape, Recipe, Layout],
) -> None:
    figures = breakdown(*question)
    assert sum(getattr(figures, name) for name in TERMS) == pytest.approx(figures.peak_allocated)
    assert figures.phases[figures.peak_phase] == pytest.approx(max(figures.phases.values()))
    assert figures.peak_allocated == pytest.approx(max(figures.phases.values()))
    assert {term.name for term in figures.terms} == {*TERMS, "overhead"}
    assert sum(term.gib for term in figures.terms) == pytest.approx(figures.device)


@settings(max_examples=200, deadline=None)
@given(questions())
def test_allocated_reserved_device_and_band_are_ordered_and_finite(
    question: tuple[ModelShape, Recipe, Layout],
) -> None:
    figures = breakdown(*question)
    assert 0 < figures.peak_allocated <= figures.peak_reserved * (1 + 1e-9)
    assert figures.peak_reserved <= figures.device
    assert figures.low < figures.device < figures.high < float("inf")
    assert figures.peak_phase in PHASES


@settings(max_examples=200, deadline=None)
@given(questions(), st.sampled_from(["optimizer", "gradients", "full"]))
def test_more_shards_never_need_more_memory_each(
    question: tuple[ModelShape, Recipe, Layout], sharding: Any
) -> None:
    shape, wanted, layout = question
    few = replace(layout, sharding=sharding, data_parallel=max(2, layout.data_parallel), context_parallel=1)
    many = replace(few, data_parallel=few.data_parallel * 2)
    assert never_more(device(shape, wanted, many), device(shape, wanted, few))


@settings(max_examples=200, deadline=None)
@given(questions())
def test_a_smaller_micro_batch_never_raises_it(question: tuple[ModelShape, Recipe, Layout]) -> None:
    shape, wanted, layout = question
    larger = replace(layout, micro_batch_size=layout.micro_batch_size * 2)
    assert never_more(device(shape, wanted, layout), device(shape, wanted, larger))


@settings(max_examples=200, deadline=None)
@given(questions())
def test_a_shorter_sequence_never_raises_it(question: tuple[ModelShape, Recipe, Layout]) -> None:
    shape, wanted, layout = question
    longer = replace(wanted, sequence_length=wanted.sequence_length * 2)
    assert never_more(device(shape, wanted, layout), device(shape, longer, layout))


@settings(max_examples=200, deadline=None)
@given(questions())
def test_more_checkpointing_never_raises_it(question: tuple[ModelShape, Recipe, Layout]) -> None:
    shape, wanted, layout = question
    none, selective, full = (
        device(shape, wanted, replace(layout, checkpointing=kind)) for kind in ("none", "selective", "full")
    )
    assert never_more(selective, none)
    assert never_more(full, selective)


@st.composite
def three_methods(draw: st.DrawFn) -> tuple[ModelShape, Layout, Recipe, Recipe, Recipe]:
    """One run as full training, LoRA and QLoRA over any sharding. All layers are checkpointed: without, PEFT keeps the
    inputs of adapted linears once more in fp32 or dropped out, and bitsandbytes keeps those of all of them, so that
    adapters may need more than full training, and a quantised base more than a plain one."""
    shape = draw(shapes())
    layout = replace(draw(layouts()), checkpointing="full", cpu_offload=False, context_parallel=1)
    layout = replace(layout, data_parallel=min(8, layout.data_parallel))
    framework, length = draw(st.sampled_from(FRAMEWORKS)), draw(st.sampled_from([128, 1024]))
    full, lora, qlora = (
        recipe(shape, method=method, framework=framework, lora_rank=8, sequence_length=length)
        for method in ("full", "lora", "qlora")
    )
    return shape, replace(layout, micro_batch_size=1), full, lora, qlora


@settings(max_examples=200, deadline=None)
@given(three_methods())
def test_adapters_never_need_more_than_full_training_however_it_is_sharded(
    question: tuple[ModelShape, Layout, Recipe, Recipe, Recipe],
) -> None:
    """From a billion parameters on: below, adapters whole on every rank and PEFT's fp32 copies of one layer's inputs may
    outweigh a shard of the states."""
    shape, layout, full, lora, _ = question
    assume(count(shape).total >= 1e9)
    assert never_more(device(shape, lora, layout), device(shape, full, layout))


@settings(max_examples=200, deadline=None)
@given(three_methods())
def test_a_quantised_base_never_needs_more_than_a_plain_one_where_blocks_outweigh_the_vocabulary(
    question: tuple[ModelShape, Layout, Recipe, Recipe, Recipe],
) -> None:
    """Not where it is false: a vocabulary that k-bit preparation turns to fp32 may outweigh the blocks (Gemma 2B), and
    over many ranks what quantising saves of a shard is less than one weight dequantised. No framework here splits a
    k-bit base by tensors or stages."""
    shape, layout, _, lora, qlora = question
    layout = replace(layout, tensor_parallel=1, pipeline_parallel=1)
    sizes = count(shape)
    assume(sizes.linear >= 4 * (sizes.embedding + sizes.head) and sizes.total >= 1e9)
    assert never_more(device(shape, qlora, layout), device(shape, lora, layout))


@settings(max_examples=50, deadline=None)
@given(questions(), st.permutations(range(4)))
def test_many_layouts_at_once_are_the_same_as_one_by_one_in_any_order(
    question: tuple[ModelShape, Recipe, Layout], order: list[int]
) -> None:
    shape, wanted, layout = question
    several = [replace(layout, micro_batch_size=size) for size in (1, 2, 4, 8)]
    table = memory_of(shape, wanted, Layouts.of(*(several[i] for i in order)))
    for row, i in enumerate(order):
        alone = breakdown(shape, wanted, several[i])
        for name in (f.name for f in fields(table) if f.name != "peak_phase"):
            assert getattr(table, name)[row] == pytest.approx(getattr(alone, name)), name
        assert PHASES[int(table.peak_phase[row])] == alone.peak_phase


@settings(max_examples=100, deadline=None)
@given(questions())
def test_which_of_several_equal_stages_is_asked_about_changes_nothing(
    question: tuple[ModelShape, Recipe, Layout],
) -> None:
    """Without embedding, head and micro-batches in flight all stages are equal: first and last need the same."""
    shape, wanted, layout = question
    bare = replace(shape, vocab_size=0, final_norm=False)
    staged = replace(layout, pipeline_parallel=2, gradient_accumulation=1)
    first, last = (parts_of(bare, wanted, Layouts.of(staged), which) for which in (False, True))
    for name in ("dense", "routed", "outer", "unit"):
        assert getattr(first, name) == pytest.approx(getattr(last, name)), name


def test_full_fine_tuning_of_8b_never_fits_one_80_gb_card_and_fits_eight() -> None:
    alone = breakdown(LLAMA_8B, recipe(), Layout(checkpointing="full"))
    sharded = breakdown(LLAMA_8B, recipe(), Layout(data_parallel=8, sharding="full", checkpointing="full"))
    assert alone.low > 80
    assert sharded.high < 60


def test_qlora_of_8b_fits_a_24_gb_card() -> None:
    wanted = recipe(method="qlora", framework="hf-trainer", sequence_length=2048)
    assert breakdown(LLAMA_8B, wanted, Layout(checkpointing="full")).high < 22


def test_a_parameter_count_alone_gives_a_plausible_estimate() -> None:
    bare = ModelShape(key="7b", name="7B", modality="parameters-only", stated_parameters=7_000_000_000)
    wanted = recipe(bare, framework="pytorch-fsdp2")
    states = breakdown(bare, wanted, Layout(checkpointing="full"))
    assert states.weights + states.gradients + states.optimizer_states == pytest.approx(
        16 * 7e9 / 2**30, rel=0.02
    )


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"layers": 0}, "layers"),
        ({"hidden_size": 0}, "hidden_size"),
        ({"kv_heads": 7}, "kv_heads"),
        ({"attention_heads": 33, "kv_heads": 33, "head_dim": 0}, "attention_heads"),
        ({"experts": 8, "experts_per_token": 9}, "experts_per_token"),
        ({"vocab_size": float("nan")}, "vocab_size"),
        ({"layers": -1}, "layers"),
        ({"layers": 10**9}, "layers"),
        ({"hidden_size": 10**9}, "hidden_size"),
        ({"ffn_hidden_size": 10**12}, "ffn_hidden_size"),
        ({"experts": 8, "experts_per_token": 0}, "experts_per_token"),
    ],
)
def test_an_impossible_shape_is_refused_by_the_name_of_its_field(change: dict[str, Any], field: str) -> None:
    with pytest.raises(BadInput) as refused:
        recipe(replace(LLAMA_8B, **change))
    assert refused.value.field == field
    assert refused.value.message


def test_an_unknown_adapter_target_is_refused() -> None:
    with pytest.raises(BadInput) as refused:
        recipe(method="lora", lora_targets="q_proj, flux_capacitor")
    assert refused.value.field == "lora_targets"


def test_figures_are_finite_for_every_framework_and_size_at_once() -> None:
    table = memory_of(
        LLAMA_8B, recipe(sequence_length=16_000_000), Layouts.of(Layout(micro_batch_size=60_000))
    )
    assert np.isfinite(table.high).all()
