"""Loading and wrapping: what lies beside the resting weights before the first step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from app.catalog import load_catalog
from app.domain.run import TrainingRun
from app.domain.units import GIB
from app.training.layout import Layout, Layouts
from app.training.loading import loading_bytes
from app.training.memory import breakdown
from app.training.parameters import count
from app.training.profiles import PROFILES
from app.training.recipe import Recipe, recipe_for
from app.training.states import parts_of

LLAMA = load_catalog().models["llama-3.1-8b"]
LARGEST = 128256 * 4096


def recipe(**settings: Any) -> Recipe:
    return recipe_for(LLAMA, TrainingRun(**{"model": "x", "precision": "bf16", **settings}))


def loading(wanted: Recipe, layout: Layout) -> float:
    layouts = Layouts.of(layout)
    return float(loading_bytes(LLAMA, wanted, layouts, parts_of(LLAMA, wanted, layouts, last=False))[0])


@pytest.mark.parametrize("ranks", [2, 8, 64])
def test_litgpt_holds_the_whole_model_beside_its_shard_however_many_ranks_there_are(ranks: int) -> None:
    layout = Layout(data_parallel=ranks, sharding="full", checkpointing="full")
    wanted = recipe(framework="litgpt", method="lora", sequence_length=128)
    whole = 2 * count(LLAMA).total
    assert loading(wanted, layout) == pytest.approx(whole)
    assert breakdown(LLAMA, wanted, layout).phases["load"] * GIB >= whole * (1 + 1 / ranks)


def test_a_model_filled_from_the_meta_device_needs_its_largest_tensor() -> None:
    layout = Layout(data_parallel=8, sharding="full")
    assert loading(recipe(framework="torchtune"), layout) == 2 * LARGEST


def test_accelerate_holds_one_wrapped_unit_and_embedding_with_head_is_the_largest() -> None:
    layout = Layout(data_parallel=8, sharding="full")
    assert loading(recipe(framework="hf-trainer"), layout) == 2 * 2 * LARGEST


def test_replicas_are_broadcast_250_mib_at_a_time_and_one_card_needs_nothing() -> None:
    assert loading(recipe(), Layout(data_parallel=2)) == pytest.approx(250 * 2**20, rel=0.01)
    assert loading(recipe(), Layout()) == 0


def test_quantising_on_the_device_needs_one_tensor_in_16_bit() -> None:
    assert loading(recipe(framework="hf-trainer", method="qlora"), Layout()) == 2 * LARGEST
    assert loading(recipe(framework="unsloth", method="qlora"), Layout()) == 0


def test_a_quantised_base_over_many_ranks_peaks_while_loading() -> None:
    """Embedding and head, upcast by k-bit preparation, come as one unit; in training they are gathered in 16 bit."""
    layout = Layout(data_parallel=64, sharding="full", checkpointing="full")
    wanted = recipe(framework="hf-trainer", method="qlora", sequence_length=64)
    figures = breakdown(LLAMA, wanted, layout)
    assert figures.peak_phase == "load"
    assert figures.buffers * GIB == pytest.approx(2 * 4 * LARGEST)


def test_buffers_that_are_made_before_the_first_step_are_part_of_loading() -> None:
    layout = Layout(data_parallel=8, sharding="optimizer")
    wanted = recipe(framework="megatron", precision="bf16-mixed")
    trained = count(LLAMA).total
    expected = 2 * trained + 4 * trained + 4 * trained / 8
    assert breakdown(LLAMA, wanted, layout).phases["load"] * GIB == pytest.approx(expected, rel=0.02)


def test_every_framework_says_where_its_habit_of_loading_is_from() -> None:
    assert all(profile.load_source for profile in PROFILES.values())
    assert np.isfinite([loading(recipe(framework=name), Layout()) for name in PROFILES]).all()
