"""Lium: providers.md 14."""

from __future__ import annotations

from decimal import Decimal

from tests.providers.fetching import only, parsed


def test_nodes_alike_are_one_offer_at_the_lowest_price_with_their_number() -> None:
    node = only("lium", accelerator_name="NVIDIA H200")
    assert (node.price_per_hour, node.stock_units, node.tier) == (Decimal("17.6"), 2, "secure")


def test_a_node_partly_taken_is_not_for_rent_as_a_whole() -> None:
    assert parsed("lium").ignored == {"partly taken": 1, "a node like a cheaper one": 1}
    assert [reject.reason for reject in parsed("lium").rejects] == ["no accelerator count"]
