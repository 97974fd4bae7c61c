"""The answer before any price: which size of hardware is enough."""

from __future__ import annotations

from app.market import estimates
from app.market.board import build
from tests.market.runs import CATALOG, run, single
from tests.market.samples import offer


def test_an_answer_names_the_smallest_tier_that_is_enough() -> None:
    board = build([offer(1, max_nodes=8), single(2)], CATALOG, "1")
    assert estimates.answer(run(method="qlora"), CATALOG, board).enough == "single"
    assert estimates.answer(run(), CATALOG, board).enough == "node"
    wide = estimates.answer(run(model="llama-3.1-70b"), CATALOG, board)
    assert wide.enough == "cluster"
    assert {"max_nodes", "optimizer_8bit", "cpu_offload"} <= {lever.name for lever in wide.levers}
    huge = estimates.answer(run(parameters=5e12, model=None), CATALOG, board)
    assert huge.enough is None
