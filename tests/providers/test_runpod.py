"""RunPod: providers.md 1; behaviour P02, P03, P25, N04."""

from __future__ import annotations

from decimal import Decimal

from tests.providers.fetching import offers, only


def test_a_price_of_one_accelerator_becomes_the_price_of_the_pod() -> None:
    assert only("runpod", instance_type="8x RTX A4000", purchase_option="spot").price_per_hour == Decimal(
        "1.28"
    )
    pod = only("runpod", instance_type="8x H100 SXM", purchase_option="on_demand", tier="secure")
    assert pod.price_per_hour == Decimal("27.92")


def test_secure_and_community_are_two_offers() -> None:
    """Behaviour P03."""
    pods = offers("runpod", instance_type="2x RTX A6000", purchase_option="on_demand")
    assert {(pod.tier, pod.price_per_hour) for pod in pods} == {
        ("secure", Decimal("1.52")),
        ("community", Decimal("0.98")),
    }


def test_no_pod_is_larger_than_its_tier_allows() -> None:
    assert {pod.accelerator_count for pod in offers("runpod", tier="community")} == {1, 2}


def test_stock_is_per_data_centre_and_a_pod_that_none_has_is_out() -> None:
    small = only("runpod", instance_type="1x H100 SXM", purchase_option="on_demand", tier="secure")
    assert (small.region, small.stock, small.vcpus, small.ram_gib) == ("EU-RO-1", "low", 20, 251)
    pair = only("runpod", instance_type="2x H100 SXM", purchase_option="on_demand", tier="secure")
    assert (pair.region, pair.stock) == ("global", "out")


def test_a_commitment_never_poses_as_the_hourly_price() -> None:
    """Behaviour P25."""
    month = only("runpod", instance_type="1x H100 SXM", purchase_option="reserved", term_months=1)
    assert (month.price_per_hour, month.minimum_term_hours) == (Decimal("3.2"), 730)
    assert {
        pod.price_per_hour
        for pod in offers("runpod", instance_type="1x H100 SXM", purchase_option="on_demand")
    } == {
        Decimal("3.49"),
        Decimal("2.89"),
    }


def test_clusters_are_nodes_of_the_largest_size_up_to_eight_of_them() -> None:
    """Behaviour N04."""
    node = only("runpod", tier="cluster")
    assert (node.price_per_hour, node.max_nodes, node.region) == (Decimal("28.8"), 8, "EU-FR-1")
