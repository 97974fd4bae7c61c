"""Google Cloud by the published price file: providers.md A4; behaviour P16, P17, G31, G32."""

from __future__ import annotations

import csv
import json
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from app.providers import discover
from app.providers.port import Part, Payload
from tests.providers.fetching import offers, only, parsed


def test_a_region_that_prices_a_type_but_does_not_sell_it_is_left_out() -> None:
    assert {offer.region for offer in parsed("gcp").offers} == {"us-central1"}
    assert parsed("gcp").ignored["priced in a region that does not sell it"] == 1


def test_on_demand_spot_and_commitments_are_whole_instances() -> None:
    found = offers("gcp", instance_type="a3-megagpu-8g")
    prices = {(offer.purchase_option, offer.term_months): offer.price_per_hour for offer in found}
    assert prices["on_demand", None] == Decimal("93.1")
    assert prices["spot", None] == Decimal("31.2")
    assert round(prices["reserved", 12] or Decimal(0), 3) == Decimal("64.384")
    assert {offer.observed_at for offer in found} == {datetime.fromtimestamp(1795996800, UTC)}


def test_types_that_cannot_be_had_on_demand_are_not_offered_so() -> None:
    assert [offer.purchase_option for offer in offers("gcp", instance_type="a3-highgpu-1g")] == ["spot"]


def test_a_slice_has_its_share_and_a_zero_spot_price_is_no_offer() -> None:
    slice_ = only("gcp", instance_type="g4-standard-6")
    assert (slice_.accelerator_count, slice_.memory_hint_gb, slice_.purchase_option) == (
        0.125,
        12,
        "on_demand",
    )


@pytest.mark.shared
def test_the_real_file_is_read_without_loss_and_never_lacks_the_accelerator(shared_dir: Path) -> None:
    """Behaviour P16, G32."""
    kept = json.loads((shared_dir / "upstream" / "cyclenerd_gcp_gpu_instances_2026-07-30.json").read_text())
    with (shared_dir / "upstream" / "cyclenerd_gcp_gpu_machine_type_region_2026-07-30.csv").open() as file:
        zones = [f"{row['name']};{row['region']}-a" for row in csv.DictReader(file)]
    prices = json.dumps({"compute": {"instance": kept["instance"]}})
    parts = (Part("prices", "u", prices), Part("zones", "u", "\n".join(["NAME;ZONE", *zones]) + "\n"))
    result = discover()["gcp"].parse(Payload(parts))
    rows = sum(len(machine["cost"]) for machine in kept["instance"].values())
    assert result.rows_read == rows == result.rows_used + sum(result.ignored.values())
    assert result.rejects == ()
    regions = {o.region for o in result.offers if o.instance_type == "a2-megagpu-16g"}
    assert regions and "asia-northeast1" not in regions
    (one,) = (
        offer
        for offer in result.offers
        if (offer.instance_type, offer.region, offer.purchase_option)
        == ("a2-highgpu-1g", "asia-northeast1", "on_demand")
    )
    assert one.price_per_hour is not None and Decimal(3) < one.price_per_hour < Decimal(5)
