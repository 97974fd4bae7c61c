"""The answer before any price: which size of hardware is enough."""

from __future__ import annotations

import pytest

from app.market import estimates
from app.market.board import build
from app.market.estimates import RunAnswer
from tests.market.runs import CATALOG, run, single
from tests.market.samples import offer

L4 = {"accelerator": "l4-24gb", "accelerator_label": "L4 24GB", "memory_gib_per_accelerator": 22.5}
RTX_4090 = {
    "accelerator": "rtx-4090-24gb",
    "accelerator_label": "RTX 4090",
    "memory_gib_per_accelerator": 23.99,
}
A6000 = {
    "accelerator": "rtx-a6000-48gb",
    "accelerator_label": "RTX A6000",
    "memory_gib_per_accelerator": 47.99,
}


def answered(*records: object, **fields: object) -> RunAnswer:
    return estimates.answer(run(**fields), CATALOG, build(records, CATALOG, "1"))  # type: ignore[arg-type]


def test_an_answer_names_the_smallest_tier_that_is_enough() -> None:
    board = build([offer(1, max_nodes=8), single(2)], CATALOG, "1")
    assert estimates.answer(run(method="qlora"), CATALOG, board).enough == "single"
    assert estimates.answer(run(), CATALOG, board).enough == "node"
    wide = estimates.answer(run(model="llama-3.1-70b"), CATALOG, board)
    assert wide.enough == "cluster"
    assert {"max_nodes", "optimizer_8bit", "cpu_offload"} <= {lever.name for lever in wide.levers}
    huge = estimates.answer(run(parameters=5e12, model=None), CATALOG, board)
    assert huge.enough is None


def test_a_tier_needs_what_its_leanest_layout_needs_and_not_what_the_chosen_plan_takes() -> None:
    told = answered(offer(1), single(2, **L4))
    node = told.tiers[1]
    fastest = estimates.estimate(build([offer(1)], CATALOG, "1"), run(), CATALOG).verdicts[0]
    assert node.holds
    assert fastest.need_gib is not None
    assert node.need_gib is not None
    assert node.need_gib == fastest.least_gib
    assert node.need_gib < 0.8 * fastest.need_gib


def test_a_smaller_tier_that_falls_short_says_on_which_machine_and_by_how_much() -> None:
    told = answered(offer(1), single(2, **L4))
    assert not told.tiers[0].holds
    assert "L4" in str(told.tiers[0].why)
    assert f"{told.tiers[0].need_gib:.1f}" in str(told.tiers[0].why)
    assert told.smaller is not None
    assert "method_qlora" in {lever.name for lever in told.smaller.levers if lever.fit == "fits"}


def test_every_class_of_cards_on_offer_says_whether_it_is_enough() -> None:
    told = answered(offer(1), single(2, **RTX_4090), single(3, **A6000), method="lora")
    by_name = {item.name: item for item in told.classes}
    assert [item.name for item in told.classes] == ["consumer", "workstation", "datacenter"]
    assert not by_name["consumer"].holds
    assert by_name["workstation"].holds
    assert by_name["workstation"].smallest == "1× RTX A6000"
    only = answered(offer(1), method="lora")
    assert [item.name for item in only.classes] == ["datacenter"]


def test_the_run_is_drawn_on_the_smallest_machine_that_is_enough_with_its_band_and_its_room_to_grow() -> None:
    told = answered(offer(1), single(2, **RTX_4090), single(3, **A6000), method="qlora")
    reach = told.reach
    assert reach is not None
    assert reach.label == "1× RTX 4090"
    assert reach.holds
    assert reach.memory.low < reach.memory.device < reach.memory.high <= reach.usable_gib
    for growth in reach.growth:
        assert growth.largest_micro_batch is not None
        assert growth.largest_micro_batch >= growth.layout.micro_batch_size
        assert growth.largest_sequence is not None
        assert growth.largest_sequence >= 4096


def test_where_nothing_holds_the_run_it_is_drawn_on_what_falls_short_by_least() -> None:
    told = answered(single(1, **L4), single(2, **A6000), model="llama-3.1-70b")
    assert told.enough is None
    assert told.reach is not None
    assert told.reach.label == "1× RTX A6000"
    assert not told.reach.holds
    assert told.reach.memory.high > told.reach.usable_gib


