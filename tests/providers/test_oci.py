"""Oracle Cloud: providers.md 6; behaviour P28."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import pytest

from app.providers import discover
from app.providers.port import Part, Payload
from tests.providers.fetching import offers, only, parsed


@pytest.mark.parametrize(
    ("shape", "price"),
    [
        ("BM.GPU.H100.8", "80"),
        ("BM.GPU.B200.8", "112"),
        ("BM.GPU.B300.8", "120"),
        ("BM.GPU.GB200.4", "64"),
        ("BM.GPU.MI300X.8", "48"),
        ("BM.GPU.MI355X.8", "68.8"),
    ],
)
def test_a_price_of_one_accelerator_becomes_the_price_of_the_shape(shape: str, price: str) -> None:
    """Behaviour P28."""
    assert only("oci", instance_type=shape).price_per_hour == Decimal(price)


def test_preemptible_is_half_price_and_for_virtual_machines_only() -> None:
    assert only("oci", instance_type="VM.GPU.A10.2", purchase_option="spot").price_per_hour == Decimal(2)
    assert all(offer.instance_type.startswith("VM.") for offer in offers("oci", purchase_option="spot"))


def test_an_ocpu_is_two_threads_on_x86_and_one_on_arm() -> None:
    assert only("oci", instance_type="BM.GPU.H100.8").vcpus == 224
    assert only("oci", instance_type="BM.GPU.GB200.4").vcpus == 144


def test_software_and_hardware_elsewhere_are_no_machines() -> None:
    assert parsed("oci").ignored == {
        "not priced per GPU": 1,
        "software, or hardware elsewhere than in the cloud": 2,
    }
    assert [reject.reason for reject in parsed("oci").rejects] == ["a GPU part that no known shape uses"]


@pytest.mark.shared
def test_a_real_price_list_is_read_without_loss_even_without_the_shapes_file(shared_dir: Path) -> None:
    kept = json.loads((shared_dir / "upstream" / "oci_pricing_data_2026-01-17.json").read_text())["products"]
    items = [{**row, "currencyCodeLocalizations": [_usd(row["priceUSD"])]} for row in kept]
    result = discover()["oci"].parse(
        Payload((Part("prices", "https://example.org", json.dumps({"items": items})),))
    )
    assert result.rows_read == len(kept) == result.rows_used + sum(result.ignored.values())
    assert result.rejects == ()
    assert {offer.price_per_hour for offer in result.offers if offer.instance_type == "BM.GPU.H100.8"} == {80}


def _usd(price: float) -> dict[str, object]:
    return {"currencyCode": "USD", "prices": [{"model": "PAY_AS_YOU_GO", "value": price}]}
