"""Estimates join verdicts onto offers: one search a hardware shape, every offer with its own terms."""

from __future__ import annotations

import numpy as np
import pytest

from app.domain.errors import BadInput, NotFound
from app.market import estimates
from app.market.board import build
from tests.market.runs import CATALOG, estimated, row, run, single
from tests.market.samples import offer


def test_offers_of_one_shape_share_their_verdict_and_differ_in_cost() -> None:
    board, table = estimated(offer(1), offer(2, price_usd_per_hour=110.08), single(3))
    one, two, three = (row(board, n) for n in (1, 2, 3))
    assert len(table.verdicts) == 2
    assert table.verdict[one] == table.verdict[two] == "fits"
    assert table.hours[one] == table.hours[two]
    assert table.costs.compute_usd[two] == pytest.approx(2 * table.costs.compute_usd[one])
    assert table.verdict[three] == "does_not_fit"
    assert table.reason[three] == "memory"
    assert np.isnan(table.total_usd[three])
    assert not table.shown[three]
    assert (table.total_usd_low <= table.total_usd)[[one, two]].all()
    assert (table.total_usd <= table.total_usd_high)[[one, two]].all()


def test_every_node_is_paid() -> None:
    board, table = estimated(offer(1, max_nodes=8), model="llama-3.1-70b", max_nodes=4, tokens=1e9)
    at = row(board, 1)
    assert table.nodes[at] > 1
    billed = table.costs.billed_hours[at] * table.nodes[at] * 55.04
    spent = table.costs.compute_usd[at] + table.costs.interruption_usd[at] + table.costs.idle_usd[at]
    assert spent == pytest.approx(billed)


def test_a_host_known_to_be_too_small_is_refused_and_an_unknown_one_is_not() -> None:
    records = (offer(1, ram_gib=8), offer(2, ram_gib=None), offer(3))
    board, table = estimated(*records, sharding="full")
    assert table.reason[row(board, 1)] == "host_ram"
    assert table.verdict[row(board, 1)] == "does_not_fit"
    assert "8" in str(table.why[row(board, 1)])
    assert table.shown[row(board, 2)]
    assert table.shown[row(board, 3)]


def test_offloaded_states_have_to_fit_the_host() -> None:
    fields = {"model": "llama-3.1-70b", "cpu_offload": True}
    board, table = estimated(offer(1, ram_gib=512), offer(2, ram_gib=2048), **fields)
    assert table.reason[row(board, 1)] == "host_ram"
    assert table.shown[row(board, 2)]


def test_budget_and_deadline_hide_with_their_own_reason() -> None:
    board, table = estimated(offer(1), offer(2, price_usd_per_hour=None), tokens=1e9)
    hours, usd = table.hours[row(board, 1)], table.total_usd[row(board, 1)]
    late = estimates.estimate(board, run(tokens=1e9, deadline_hours=hours / 2), CATALOG)
    assert late.reason[row(board, 1)] == "deadline"
    assert late.verdict[row(board, 1)] == "fits"
    assert not late.shown[row(board, 1)]
    dear = estimates.estimate(board, run(tokens=1e9, budget_usd=usd / 2), CATALOG)
    assert dear.reason[row(board, 1)] == "budget"
    assert dear.reason[row(board, 2)] == "price_unknown"
    enough = estimates.estimate(board, run(tokens=1e9, budget_usd=usd * 2, deadline_hours=hours * 2), CATALOG)
    assert enough.shown[row(board, 1)]


def test_the_same_question_is_answered_from_memory_and_a_new_board_is_not() -> None:
    board = build([offer(1)], CATALOG, "1")
    first = estimates.estimate(board, run(), CATALOG)
    assert estimates.estimate(board, run(), CATALOG) is first
    assert estimates.estimate(board, run(tokens=2e9), CATALOG) is not first
    assert estimates.estimate(build([offer(1)], CATALOG, "1"), run(), CATALOG) is not first


def test_bad_questions_are_refused_with_the_field() -> None:
    board = build([offer(1)], CATALOG, "1")
    with pytest.raises(BadInput) as caught:
        estimates.estimate(board, run(model="no-such-model"), CATALOG)
    assert caught.value.field == "model"
    with pytest.raises(BadInput) as caught:
        estimates.estimate(board, run(tensor_parallel=7), CATALOG)
    assert caught.value.field == "tensor_parallel"
    with pytest.raises(NotFound):
        estimates.explain(board, "ffffffffffffffff", run(), CATALOG)


def test_the_speed_of_a_convolution_is_unknown_and_its_memory_is_not() -> None:
    board, table = estimated(offer(1), model="resnet-50", tokens=1e6)
    at = row(board, 1)
    assert table.shown[at]
    assert table.headroom_gib[at] > 0
    for figure in (table.tokens_per_s, table.mfu, table.hours, table.total_usd):
        assert np.isnan(figure[at])
    hurried = estimates.estimate(board, run(model="resnet-50", deadline_hours=1), CATALOG)
    assert (hurried.reason[at], hurried.shown[at]) == ("time_unknown", False)
    dear = estimates.estimate(board, run(model="resnet-50", budget_usd=1), CATALOG)
    assert dear.reason[at] == "time_unknown"
    told = estimates.explain(board, f"{1:016x}", run(model="resnet-50"), CATALOG)
    assert told.memory is not None
    assert told.time is None
    assert told.cost is None
