"""Which pairs of layout and machine a search looks at."""

from __future__ import annotations

import numpy as np
import pytest

from app.domain.hardware import Cluster, IntraNodeLink
from app.training.memory import memory_of
from app.training.recipe import recipe_for
from app.training.space import Space, leanest, pairs_that_fit, tensor_cap, tight_limit
from tests.training.clusters import A100, B200, H100, LLAMA_8B, NVSWITCH, PCIE3, cluster, run

UNKNOWN = IntraNodeLink(None, None, 1, None)
PAIRS = IntraNodeLink("nvlink-bridge-2way", 600, 2, True)
RACK = IntraNodeLink("nvlink5+nvswitch", 1800, 72, True)


@pytest.mark.parametrize(
    ("where", "most"),
    [
        (cluster(H100, 8, NVSWITCH), 8),
        (cluster(H100, 8, PAIRS), 2),
        (cluster(H100, 8, PCIE3), 2),
        (cluster(H100, 8, UNKNOWN), 2),
        (cluster(H100, 1), 1),
        (cluster(B200, 4, RACK), 4),
        (cluster(B200, 4, RACK, nodes=4), 16),
        (cluster(H100, 8, NVSWITCH, nodes=4), 8),
    ],
)
def test_one_matrix_product_stays_within_the_fast_link(where: Cluster, most: int) -> None:
    assert tensor_cap(where.node, where.nodes) == most


def test_machines_of_one_size_share_their_layouts() -> None:
    space = Space.of(LLAMA_8B, run(), (cluster(H100, 8), cluster(A100, 8), cluster(H100, 4)))
    assert (space.start[0], space.stop[0]) == (space.start[1], space.stop[1])
    assert space.start[2] == space.stop[0]
    assert space.stop[2] == len(space.layouts)


def test_only_pairs_within_the_memory_are_timed_and_one_per_family_and_class() -> None:
    space = Space.of(LLAMA_8B, run(), (cluster(H100, 8), cluster(H100, 1)))
    high = memory_of(LLAMA_8B, recipe_for(LLAMA_8B, run()), space.layouts).high
    pairs = pairs_that_fit(space, high)
    assert (high[pairs.layout] <= tight_limit(1.0) * space.usable[pairs.cluster]).all()
    assert set(pairs.cluster.tolist()) == {0}
    plain = pairs.layout[space.layouts.pipeline_parallel[pairs.layout] == 1]
    chosen = space.layouts.take(plain)
    family = np.stack(
        [
            chosen.data_parallel,
            chosen.tensor_parallel,
            chosen.context_parallel,
            chosen.sharding,
            chosen.checkpointing,
        ]
    )
    assert np.unique(family, axis=1, return_counts=True)[1].max() <= 2


def test_the_leanest_layout_is_the_least_of_those_allowed() -> None:
    space = Space.of(LLAMA_8B, run(), (cluster(H100, 8, PCIE3),))
    high = memory_of(LLAMA_8B, recipe_for(LLAMA_8B, run()), space.layouts).high
    at = leanest(space, 0, high)
    assert at is not None
    assert high[at] == high[space.layouts.tensor_parallel <= 2].min()
    impossible = Space.of(LLAMA_8B, run(tensor_parallel=8), (cluster(H100, 8, PCIE3),))
    assert leanest(impossible, 0, np.ones(len(impossible.layouts))) is None
