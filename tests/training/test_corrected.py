"""A corrected breakdown is the corrected table, term by term."""

from __future__ import annotations

import pytest

from app.training.calibration import Correction
from app.training.corrected import corrected_memory, corrected_time
from app.training.layout import Layout
from app.training.memory import breakdown as memory_breakdown
from app.training.recipe import recipe_for
from app.training.throughput import breakdown as time_breakdown
from tests.training.clusters import H100, LLAMA_8B, cluster, run

LAYOUT = Layout(data_parallel=8, sharding="full", shard_group=8)
SLOWER = Correction(H100.key, speed=0.8, memory=1.1)


def test_seconds_grow_as_rates_fall_and_the_terms_still_add_up() -> None:
    plain = time_breakdown(LLAMA_8B, recipe_for(LLAMA_8B, run()), LAYOUT, cluster(H100, 8))
    told = corrected_time(plain, SLOWER, cluster(H100, 8))
    assert told.tokens_per_s == pytest.approx(0.8 * plain.tokens_per_s)
    assert told.mfu == pytest.approx(0.8 * plain.mfu)
    assert told.step_s == pytest.approx(plain.step_s / 0.8)
    assert sum(term.seconds for term in told.terms if term.counts) == pytest.approx(told.step_s)


def test_the_device_and_its_band_are_what_was_measured() -> None:
    plain = memory_breakdown(LLAMA_8B, recipe_for(LLAMA_8B, run()), LAYOUT)
    told = corrected_memory(plain, SLOWER)
    assert (told.device, told.low, told.high) == pytest.approx(
        (1.1 * plain.device, 1.1 * plain.low, 1.1 * plain.high)
    )
    assert told.weights == plain.weights


def test_without_a_trial_nothing_changes() -> None:
    plain = memory_breakdown(LLAMA_8B, recipe_for(LLAMA_8B, run()), LAYOUT)
    assert corrected_memory(plain, None) is plain
