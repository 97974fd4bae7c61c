"""gpuhunt catalog: providers.md A2; behaviour G13."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

from tests.providers.fetching import only, parsed


def test_names_of_nebius_are_platform_and_preset_and_only_eight_share_a_fabric() -> None:
    node = only("gpuhunt", instance_type="gpu-h200-sxm/8gpu-128vcpu-1600gb")
    assert (node.fabric, node.price_per_hour, node.ram_gib) == ("infiniband", Decimal("36.0"), 1600)
    one = only("gpuhunt", instance_type="gpu-h200-sxm/1gpu-16vcpu-200gb")
    assert (one.fabric, one.memory_hint_gb, one.ram_gib) == (None, 141, 200)


def test_a_version_says_of_which_day_the_catalog_is() -> None:
    assert only("gpuhunt", instance_type="gpu-h200-sxm/8gpu-128vcpu-1600gb").observed_at == datetime(
        2026, 11, 29, tzinfo=UTC
    )
    assert only("gpuhunt", instance_type="g4-standard-48").observed_at is None


def test_a_preview_duplicate_is_left_out_and_calendar_slots_are_blocks() -> None:
    assert only("gpuhunt", instance_type="g4-standard-48").purchase_option == "on_demand"
    assert only("gpuhunt", instance_type="a4-highgpu-8g", purchase_option="block").price_per_hour == Decimal(
        "50.0"
    )
    assert only("gpuhunt", instance_type="a4-highgpu-8g", purchase_option="spot").price_per_hour == Decimal(
        "45.0"
    )


def test_a_blank_price_is_unknown_and_a_spot_flag_that_says_neither_is_refused() -> None:
    assert only("gpuhunt", instance_type="a3-highgpu-8g").price_per_hour is None
    assert [reject.reason for reject in parsed("gpuhunt").rejects] == ["not in the shape we know"]


def test_a_broken_archive_silences_its_cloud_only() -> None:
    assert {"oci", "verda", "aws"} <= set(parsed("gpuhunt").unanswered)
    assert {"nebius", "gcp"}.isdisjoint(parsed("gpuhunt").unanswered)
