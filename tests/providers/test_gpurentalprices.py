"""gpurentalprices.com: one price a model and cloud."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import pytest

from app.catalog import load_catalog
from app.domain.identity import offer_id
from app.providers import discover
from app.providers.port import Part, Payload
from tests.providers.fetching import only, parsed


def test_a_least_number_makes_the_offer_as_large() -> None:
    node = only("gpurentalprices", provider="voltagepark")
    assert (node.price_per_hour, node.accelerator_count) == (Decimal("15.92"), 8)


def test_serverless_and_clouds_asked_directly_are_counted() -> None:
    assert parsed("gpurentalprices").ignored == {"serverless": 1, "a cloud that is asked directly": 1}
    assert [reject.reason for reject in parsed("gpurentalprices").rejects] == ["price of zero or less"]


@pytest.mark.shared
@pytest.mark.parametrize("day", ["2026-07-26", "2026-08-16", "2026-08-20", "2026-08-21"])
def test_real_days_are_read_without_loss(shared_dir: Path, day: str) -> None:
    text = (shared_dir / "upstream" / f"adriannutiu_snapshot_{day}.json").read_text()
    result = discover()["gpurentalprices"].parse(Payload((Part("latest", "https://example.org", text),)))
    assert (
        result.rows_read == len(json.loads(text)["offers"]) == result.rows_used + sum(result.ignored.values())
    )
    assert result.rejects == ()


def test_its_offers_are_those_that_the_bundled_snapshot_has_of_it() -> None:
    """It names no place: that is unknown, not a place of its own. So what it says later follows what it said before."""
    snapshot = {offer_id(offer) for offer in load_catalog().snapshot() if "gpu-rental-prices" in offer.source}
    here = {offer_id(offer) for offer in parsed("gpurentalprices").offers}
    assert {offer.region for offer in parsed("gpurentalprices").offers} == {""}
    assert here & snapshot
