"""Memory lessons show what the calculator answers for the same question."""

from __future__ import annotations

from dataclasses import asdict
from itertools import pairwise
from urllib.parse import parse_qsl

import pytest

from app.market.lessons import lesson
from app.market.lessons.basis import run_of
from app.market.lessons.memory import BatchLesson, MemoryLesson, TopologyLesson
from app.market.service import Market
from tests.market.lessons.offers import on
from tests.market.samples import market_of

TERMS = (
    "weights",
    "gradients",
    "optimizer_states",
    "activations",
    "loss",
    "buffers",
    "overhead",
    "device",
    "high",
)


def memory(market: Market) -> MemoryLesson:
    found = lesson(market, "memory")
    assert isinstance(found, MemoryLesson)
    return found


def test_every_term_is_that_of_the_machine_that_holds_the_run(market: Market) -> None:
    for row in memory(market).rows:
        assert row.smallest is not None
        held = on(market, row.smallest, **dict(parse_qsl(row.query))).memory
        assert held is not None
        for term in TERMS:
            assert getattr(row.memory, term) == pytest.approx(held[term]), (row.method, term)


def test_terms_add_up_and_methods_need_less_and_less(market: Market) -> None:
    rows = memory(market).rows
    for row in rows:
        assert sum(asdict(row.memory)[term] for term in TERMS[:7]) == pytest.approx(row.memory.device)
    assert [row.method for row in rows] == ["full", "lora", "qlora"]
    assert all(a.memory.device > b.memory.device for a, b in pairwise(rows))
    assert rows[0].trained == pytest.approx(memory(market).parameters)


def test_where_nothing_holds_it_no_machine_is_named_but_the_need_is_told() -> None:
    for row in memory(market_of()).rows:
        assert row.smallest is None
        assert row.memory.device > 1


def test_a_larger_micro_batch_needs_more_and_accumulates_less(market: Market) -> None:
    told = lesson(market, "batch-size")
    assert isinstance(told, BatchLesson)
    for row in told.rows:
        assert row.micro_batch * row.accumulation == told.global_batch
        none, full = row.cells
        assert none.device_gib > full.device_gib
    for a, b in pairwise(told.rows):
        assert all(y.device_gib > x.device_gib for x, y in zip(a.cells, b.cells, strict=True))
        assert all(y.basis.n <= x.basis.n for x, y in zip(a.cells, b.cells, strict=True))


def test_speeds_are_those_of_the_reference_card_where_it_holds_the_run(market: Market) -> None:
    told = lesson(market, "batch-size")
    assert told.rows[0].tokens_per_s is not None
    for row in told.rows:
        run = {"micro_batch_size": row.micro_batch, "activation_checkpointing": "full"}
        answer = on(market, "1× H100 SXM5 80GB", model="llama-3.1-8b", method="lora", **run)
        expected = answer.time["tokens_per_s"] if answer.verdict == "fits" and answer.time else None
        assert row.tokens_per_s == expected
    assert all(row.tokens_per_s is None for row in lesson(market_of(), "batch-size").rows)


def test_sharding_divides_more_at_each_stage_as_the_hardware_answer_says(market: Market) -> None:
    told = lesson(market, "topology")
    assert isinstance(told, TopologyLesson)
    assert all(a.device_gib > b.device_gib for a, b in pairwise(told.shardings))
    first, last = told.shardings[0], told.shardings[-1]
    assert first.weights_gib + first.gradients_gib + first.optimizer_gib == pytest.approx(told.state_gib)
    assert last.optimizer_gib == pytest.approx(first.optimizer_gib / told.ranks)
    asked = {name: value for name, value in parse_qsl(last.basis.query) if name != "accelerator_count"}
    held = on(market, "8× H100 SXM5 80GB", **asked).memory
    assert held is not None
    assert last.device_gib == pytest.approx(held["device"])


def test_sizes_are_the_answers_of_the_fit_page(market: Market) -> None:
    told = lesson(market, "topology")
    assert {row.enough for row in told.sizes} >= {"single", "node"}
    for row in told.sizes:
        answer = market.answer(run_of(**dict(parse_qsl(row.query))))
        assert row.enough == answer.enough
        if answer.enough:
            tier = next(tier for tier in answer.tiers if tier.name == answer.enough)
            assert (row.smallest, row.nodes, row.need_gib) == (tier.smallest, tier.nodes, tier.need_gib)
