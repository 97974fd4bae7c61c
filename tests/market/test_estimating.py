"""Estimates join verdicts onto offers: one search a hardware shape, every offer with its own terms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from app.catalog import Catalog, load_catalog
from app.domain.errors import BadInput, NotFound
from app.domain.record import OfferRecord
from app.domain.run import TrainingRun
from app.market import estimates
from app.market.board import Board, build
from app.market.estimates import Estimates
from tests.market.samples import offer


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load_catalog()


def run(**fields: Any) -> TrainingRun:
    return TrainingRun.from_fields({"model": "llama-3.1-8b", **fields})


def single(number: int, **changes: Any) -> OfferRecord:
    alone: dict[str, Any] = {
        "accelerator_count": 1,
        "intra_node_link": "none",
        "link_domain": 1,
        "ram_gib": 200,
    }
    return offer(number, **{**alone, **changes})


def estimated(catalog: Catalog, *records: OfferRecord, **fields: Any) -> tuple[Board, Estimates]:
    board = build(records, catalog, "1")
    return board, estimates.estimate(board, run(**fields), catalog)


def row(board: Board, number: int) -> int:
    return board.row_of(f"{number:016x}")


def test_offers_of_one_shape_share_their_verdict_and_differ_in_cost(catalog: Catalog) -> None:
    board, table = estimated(catalog, offer(1), offer(2, price_usd_per_hour=110.08), single(3))
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


def test_every_node_is_paid(catalog: Catalog) -> None:
    board, table = estimated(catalog, offer(1, max_nodes=8), model="llama-3.1-70b", max_nodes=4, tokens=1e9)
    at = row(board, 1)
    assert table.nodes[at] > 1
    billed = table.costs.billed_hours[at] * table.nodes[at] * 55.04
    spent = table.costs.compute_usd[at] + table.costs.interruption_usd[at] + table.costs.idle_usd[at]
    assert spent == pytest.approx(billed)


def test_a_host_known_to_be_too_small_is_refused_and_an_unknown_one_is_not(catalog: Catalog) -> None:
    records = (offer(1, ram_gib=8), offer(2, ram_gib=None), offer(3))
    board, table = estimated(catalog, *records, sharding="full")
    assert table.reason[row(board, 1)] == "host_ram"
    assert table.verdict[row(board, 1)] == "does_not_fit"
    assert "8" in str(table.why[row(board, 1)])
    assert table.shown[row(board, 2)]
    assert table.shown[row(board, 3)]


def test_offloaded_states_have_to_fit_the_host(catalog: Catalog) -> None:
    fields = {"model": "llama-3.1-70b", "cpu_offload": True}
    board, table = estimated(catalog, offer(1, ram_gib=512), offer(2, ram_gib=2048), **fields)
    assert table.reason[row(board, 1)] == "host_ram"
    assert table.shown[row(board, 2)]


def test_budget_and_deadline_hide_with_their_own_reason(catalog: Catalog) -> None:
    board, table = estimated(catalog, offer(1), offer(2, price_usd_per_hour=None), tokens=1e9)
    hours, usd = table.hours[row(board, 1)], table.total_usd[row(board, 1)]
    late = estimates.estimate(board, run(tokens=1e9, deadline_hours=hours / 2), catalog)
    assert late.reason[row(board, 1)] == "deadline"
    assert late.verdict[row(board, 1)] == "fits"
    assert not late.shown[row(board, 1)]
    dear = estimates.estimate(board, run(tokens=1e9, budget_usd=usd / 2), catalog)
    assert dear.reason[row(board, 1)] == "budget"
    assert dear.reason[row(board, 2)] == "price_unknown"
    enough = estimates.estimate(board, run(tokens=1e9, budget_usd=usd * 2, deadline_hours=hours * 2), catalog)
    assert enough.shown[row(board, 1)]


def test_a_slice_is_judged_by_its_own_memory(catalog: Catalog) -> None:
    part: dict[str, Any] = {
        "accelerator_status": "slice",
        "accelerator_count": 0.5,
        "intra_node_link": "none",
    }
    whole = single(1)
    records = (
        whole,
        single(2, **part, memory_gib_per_accelerator=39.5),
        single(3, **part, memory_gib_per_accelerator=4.0),
        single(4, **part, memory_gib_per_accelerator=None),
    )
    board, table = estimated(catalog, *records, method="qlora")
    assert table.shown[row(board, 2)]
    assert table.tokens_per_s[row(board, 2)] < table.tokens_per_s[row(board, 1)]
    assert table.reason[row(board, 3)] == "memory"
    assert (table.verdict[row(board, 4)], table.reason[row(board, 4)]) == ("unknown", "slice")


def test_an_unknown_accelerator_is_unknown_and_an_ambiguous_one_takes_its_lowest_candidate(
    catalog: Catalog,
) -> None:
    nobody: dict[str, Any] = {
        "accelerator": None,
        "accelerator_status": "unknown",
        "accelerator_label": "H900",
    }
    either: dict[str, Any] = {
        "accelerator": None,
        "accelerator_status": "ambiguous",
        "accelerator_label": "A100",
        "candidates": ("a100-sxm4-40gb", "a100-sxm4-80gb"),
    }
    board, table = estimated(catalog, single(1, **nobody), single(2, **either), method="lora")
    assert (table.verdict[row(board, 1)], table.reason[row(board, 1)]) == ("unknown", "accelerator_unknown")
    assert "H900" in str(table.why[row(board, 1)])
    usable = table.hardware.shapes[table.hardware.of_row[row(board, 2)]]
    assert usable.cluster is not None
    assert usable.cluster.node.accelerator.usable_gib < 45
    assert usable.assumed


def test_the_same_question_is_answered_from_memory_and_a_new_board_is_not(catalog: Catalog) -> None:
    board = build([offer(1)], catalog, "1")
    first = estimates.estimate(board, run(), catalog)
    assert estimates.estimate(board, run(), catalog) is first
    assert estimates.estimate(board, run(tokens=2e9), catalog) is not first
    assert estimates.estimate(build([offer(1)], catalog, "1"), run(), catalog) is not first


def test_an_explanation_adds_up_to_the_row(catalog: Catalog) -> None:
    board, table = estimated(catalog, offer(1), single(2))
    at = row(board, 1)
    told = estimates.explain(board, f"{1:016x}", run(), catalog)
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


def test_an_explanation_of_what_does_not_fit_says_what_would(catalog: Catalog) -> None:
    board, _ = estimated(catalog, single(1))
    told = estimates.explain(board, f"{1:016x}", run(), catalog)
    assert told.verdict == "does_not_fit"
    assert told.memory is not None
    assert told.usable_gib is not None
    assert told.memory.high > told.usable_gib
    assert told.time is None
    assert told.cost is None
    assert any(lever.fit != "does_not_fit" for lever in told.levers)
    assert len(told.rules) == 2


def test_an_answer_names_the_smallest_tier_that_is_enough(catalog: Catalog) -> None:
    board = build([offer(1, max_nodes=8), single(2)], catalog, "1")
    assert estimates.answer(run(method="qlora"), catalog, board).enough == "single"
    assert estimates.answer(run(), catalog, board).enough == "node"
    wide = estimates.answer(run(model="llama-3.1-70b"), catalog, board)
    assert wide.enough == "cluster"
    assert {"max_nodes", "optimizer_8bit", "cpu_offload"} <= {lever.name for lever in wide.levers}
    huge = estimates.answer(run(parameters=5e12, model=None), catalog, board)
    assert huge.enough is None


def test_bad_questions_are_refused_with_the_field(catalog: Catalog) -> None:
    board = build([offer(1)], catalog, "1")
    with pytest.raises(BadInput) as caught:
        estimates.estimate(board, run(model="no-such-model"), catalog)
    assert caught.value.field == "model"
    with pytest.raises(BadInput) as caught:
        estimates.estimate(board, run(tensor_parallel=7), catalog)
    assert caught.value.field == "tensor_parallel"
    with pytest.raises(NotFound):
        estimates.explain(board, "ffffffffffffffff", run(), catalog)


def test_ones_own_trial_corrects_every_other_estimate(catalog: Catalog) -> None:
    other = single(
        2,
        accelerator="h200-sxm-141gb",
        accelerator_count=8,
        link_domain=8,
        intra_node_link="nvlink4+nvswitch",
    )
    board, before = estimated(catalog, offer(1), other)
    one, two = row(board, 1), row(board, 2)
    measured = {
        "measured_on": "h100-sxm5-80gb x8",
        "measured_tokens_per_s": before.tokens_per_s[one] * 0.8,
        "measured_peak_gib": (79.0 - before.headroom_gib[one]) * 0.5,
    }
    after = estimates.estimate(board, run(**measured), catalog)
    assert after.tokens_per_s[one] / before.tokens_per_s[one] == pytest.approx(0.8, rel=0.05)
    assert 0.8 < after.tokens_per_s[two] / before.tokens_per_s[two] < 1.0
    assert after.headroom_gib[one] > before.headroom_gib[one]
    assert after.total_usd[one] > before.total_usd[one]


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"measured_on": "warp-drive x8", "measured_tokens_per_s": 1e4}, "measured_on"),
        ({"measured_on": "h100-sxm5-80gb", "measured_tokens_per_s": 1e4}, "measured_on"),
        ({"measured_on": "h100-sxm5-80gb x8", "measured_tokens_per_s": 1.0}, "measured_tokens_per_s"),
        ({"measured_on": "h100-sxm5-80gb x8", "measured_peak_gib": 9000.0}, "measured_peak_gib"),
    ],
)
def test_a_trial_that_cannot_be_this_run_is_refused(
    catalog: Catalog, fields: dict[str, Any], field: str
) -> None:
    with pytest.raises(BadInput) as caught:
        estimated(catalog, offer(1), **fields)
    assert caught.value.field == field
