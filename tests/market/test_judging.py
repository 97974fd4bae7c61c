"""One verdict per hardware shape, and further nodes only where fewer do not settle it."""

from __future__ import annotations

import pytest

from app.market.judging import judge_shapes
from app.market.question import Question
from app.market.shapes import hardware_index
from app.training.fit import judge, node_counts
from app.training.plan import search
from tests.market.runs import CATALOG, board_of, run, single
from tests.market.samples import offer


def test_rising_nodes_give_what_trying_all_of_them_gives() -> None:
    board = board_of(
        offer(1, max_nodes=8),
        single(2),
        offer(3, max_nodes=1, fabric="none"),
        offer(4, accelerator="b200-sxm-180gb", max_nodes=4),
        offer(5, accelerator=None, accelerator_status="unknown"),
    )
    shapes = hardware_index(board, CATALOG).shapes
    for fields in ({"model": "llama-3.1-70b", "max_nodes": 6}, {"max_nodes": 4, "deadline_hours": 0.5}):
        question = Question.of(run(**fields), CATALOG)
        verdicts = judge_shapes(question, shapes)
        assert len(verdicts) == len(shapes)
        for item, found in zip(shapes, verdicts, strict=True):
            if item.cluster is None:
                assert found.verdict == "unknown"
                continue
            counts = node_counts(question.run, item.cluster.fabric)
            clusters = [type(item.cluster)(item.cluster.node, nodes, item.cluster.fabric) for nodes in counts]
            expected = judge(question.run, search(question.shape, question.run, question.recipe, clusters))
            assert (found.verdict, found.reason, found.nodes) == (
                expected.verdict,
                expected.reason,
                expected.nodes,
            )
            assert found.plan == expected.plan


def test_the_order_of_the_shapes_does_not_matter() -> None:
    shapes = hardware_index(
        board_of(offer(1), single(2), offer(3, accelerator="a100-sxm4-80gb")), CATALOG
    ).shapes
    question = Question.of(run(), CATALOG)
    forward = judge_shapes(question, shapes)
    backward = judge_shapes(question, tuple(reversed(shapes)))
    assert forward == tuple(reversed(backward))


@pytest.mark.parametrize("precision", ["bf16-mixed", "fp16-mixed", "fp32", "fp8-mixed"])
def test_no_card_is_promised_a_speed_that_it_cannot_have(precision: str) -> None:
    keys = sorted(CATALOG.accelerators)
    shapes = hardware_index(
        board_of(*(single(i, accelerator=key) for i, key in enumerate(keys, 1))), CATALOG
    ).shapes
    best_product_measured = 0.87  # of the peak: A100, stas00/ml-engineering
    for fields in ({"model": "gpt2", "sequence_length": 1024}, {"method": "lora", "global_batch_size": 512}):
        question = Question.of(run(precision=precision, **fields), CATALOG)
        for item, found in zip(shapes, judge_shapes(question, shapes), strict=True):
            if found.time is not None:
                assert item.cluster is not None
                assert 0.01 < found.time["mfu"] < best_product_measured, item.cluster.node.accelerator.key
                assert found.time["tokens_per_s"] > 10, item.cluster.node.accelerator.key


def test_a_card_without_a_published_rate_is_judged_by_memory_and_its_speed_stays_unknown() -> None:
    shapes = hardware_index(
        board_of(single(1, accelerator="rtx-pro-4500-server-32gb"), single(2)), CATALOG
    ).shapes
    question = Question.of(run(model="gpt2", deadline_hours=200.0), CATALOG)
    unrated, rated = judge_shapes(question, shapes)
    assert unrated.verdict == rated.verdict == "fits"
    assert unrated.time is None and unrated.bound is None
    assert rated.time is not None
