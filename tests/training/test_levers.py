"""Every lever is a change a person can type, and its figure is what the search would find after it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.training.layout import Layout, Layouts
from app.training.levers import largest_micro_batch, largest_sequence, levers
from app.training.memory import memory_of
from app.training.plan import leanest_layout
from app.training.recipe import recipe_for
from tests.training.clusters import H100, LLAMA_8B, LLAMA_70B, cluster, run


def test_a_70b_full_fine_tune_on_eight_80_gb_cards_is_told_what_would_do() -> None:
    found = {lever.name: lever for lever in levers(LLAMA_70B, run(), cluster(H100, 8))}
    assert {"max_nodes", "optimizer_8bit", "cpu_offload"} <= set(found)
    assert found["max_nodes"].fit != "does_not_fit"
    assert found["cpu_offload"].fit != "does_not_fit"
    fits = [lever.fit != "does_not_fit" for lever in levers(LLAMA_70B, run(), cluster(H100, 8))]
    assert fits == sorted(fits, reverse=True)


def test_a_lever_promises_what_the_changed_run_needs() -> None:
    asked = run()
    for lever in levers(LLAMA_8B, asked, cluster(H100, 1)):
        changed = asked.model_copy(update=dict(lever.changes))
        where = replace(cluster(H100, 1), nodes=lever.nodes)
        then = leanest_layout(LLAMA_8B, changed, recipe_for(LLAMA_8B, changed), where)
        now = leanest_layout(LLAMA_8B, asked, recipe_for(LLAMA_8B, asked), cluster(H100, 1))
        assert then is not None
        assert now is not None
        assert lever.need_gib == then[1]
        assert lever.saves_gib == pytest.approx(now[1] - then[1])
        assert lever.saves_gib > 0


def test_freeing_what_the_run_fixes_is_a_lever() -> None:
    asked = run(
        activation_checkpointing="none",
        micro_batch_size=8,
        sharding="none",
        tensor_parallel=1,
        pipeline_parallel=1,
    )
    names = {lever.name for lever in levers(LLAMA_8B, asked, cluster(H100, 8))}
    assert {"activation_checkpointing", "micro_batch_size", "sharding", "tensor_parallel"} <= names


def test_the_largest_micro_batch_fits_and_the_next_does_not() -> None:
    asked, layout = run(method="qlora"), Layout(checkpointing="full")
    size = largest_micro_batch(LLAMA_8B, asked, layout, 79.1)
    assert size is not None
    recipe = recipe_for(LLAMA_8B, asked)
    sizes = Layouts.of(*(replace(layout, micro_batch_size=n) for n in (size, int(size * 1.1) + 1)))
    high = memory_of(LLAMA_8B, recipe, sizes).high
    assert high[0] <= 79.1 < high[1]
    assert largest_micro_batch(LLAMA_8B, asked, layout, 1.0) is None


def test_the_longest_sequence_fits_and_the_next_step_does_not() -> None:
    asked, layout = run(method="qlora"), Layout(checkpointing="full")
    longest = largest_sequence(LLAMA_8B, asked, layout, 23.5)
    assert longest is not None

    def high(tokens: int) -> float:
        longer = asked.model_copy(update={"sequence_length": tokens})
        return float(memory_of(LLAMA_8B, recipe_for(LLAMA_8B, longer), Layouts.of(layout)).high[0])

    assert high(longest) <= 23.5 < high(longest + 256)
    assert largest_sequence(LLAMA_8B, asked, layout, 1.0) is None