@pytest.mark.parametrize(("model", "length"), [("gpt2-xl", 1024), ("whisper-large-v3", 1500)])
def test_what_falls_short_is_judged_at_the_length_that_the_model_has(model: str, length: int) -> None:
    told = answered(offer(1), single(2, **L4), model=model, tokens=1e8)
    assert told.question.run.sequence_length == length
    assert told.smaller is not None and told.tiers[0].need_gib is not None
    halved = {lever.name: lever for lever in told.smaller.levers}["sequence_length"]
    assert halved.changes == {"sequence_length": length // 2}
    assert halved.need_gib < told.tiers[0].need_gib
    assert halved.need_gib + halved.saves_gib == pytest.approx(told.tiers[0].need_gib)


def test_a_deadline_that_takes_several_nodes_leads_the_answer_and_memory_comes_after_it() -> None:
    asked = {"method": "qlora", "tokens": 1e11, "max_nodes": 8}
    board = build([offer(1, max_nodes=8), single(2)], CATALOG, "1")
    alone = estimates.estimate(board, run(**asked), CATALOG)
    hours = float(alone.hours[board.row_of(f"{1:016x}")])
    free = estimates.answer(run(**asked), CATALOG, board)
    assert free.within is None and free.enough == "single"
    told = estimates.answer(run(**asked, deadline_hours=hours / 1.5), CATALOG, board)
    assert told.enough == "single" and told.within is not None
    assert told.within.nodes > 1 and told.within.tiers == {"cluster"}
    assert str(told.why).startswith(f"Within your deadline, the smallest is {told.within.nodes} nodes of 8×")
    assert str(free.why) in str(told.why)
    assert [tier.in_limits for tier in told.tiers] == [False, False, True]
    assert str(told.tiers[2].why).startswith("not needed for memory, but for your deadline")
    late = estimates.answer(run(**asked, deadline_hours=1e-3), CATALOG, board)
    assert late.within is not None and late.within.smallest is None
    assert str(late.why).startswith("Nothing on offer is known to meet your deadline.")


def test_a_budget_that_the_smallest_machine_meets_changes_no_tier() -> None:
    told = answered(offer(1), single(2), method="qlora", budget_usd=1e6)
    assert told.within is not None and told.within.smallest == told.tiers[0].smallest
    assert told.within.tiers == {"single", "node"}
    assert all(tier.in_limits for tier in told.tiers)
    assert "your budget" in str(told.why)


def test_late_offers_say_where_the_global_batch_keeps_them_from_more_nodes() -> None:
    late = {"method": "qlora", "tokens": 1e12, "max_nodes": 8, "deadline_hours": 1}
    late |= dict.fromkeys(("tensor_parallel", "pipeline_parallel", "context_parallel"), 1)
    few = answered(offer(1, max_nodes=8), **late, global_batch_size=8).within
    many = answered(offer(1, max_nodes=8), **late, global_batch_size=512).within
    assert few is not None and "at most 8 data-parallel ranks" in str(few.batch)
    assert many is not None and many.batch is None


def test_what_the_run_itself_rules_out_is_not_called_unknown() -> None:
    told = answered(offer(1), single(2), method="qlora", max_accelerators=1)
    assert not told.tiers[1].holds
    assert "max_accelerators is 1" in str(told.tiers[1].why)


def test_a_deadline_takes_as_many_nodes_as_the_whole_run_needs_and_not_those_of_its_steady_rate() -> None:
    board, asked = build([offer(1, max_nodes=8)], CATALOG, "1"), {"method": "full", "tokens": 1e10}
    eight = estimates.estimate(board, run(**asked, max_nodes=8, deadline_hours=0.1), CATALOG)
    assert eight.nodes[0] == 8 and eight.reason[0] == "deadline"
    for spare in (1.03, 1.2, 1.3, 1.5, 2.0, 3.0, 5.0):
        limit = float(eight.hours[0]) * spare
        found = estimates.estimate(board, run(**asked, max_nodes=8, deadline_hours=limit), CATALOG)
        assert found.shown[0] and found.hours[0] <= limit, (spare, found.nodes[0], found.hours[0])
