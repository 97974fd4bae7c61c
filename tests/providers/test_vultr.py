"""Vultr: providers.md 8; behaviour G23 concerns the catalog."""

from __future__ import annotations

from decimal import Decimal

from tests.providers.fetching import offers, only, parsed


def test_a_plan_is_offered_where_it_can_be_deployed_at_the_local_price() -> None:
    plans = offers("vultr", instance_type="vcg-l40s-16c-180g-48vram", purchase_option="on_demand")
    assert {(plan.region, plan.price_per_hour, plan.stock) for plan in plans} == {
        ("ewr", Decimal("1.671"), "in_stock"),
        ("fra", Decimal("1.9"), "in_stock"),
    }
    assert len(offers("vultr", instance_type="vcg-l40s-16c-180g-48vram", purchase_option="spot")) == 2


def test_a_slice_keeps_its_fraction_and_is_nowhere_in_stock() -> None:
    slice_ = only("vultr", instance_type="vcg-a100-1c-6g-4vram")
    assert (slice_.accelerator_count, slice_.memory_hint_gb, slice_.stock) == (0.05, 4, "out")


def test_memory_a_little_off_the_name_still_makes_whole_cards() -> None:
    assert only("vultr", instance_type="vdm-b200x8").accelerator_count == 8


def test_an_hourly_zero_is_the_month_over_its_cap() -> None:
    price = only("vultr", instance_type="vcg-a40-24c-120g-48vram").price_per_hour
    assert price is not None and round(price, 4) == Decimal("1.8601")


def test_bare_metal_says_its_accelerators_in_its_name() -> None:
    assert only("vultr", instance_type="vbm-256c-2048gb-8-mi300x-gpu").accelerator_count == 8
    gh200 = only("vultr", instance_type="vbm-72c-480gb-gh200-gpu")
    assert (gh200.accelerator_count, gh200.accelerator_name, gh200.stock) == (1, "GH200", "out")


def test_a_free_plan_is_refused() -> None:
    assert [reject.reason for reject in parsed("vultr").rejects] == ["price of zero or less"]
