"""Terms of the memory estimate against figures that were measured or can be counted by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from app.catalog import load_catalog
from app.domain.model import ModelShape
from app.domain.run import TrainingRun
from app.domain.units import GIB
from app.training.activations import layer_bytes
from app.training.allocator import communicators
from app.training.assumptions_memory import ASSUMPTIONS, value_of
from app.training.buffers import buffers_of
from app.training.footprints import kept_values
from app.training.layout import Layout, Layouts
from app.training.loss import bytes_per_logit, loss_bytes
from app.training.memory import breakdown
from app.training.norms import norm_bytes
from app.training.parameters import count
from app.training.recipe import Recipe, recipe_for
from app.training.states import parts_of, states_of
from app.training.stored import stored_of

MODELS = load_catalog().models
LLAMA = MODELS["llama-3.1-8b"]


def recipe(shape: ModelShape = LLAMA, **settings: Any) -> Recipe:
    return recipe_for(
        shape, TrainingRun(**{"model": "x", "framework": "hf-trainer", "precision": "bf16", **settings})
    )


def of_layer(shape: ModelShape, wanted: Recipe, length: int) -> float:
    one = layer_bytes(shape, wanted, False)
    return one.whole + one.split + one.scores * length


@pytest.mark.parametrize(
    ("key", "settings", "measured"),
    [
        ("llama-3.1-8b", {"attention": "sdpa"}, 217_580),
        ("llama-3.1-8b", {"attention": "eager"}, 606_339),
        ("llama-3.1-8b", {"attention": "sdpa", "method": "lora"}, 201_064),
        ("qwen2.5-7b", {"attention": "sdpa", "method": "lora"}, 227_803),
        ("qwen3-4b", {"attention": "sdpa", "method": "lora"}, 166_461),
        ("gemma-2-2b", {"attention": "eager"}, 304_218),
    ],
)
def test_a_layer_keeps_what_fake_tensors_measured_per_token(
    key: str, settings: dict[str, Any], measured: int
) -> None:
    shape = MODELS[key]
    wanted = recipe(shape, sequence_length=2048, **settings)
    wanted = replace(
        wanted, reference_kernels=True, repeats_keys=True, adapter_dropout=0.0, adapter_bytes=2.0
    )
    assert of_layer(shape, wanted, 2048) == pytest.approx(measured, rel=0.01)


def test_full_sharding_divides_every_state_and_zero_one_only_the_optimizer() -> None:
    wanted = recipe(framework="pytorch-fsdp2", precision="bf16-mixed")
    kinds = ("none", "optimizer", "gradients", "full")
    layouts = Layouts.of(*(Layout(data_parallel=8, sharding=kind) for kind in kinds))
    states = states_of(LLAMA, wanted, layouts, parts_of(LLAMA, wanted, layouts, False))
    total = count(LLAMA).total
    assert states.optimizer / (8 * total) == pytest.approx([1, 1 / 8, 1 / 8, 1 / 8])
    assert states.gradients / (4 * total) == pytest.approx([1, 1, 1 / 8, 1 / 8])
    assert states.weights[3] == pytest.approx(4 * total / 8)


def test_tensor_and_pipeline_parallel_divide_the_blocks() -> None:
    layouts = Layouts.of(Layout(), Layout(tensor_parallel=4), Layout(pipeline_parallel=4))
    parts = parts_of(LLAMA, recipe(), layouts, False)
    assert parts.dense / count(LLAMA).blocks == pytest.approx([1, 1 / 4, 1 / 4])
    assert parts.outer / count(LLAMA).embedding == pytest.approx([2, 1 / 2, 1])


def test_first_stage_holds_as_many_micro_batches_as_there_are_stages() -> None:
    layouts = Layouts.of(Layout(pipeline_parallel=4, gradient_accumulation=8, checkpointing="full"))
    tokens = np.asarray([4096.0])
    first, last = (stored_of(LLAMA, recipe(), layouts, tokens, stage).kept[0] for stage in (False, True))
    assert first == pytest.approx(32 * 4096 * 4096 * 2)
    assert last < first / 2


def test_logits_of_a_large_vocabulary_cost_twelve_bytes_each() -> None:
    tokens = np.asarray([8192.0])
    layouts = Layouts.of(Layout())
    assert loss_bytes(LLAMA, recipe(), tokens, layouts)[0] == 12 * 8192 * 128256
    assert bytes_per_logit(recipe(loss="chunked")) < 6
    assert loss_bytes(LLAMA, recipe(loss="fused"), tokens, layouts)[0] < 0.02 * 12 * 8192 * 128256


def test_buffers_appear_with_sharding_and_not_without() -> None:
    wanted = recipe(framework="pytorch-fsdp2", precision="bf16-mixed")
    layouts = Layouts.of(Layout(), Layout(data_parallel=8, sharding="full"))
    parts = parts_of(LLAMA, wanted, layouts, False)
    buffers = buffers_of(LLAMA, wanted, layouts, parts, np.asarray([4096.0, 4096.0]))
    assert buffers.backward[0] == 0
    assert buffers.backward[1] == pytest.approx((2 * 2 + 2 + 4) * count(LLAMA).per_layer)


def test_every_parallel_dimension_has_a_communicator() -> None:
    layouts = Layouts.of(
        Layout(), Layout(data_parallel=2), Layout(data_parallel=2, tensor_parallel=2, pipeline_parallel=2)
    )
    assert communicators(layouts).tolist() == [0, 1, 3]


def test_published_footprints_scale_with_the_images() -> None:
    resnet = MODELS["resnet-50"]
    assert kept_values(resnet) == pytest.approx(22.2e6)
    assert kept_values(LLAMA) == 0
    layouts = Layouts.of(Layout(micro_batch_size=4), Layout(micro_batch_size=8))
    kept = stored_of(resnet, recipe(resnet), layouts, np.asarray([4.0, 8.0]), False).kept
    assert kept[1] == 2 * kept[0] > 0


@pytest.mark.parametrize("assumption", ASSUMPTIONS, ids=lambda assumption: assumption.name)
def test_every_constant_has_unit_source_and_a_range_that_holds_it(assumption: Any) -> None:
    assert assumption.unit
    assert assumption.source
    assert assumption.low <= assumption.value <= assumption.high


def test_an_unknown_constant_is_an_error() -> None:
    with pytest.raises(KeyError):
        value_of("wishful thinking")


def test_fsdp_of_the_trainer_gathers_in_16_bit_and_keeps_no_second_copy_of_all_weights() -> None:
    wanted = recipe(precision="bf16-mixed", sequence_length=512)
    alone, sharded = (
        breakdown(LLAMA, wanted, Layout(data_parallel=ranks, sharding=kind, checkpointing="full"))
        for ranks, kind in ((1, "none"), (8, "full"))
    )
    assert alone.weights == pytest.approx(8 * sharded.weights)
    assert sharded.buffers < 0.5 * 2 * count(LLAMA).total / GIB


def test_zero_offload_takes_the_gradient_partition_to_the_host_with_the_optimizer() -> None:
    wanted = recipe(framework="deepspeed", precision="bf16-mixed")
    layout = Layout(data_parallel=8, sharding="full", checkpointing="full", cpu_offload=True)
    figures = breakdown(LLAMA, wanted, layout)
    assert figures.gradients == figures.optimizer_states == 0
    assert figures.weights == pytest.approx(2 * count(LLAMA).total / 8 / GIB)


def test_a_decoder_that_reads_an_encoder_keeps_a_second_attention() -> None:
    shape = MODELS["flan-t5-xl"]
    plain, crossed = (layer_bytes(shape, recipe(shape), False, ratio) for ratio in (0.0, 1.0))
    assert crossed.whole == pytest.approx(1.5 * plain.whole)
    assert crossed.split > plain.split


def test_whisper_reads_thirty_seconds_however_few_words_they_hold() -> None:
    shape, layout = MODELS["whisper-small"], Layout(micro_batch_size=8)
    few, many = (
        breakdown(shape, recipe(shape, sequence_length=length), layout).activations for length in (32, 64)
    )
    assert few > 0.9 * many


def test_compiled_blocks_recompute_the_activation_but_not_the_product() -> None:
    wanted = recipe()
    plain, compiled = (layer_bytes(LLAMA, replace(wanted, compiled=flag), False) for flag in (False, True))
    assert plain.split - compiled.split == 2 * LLAMA.ffn_hidden_size
    assert plain.selective - compiled.selective == 2 * LLAMA.hidden_size


def test_only_transformers_write_the_tanh_gelu_out() -> None:
    phi = MODELS["phi-2"]
    assert [recipe(phi, framework=name).transformers for name in ("hf-trainer", "litgpt")] == [True, False]
    wanted = recipe(phi)
    fused = layer_bytes(phi, replace(wanted, transformers=False), False)
    assert layer_bytes(phi, wanted, False).split - fused.split == 3 * 2 * phi.ffn_hidden_size


def test_fsdp1_reserves_more_than_fsdp2() -> None:
    layout = Layout(data_parallel=8, sharding="full", checkpointing="full")
    second, first = (breakdown(LLAMA, replace(recipe(), first_fsdp=flag), layout) for flag in (False, True))
    assert first.peak_allocated == second.peak_allocated
    assert first.peak_reserved == pytest.approx(value_of("reserved.fsdp1") * second.peak_reserved)


def test_megatron_recomputes_the_core_attention_only() -> None:
    wanted = recipe(framework="megatron", precision="bf16-mixed", attention="eager", sequence_length=2048)
    kept = {
        kind: breakdown(LLAMA, wanted, Layout(checkpointing=kind)).activations
        for kind in ("none", "selective", "full")
    }
    fused = replace(wanted, attention="flash")
    assert kept["full"] < kept["selective"] < kept["none"]
    assert kept["selective"] > 0.9 * breakdown(LLAMA, fused, Layout()).activations


def test_an_encoder_decoder_takes_its_loss_in_16_bit_and_under_autocast_in_fp32() -> None:
    shape, layouts, tokens = MODELS["t5-base"], Layouts.of(Layout()), np.asarray([1024.0])
    half, mixed = (
        float(loss_bytes(shape, recipe(shape, precision=name), tokens, layouts)[0])
        for name in ("bf16", "bf16-mixed")
    )
    assert (half, mixed) == (
        value_of("loss.narrow") * 1024 * shape.vocab_size,
        value_of("loss.full") * 1024 * shape.vocab_size,
    )


def test_an_embedding_without_a_head_gets_its_gradient_when_no_layer_works_any_more() -> None:
    shape, layouts = MODELS["bert-base"], Layouts.of(Layout(checkpointing="full"))
    wanted = recipe(shape)
    states = states_of(shape, wanted, layouts, parts_of(shape, wanted, layouts, False))
    assert states.late_gradient[0] == pytest.approx(2 * shape.vocab_size * shape.hidden_size, rel=0.02)
    assert states.repeated[0] == states.head_gradient[0] == 0
    tied = MODELS["gpt2"]
    states = states_of(tied, recipe(tied), layouts, parts_of(tied, recipe(tied), layouts, False))
    assert states.late_gradient[0] == 0 < states.repeated[0]


def test_parts_that_stand_side_by_side_keep_one_input() -> None:
    assert norm_bytes(MODELS["pythia-1.4b"], recipe()) == 2 * MODELS["pythia-1.4b"].hidden_size
    assert norm_bytes(MODELS["gpt2"], recipe()) == 2 * 2 * MODELS["gpt2"].hidden_size


def test_content_against_position_is_kept_once_each_way() -> None:
    shape = MODELS["deberta-v3-base"]
    other = replace(shape, family="BERT")
    kept = [layer_bytes(one, recipe(shape, sequence_length=512), False).split for one in (shape, other)]
    assert kept[0] - kept[1] == 2 * 2 * (512 * shape.attention_heads + shape.hidden_size)


def test_queries_laid_out_by_head_cost_a_copy_of_what_attention_returns() -> None:
    shape = MODELS["pythia-1.4b"]
    kept = [
        layer_bytes(replace(shape, family=family), recipe(shape, attention="sdpa"), False).split
        for family in ("Pythia", "MPT")
    ]
    assert kept[0] - kept[1] == 2 * shape.hidden_size + 2 * 2 * shape.hidden_size


def test_autocast_does_not_cache_casts_of_frozen_weights() -> None:
    layouts = Layouts.of(Layout(checkpointing="full"))
    wanted = replace(recipe(method="lora"), autocast=True)
    parts = parts_of(LLAMA, wanted, layouts, False)
    cast = buffers_of(LLAMA, wanted, layouts, parts, np.asarray([2048.0])).loss
    assert cast[0] == pytest.approx(2 * LLAMA.vocab_size * LLAMA.hidden_size, rel=0.01)


@pytest.mark.parametrize(
    ("checkpointing", "batch", "length", "gib"),
    [
        ("full", 1, 1024, 5.482),
        ("none", 1, 1024, 6.452),
        ("full", 4, 2048, 15.569),
        ("none", 2, 2048, 16.378),
    ],
)
def test_fsdp2_over_eight_ranks_peaks_where_a_fake_group_measured(
    checkpointing: Any, batch: int, length: int, gib: float
) -> None:
    """Llama 3.2 1B with a head of its own, fp32 shards gathered in bf16, each layer and the rest one unit; torch 2.13."""
    shape = replace(MODELS["llama-3.2-1b"], tied_embeddings=False)
    wanted = recipe(
        shape, framework="pytorch-fsdp2", precision="bf16-mixed", sequence_length=length, attention="sdpa"
    )
    wanted = replace(wanted, reference_kernels=True, repeats_keys=True, norm="eager", transformers=True)
    layout = Layout(data_parallel=8, sharding="full", micro_batch_size=batch, checkpointing=checkpointing)
    assert breakdown(shape, wanted, layout).peak_allocated == pytest.approx(gib, rel=0.01)
