"""SF Compute: providers.md 33."""

from __future__ import annotations

from decimal import Decimal

from tests.providers.fetching import only, parsed


def test_a_quote_of_the_whole_order_becomes_a_node_hour() -> None:
    block = only("sfcompute", instance_type="h100i")
    assert (block.price_per_hour, block.accelerator_count) == (Decimal("17.6"), 8)
    assert (block.purchase_option, block.minimum_term_hours, block.fabric) == ("block", 24, "infiniband")


def test_no_seller_is_counted_and_a_quote_without_a_span_refused() -> None:
    assert parsed("sfcompute").ignored == {"nobody sells now": 1}
    assert [reject.reason for reject in parsed("sfcompute").rejects] == ["a quote without a span or a price"]
