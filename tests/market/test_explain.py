"""An explanation is the row, term by term."""

from __future__ import annotations

import pytest

from app.market import estimates
from tests.market.runs import CATALOG, board_of, estimated, row, run, single
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
    parts = ("compute_usd", "interruption_usd", "idle_usd", "storage_usd", "egress_usd", "unused_usd")
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


def test_what_stands_in_for_an_unknown_term_is_among_what_is_assumed() -> None:
    known, unknown = single(1, purchase_option="spot"), single(2, provider="nobody", purchase_option="spot")
    board, _ = estimated(known, unknown, method="qlora")
    told = [estimates.explain(board, f"{number:016x}", run(method="qlora"), CATALOG) for number in (1, 2)]
    assert "notice_s" not in told[0].unknown_terms
    assert {"notice_s", "increment_s", "minimum_s"} <= set(told[1].unknown_terms)
    said = list(map(str, told[1].assumed))
    assert "a notice of 30 s before a spot instance is taken away" in said
    assert "billing in steps of 60 s" in said
    held = estimates.explain(
        board_of(single(3, provider="nobody")), f"{3:016x}", run(method="qlora"), CATALOG
    )
    assert "notice_s" not in held.unknown_terms


def test_a_commitment_beyond_the_run_is_a_warning_and_part_of_the_total() -> None:
    bound = single(1, purchase_option="reserved", term_months=36, price_usd_per_hour=2.0)
    told = estimates.explain(board_of(bound), f"{1:016x}", run(method="qlora", tokens=1e6), CATALOG)
    assert told.cost is not None
    assert told.cost.total_usd >= told.cost.committed_usd == 2.0 * 36 * 730
    assert "The whole term is owed, used or not: 52,560.00 USD" in str(told.warnings[0])
    free = estimates.explain(board_of(single(2)), f"{2:016x}", run(method="qlora", tokens=1e6), CATALOG)
    assert not any("term is owed" in str(words) for words in free.warnings)
