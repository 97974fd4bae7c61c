"""OVHcloud: providers.md 10."""

from __future__ import annotations

from decimal import Decimal

from tests.providers.fetching import only, parsed


def test_a_price_in_hundred_millionths_of_a_euro() -> None:
    pair = only("ovh", instance_type="h100-760")
    assert (pair.price_per_hour, pair.currency, pair.accelerator_count) == (Decimal("5.6"), "EUR", 2)
    assert pair.local_disk_gb == 200 + 2 * 3840


def test_a_sheet_without_a_count_is_read_off_the_flavour() -> None:
    four = only("ovh", instance_type="t2-180")
    assert (four.accelerator_count, four.accelerator_name) == (4, "Tesla V100S 32GB")


def test_everything_else_in_the_catalogue_is_counted() -> None:
    assert parsed("ovh").ignored == {
        "not an instance": 1,
        "monthly, or of another zone": 2,
        "Windows price": 1,
        "no accelerator": 1,
        "not on sale": 1,
    }
    assert [reject.reason for reject in parsed("ovh").rejects] == ["price of zero or less"]
