"""The machine behind an offer: whole cards, slices, ambiguous and unknown names."""

from __future__ import annotations

from typing import Any

from tests.market.runs import estimated, row, single


def test_a_slice_is_judged_by_its_own_memory() -> None:
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
    board, table = estimated(*records, method="qlora")
    assert table.shown[row(board, 2)]
    assert table.tokens_per_s[row(board, 2)] < table.tokens_per_s[row(board, 1)]
    assert table.reason[row(board, 3)] == "memory"
    assert (table.verdict[row(board, 4)], table.reason[row(board, 4)]) == ("unknown", "slice")


def test_an_unknown_accelerator_is_unknown_and_an_ambiguous_one_takes_its_lowest_candidate() -> None:
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
    board, table = estimated(single(1, **nobody), single(2, **either), method="lora")
    assert (table.verdict[row(board, 1)], table.reason[row(board, 1)]) == ("unknown", "accelerator_unknown")
    assert "H900" in str(table.why[row(board, 1)])
    usable = table.hardware.shapes[table.hardware.of_row[row(board, 2)]]
    assert usable.cluster is not None
    assert usable.cluster.node.accelerator.usable_gib < 45
    assert usable.assumed
