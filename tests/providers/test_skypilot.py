"""SkyPilot catalog: providers.md A1; behaviour G15, P04, P06, P15, P16, P31, R02, F01, F05."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from app.domain.errors import ShapeDrift
from app.domain.offer import ScrapedOffer
from app.providers import discover
from app.providers.port import Part, Payload
from tests.providers.fetching import offers, only, parsed
from tests.providers.internet import payload


def test_spot_is_per_zone_and_on_demand_per_region() -> None:
    """Behaviour R02."""
    listed = only("skypilot", provider="aws", instance_type="p5.48xlarge", purchase_option="on_demand")
    assert (listed.price_per_hour, listed.zone) == (Decimal("55.04"), None)
    spots = offers("skypilot", instance_type="p5.48xlarge", purchase_option="spot")
    assert {(spot.zone, spot.price_per_hour) for spot in spots} == {
        ("use2-az1", Decimal("21.7")),
        ("use2-az2", Decimal("22.9")),
    }


def test_a_file_says_how_old_it_is_or_its_repository_does() -> None:
    assert only("skypilot", instance_type="g6.xlarge").observed_at == datetime(2026, 11, 29, 6, tzinfo=UTC)
    stood_still = only("skypilot", instance_type="Standard_NC40ads_H100_v5")
    assert stood_still.observed_at == datetime(2025, 11, 29, 3, tzinfo=UTC)


def test_a_zero_price_is_unknown_and_a_zero_spot_price_is_no_offer() -> None:
    """Behaviour P06, P31."""
    assert only("skypilot", instance_type="Standard_NC40ads_H100_v5").price_per_hour is None
    assert {offer.purchase_option for offer in _unfetched("vast")} == {"on_demand"}


def test_one_figure_for_an_auction_and_its_fixed_price_is_believed_for_neither() -> None:
    """Behaviour P04."""
    assert {offer.price_per_hour for offer in offers("skypilot", provider="mithril")} == {
        Decimal("28.66"),
        Decimal("8.00"),
    }
    assert any("a floor of bids" in reject.reason for reject in parsed("skypilot").rejects)


def test_an_accelerator_without_its_host_is_no_instance() -> None:
    """Behaviour P16."""
    assert offers("skypilot", provider="gcp") == []
    assert parsed("skypilot").ignored["an accelerator priced without its host"] == 2


def test_memory_is_of_one_accelerator_or_left_open() -> None:
    assert only("skypilot", instance_type="g6.xlarge").memory_hint_gb == pytest.approx(22.35, abs=0.01)
    assert [offer.memory_hint_gb for offer in _unfetched("vast") if offer.accelerator_count == 2] == [None]


def test_the_copied_host_memory_of_runpod_is_not_believed() -> None:
    """Behaviour G15."""
    (pod,) = _unfetched("runpod")
    assert (pod.ram_gib, pod.tier, pod.price_per_hour) == (None, "secure", Decimal("4.76"))


def test_a_silent_cloud_harms_only_itself() -> None:
    silent = set(parsed("skypilot").unanswered)
    assert {"lambda", "verda", "nebius"} <= silent
    assert silent.isdisjoint({"aws", "azure"})


def test_marketplaces_that_are_asked_themselves_are_not_fetched_from_the_catalog() -> None:
    assert {"runpod", "vast"}.isdisjoint(offer.provider for offer in parsed("skypilot").offers)


def test_a_file_cut_short_is_not_half_believed() -> None:
    assert offers("skypilot", provider="oci") == []
    assert "oci" in parsed("skypilot").unanswered
    assert any("cut short after 1 rows" in reject.detail for reject in parsed("skypilot").rejects)


def _unfetched(cloud: str) -> tuple[ScrapedOffer, ...]:
    (text,) = (answer["text"] for answer in payload("skypilot")["answers"] if f"/{cloud}/" in answer["url"])
    return discover()["skypilot"].parse(Payload((Part(cloud, "https://example.org", text),))).offers


@pytest.mark.shared
@pytest.mark.parametrize(
    ("file", "cloud"),
    [
        ("anycloud_azure_vms_2026-05-20.csv", "azure"),
        ("anycloud_lambda_vms_2026-05-20.csv", "lambda"),
        ("anycloud_lambda_vms_2026-05-07_before.csv", "lambda"),
        ("anycloud_vast_vms_2026-05-20.csv", "vast"),
    ],
)
def test_real_files_are_read_without_loss(shared_dir: Path, file: str, cloud: str) -> None:
    text = (shared_dir / "upstream" / file).read_text()
    result = discover()["skypilot"].parse(Payload((Part(cloud, "https://example.org", text),)))
    assert result.rows_read == text.count("\n") - 1 == result.rows_used + sum(result.ignored.values())
    assert set(result.ignored) <= {"no accelerator"}
    assert result.rejects == ()


@pytest.mark.shared
def test_a_file_that_shrank_to_its_header_is_no_price_list(shared_dir: Path) -> None:
    text = (shared_dir / "upstream" / "anycloud_lambda_vms_2026-05-07_header_only.csv").read_text()
    with pytest.raises(ShapeDrift):
        discover()["skypilot"].parse(Payload((Part("lambda", "https://example.org", text),)))
