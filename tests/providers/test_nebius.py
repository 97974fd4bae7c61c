"""Nebius price page: providers.md 18; behaviour G13."""

from __future__ import annotations

from decimal import Decimal

from tests.providers.fetching import offers, only, parsed


def test_a_pair_on_the_page_is_preemptible_and_on_demand_of_one_accelerator() -> None:
    node = only("nebius", instance_type="gpu-h100-sxm/8gpu-128vcpu-1600gb", purchase_option="on_demand")
    assert node.price_per_hour == Decimal("30.80")
    spot = only("nebius", instance_type="gpu-h100-sxm/1gpu-16vcpu-200gb", purchase_option="spot")
    assert (spot.price_per_hour, spot.ram_gib) == (Decimal("2.15"), 200)
    assert only("nebius", accelerator_name="L40S", purchase_option="on_demand").price_per_hour == Decimal(
        "1.55"
    )


def test_a_pair_in_another_order_and_a_lone_price_are_refused_not_guessed() -> None:
    assert sorted(reject.reason for reject in parsed("nebius").rejects) == [
        "a pair of prices in another order",
        "one price where there should be two",
    ]
    assert offers("nebius", accelerator_name="B200") == []
