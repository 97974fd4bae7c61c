"""An explanation is the row, term by term."""

from __future__ import annotations

import pytest

from app.market import estimates
from tests.market.runs import CATALOG, estimated, row, run, single
from tests.market.samples import offer


def test_an_explanation_adds_up_to_the_row() -> None:
    board, table = estimated(offer(1), single(2))
    at = row(board, 1)
    told = estimates.explain(board, f"{1:016x}", run(), CATALOG)
    assert told.memory is not None
    assert told.time is not None
    assert told.cost is not None
    assert told.memory.high == pytest.approx(told.usable_gib - table.headroom_gib[at])
    assert told.time.tokens_per_s == pytest.approx(table.tokens_per_s[at])
    assert told.cost.total_usd == pytest.approx(table.total_usd[at])
    parts = ("compute_usd", "interruption_usd", "idle_usd", "storage_usd", "egress_usd")
    assert sum(getattr(told.cost, name) for name in parts) == pytest.approx(told.cost.total_usd)
    assert told.largest_micro_batch is not None
    assert told.layout is not None
    assert told.largest_micro_batch >= told.layout.micro_batch_size


def test_an_explanation_of_what_does_not_fit_says_what_would() -> None:
    board, _ = estimated(single(1))
    told = estimates.explain(board, f"{1:016x}", run(), CATALOG)
    assert told.verdict == "does_not_fit"
    assert told.memory is not None
    assert told.usable_gib is not None
    assert told.memory.high > told.usable_gib
    assert told.time is None
    assert told.cost is None
    assert any(lever.fit != "does_not_fit" for lever in told.levers)
    assert len(told.rules) == 2
