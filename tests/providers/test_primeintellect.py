"""Prime Intellect: providers.md 25; behaviour P29."""

from __future__ import annotations

from decimal import Decimal

from tests.providers.fetching import only, parsed


def test_a_price_of_the_box_says_which_disk_it_includes() -> None:
    """Behaviour P29."""
    one = only("primeintellect", instance_type="1xA100")
    assert (one.provider, one.price_per_hour) == ("verda", Decimal("1.6568"))
    assert one.price_basis == "box-hour, disk of 120 GB included"


def test_memory_comes_from_the_name_whatever_the_field_totals() -> None:
    assert only("primeintellect", instance_type="8xH100.prime").memory_hint_gb == 80


def test_a_cluster_carries_its_fabric() -> None:
    cluster = only("primeintellect", instance_type="16xH100.ib")
    assert (cluster.fabric, cluster.fabric_gbps, cluster.tier) == ("infiniband", 3200, "via dc_impala")


def test_no_price_is_no_offer_and_no_name_is_refused() -> None:
    assert parsed("primeintellect").ignored == {"no price": 1}
    assert [reject.reason for reject in parsed("primeintellect").rejects] == ["no accelerator name"]
