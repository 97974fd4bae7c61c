"""Terms of a step: named once, those that count add up, raw traffic does not count."""

from __future__ import annotations

import pytest

from app.training.assumptions_time import DEFAULTS
from app.training.communication import communication_time
from app.training.compute import compute_time
from app.training.layout import Layout, Layouts
from app.training.machine import machines_of
from app.training.recipe import recipe_for
from app.training.throughput import time_of
from app.training.time_terms import terms_of
from app.training.workload import workload_of
from tests.training.clusters import H100, INFINIBAND, LLAMA_8B, cluster, run


def test_the_terms_of_every_row_add_up_to_its_step() -> None:
    recipe = recipe_for(LLAMA_8B, run())
    layouts = Layouts.of(
        Layout(data_parallel=16, sharding="full", shard_group=16),
        Layout(data_parallel=2, tensor_parallel=4, pipeline_parallel=2, gradient_accumulation=8),
    )
    machines = machines_of(*[cluster(H100, 8, nodes=2, fabric=INFINIBAND)] * 2)
    work = workload_of(LLAMA_8B, recipe)
    compute = compute_time(work, layouts, machines, DEFAULTS)
    links = communication_time(work, layouts, machines, compute, DEFAULTS)
    steps = time_of(LLAMA_8B, recipe, layouts, machines).step_s
    for row in (0, 1):
        terms = terms_of(compute, links, row)
        assert sum(term.seconds for term in terms if term.counts) == pytest.approx(steps[row])
        assert len({term.name for term in terms}) == len(terms)
        assert all(term.formula and term.source for term in terms)
