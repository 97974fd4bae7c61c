"""Together: providers.md 34."""

from __future__ import annotations

from decimal import Decimal

from tests.providers.fetching import only, parsed


def test_cents_a_minute_become_dollars_an_hour_marked_as_inference() -> None:
    node = only("together", instance_type="8x_nvidia_h100_80gb_sxm")
    assert (node.price_per_hour, node.stock) == (Decimal("27.36"), "low")
    assert "inference_only" in node.flags


def test_a_free_row_is_refused() -> None:
    assert [reject.reason for reject in parsed("together").rejects] == ["price of zero or less"]
