"""Azure: providers.md 5; behaviour G05–G12 where they name Azure sizes, P06, P07."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from app.providers import discover
from app.providers._azure_sizes import accelerators_of
from app.providers.port import Part, Payload
from tests.providers.fetching import offers, only, parsed


@pytest.mark.parametrize(
    ("size", "name", "count", "memory_gb"),
    [
        ("Standard_NV6ads_A10_v5", "A10", 1 / 6, 24),
        ("Standard_NV12ads_A10_v5", "A10", 1 / 3, 24),
        ("Standard_NV18ads_A10_v5", "A10", 1 / 2, 24),
        ("Standard_NV36adms_A10_v5", "A10", 1, 24),
        ("Standard_NV72ads_A10_v5", "A10", 2, 24),
        ("Standard_ND96isr_H100_v5", "H100 SXM5", 8, 80),
        ("Standard_ND96isrf_H100_v5", "H100 SXM5", 8, 80),
        ("Standard_ND96is_flex_H100_v5", "H100 SXM5", 8, 80),
        ("Standard_ND96asr_v4", "A100 SXM4 40GB", 8, 40),
        ("Standard_ND96amsr_A100_v4", "A100 SXM4 80GB", 8, 80),
        ("Standard_ND96isr_MI300X_v5", "MI300X", 8, 192),
        ("Standard_ND128isr_NDR_GB200_v6", "GB200", 4, 192),
        ("Standard_NC48ads_A100_v4", "A100 PCIe 80GB", 2, 80),
        ("Standard_NC80adis_H100_v5", "H100 NVL", 2, 94),
        ("Standard_NC64as_T4_v3", "T4", 4, 16),
        ("Standard_NC24rs_v3", "V100 PCIe 16GB", 4, 16),
        ("Standard_NC24", "K80", 4, 12),
        ("Standard_ND96isr_R100_v7", "R100", 8, None),
    ],
)
def test_the_size_says_the_accelerators(size: str, name: str, count: float, memory_gb: float | None) -> None:
    found = accelerators_of(size)
    assert found is not None
    assert (found[0], found[2]) == (name, memory_gb)
    assert found[1] == pytest.approx(count)


def test_a_size_of_another_kind_says_nothing() -> None:
    assert accelerators_of("Standard_D4s_v5") is None
    assert accelerators_of("Standard_NX8_v9") is None


def test_a_reservation_is_a_total_and_never_an_hourly_price() -> None:
    """Behaviour P07."""
    pair = only("azure", instance_type="Standard_NC48ads_A100_v4")
    assert (pair.purchase_option, pair.term_months, pair.upfront_option) == ("reserved", 12, "all")
    assert (pair.price_per_hour, pair.upfront, pair.accelerator_count) == (None, Decimal("42066.0"), 2)


def test_spot_low_priority_and_savings_plans_are_offers_of_their_own() -> None:
    node = [offer for offer in parsed("azure").offers if offer.instance_type == "Standard_ND96isr_H100_v5"]
    assert {(o.purchase_option, o.tier, o.term_months, o.price_per_hour) for o in node} == {
        ("on_demand", None, None, Decimal("98.32")),
        ("spot", None, None, Decimal("29.5")),
        ("spot", "low_priority", None, Decimal("19.7")),
        ("reserved", None, 12, None),
        ("savings_plan", None, 12, Decimal("70.0")),
        ("savings_plan", None, 36, Decimal("50.0")),
    }


def test_a_slice_keeps_its_share_of_the_memory() -> None:
    third = only("azure", instance_type="Standard_NV12ads_A10_v5")
    assert (third.accelerator_count, third.memory_hint_gb) == (pytest.approx(1 / 3), pytest.approx(8))


def test_what_is_left_out_is_counted_and_what_is_wrong_is_refused() -> None:
    assert parsed("azure").ignored == {
        "an older price of the same thing": 1,
        "Windows price": 1,
        "developer discount": 1,
    }
    assert sorted(r.reason for r in parsed("azure").rejects) == [
        "a size we do not know",
        "price of zero or less",
    ]
    assert offers("azure", instance_type="Standard_NC40ads_H100_v5") == []


@pytest.mark.shared
def test_a_real_answer_is_read_without_loss(shared_dir: Path) -> None:
    text = (shared_dir / "upstream" / "azure_retail_eastus_nd_2026-07-27.json").read_text()
    result = discover()["azure"].parse(Payload((Part("Standard_ND 1", "https://prices.azure.com", text),)))
    assert (result.rows_read, len(result.offers), result.rejects) == (10, 6, ())
    assert result.ignored == {"Windows price": 4}
