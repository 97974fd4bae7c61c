"""Hot Aisle: providers.md 32."""

from __future__ import annotations

from decimal import Decimal

from tests.providers.fetching import only, parsed


def test_cents_and_the_least_reservation() -> None:
    one = only("hotaisle", accelerator_count=1)
    assert (one.price_per_hour, one.minimum_term_hours, one.ram_gib) == (Decimal("1.99"), 0.5, 224)
    metal = only("hotaisle", accelerator_count=8)
    assert (metal.price_per_hour, metal.minimum_term_hours, metal.stock) == (Decimal("15.92"), 8, "out")


def test_a_free_machine_is_refused() -> None:
    assert [reject.reason for reject in parsed("hotaisle").rejects] == ["price of zero or less"]
