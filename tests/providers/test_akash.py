"""Akash: providers.md 12; behaviour P18, P19."""

from __future__ import annotations

from decimal import Decimal

from tests.providers.fetching import only, parsed


def test_the_weighted_average_is_the_price_and_says_so() -> None:
    """Behaviour P18."""
    h100 = only("akash", memory_hint_gb=80, accelerator_name="h100 SXM5")
    assert (h100.price_per_hour, h100.stock_units) == (Decimal("1.48"), 16)
    assert h100.price_basis.startswith("weighted average")


def test_a_weighted_average_of_zero_gives_way_to_the_average() -> None:
    """Behaviour P18."""
    a100 = only("akash", accelerator_name="a100 SXM4")
    assert (a100.price_per_hour, a100.stock) == (Decimal("1.0"), "out")
    assert a100.price_basis.startswith("average")


def test_an_outlier_is_dropped_and_reported() -> None:
    """Behaviour P19."""
    assert ["outlier" in reject.reason for reject in parsed("akash").rejects] == [True]
    assert parsed("akash").ignored == {"no recent bids": 1}
