"""Google Cloud's billing catalog: providers.md 7; behaviour P15."""

from __future__ import annotations

from decimal import Decimal

from tests.providers.fetching import offers, only, parsed


def test_an_accelerator_that_is_a_part_is_no_offer() -> None:
    """Behaviour P15."""
    assert {offer.accelerator_name for offer in parsed("gcp_billing").offers} == {"B200", "GB200"}
    assert parsed("gcp_billing").ignored["a part of a machine, not an instance"] == 1


def test_an_all_in_price_times_the_accelerators_of_the_machine_in_each_region() -> None:
    blocks = offers("gcp_billing", purchase_option="block")
    assert {(offer.region, offer.price_per_hour) for offer in blocks} == {
        ("europe-west1", Decimal("49.0")),
        ("europe-west4", Decimal("49.0")),
    }
    spot = only("gcp_billing", purchase_option="spot")
    assert (spot.instance_type, spot.accelerator_count, spot.price_per_hour) == (
        "a4x-highgpu-4g",
        4,
        Decimal("21.00"),
    )


def test_what_cannot_be_had_on_demand_is_not_offered_so() -> None:
    assert offers("gcp_billing", purchase_option="on_demand") == []
    assert only("gcp_billing", purchase_option="reserved").term_months == 36


def test_a_price_of_a_month_is_refused() -> None:
    assert [reject.reason for reject in parsed("gcp_billing").rejects] == [
        "a unit other than dollars and hours"
    ]
