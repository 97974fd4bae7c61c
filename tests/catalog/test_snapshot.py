"""The bundled offers: dated, sourced, licensed, one row an identity."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest

from app.catalog import Catalog
from app.catalog.snapshot import read_snapshot
from app.domain.errors import CatalogError
from app.domain.flags import DOUBTS, NOTES
from app.domain.identity import offer_id
from app.domain.offer import ScrapedOffer


@pytest.fixture(scope="module")
def offers(catalog: Catalog) -> list[ScrapedOffer]:
    return list(catalog.snapshot())


def one(offers: list[ScrapedOffer], **wanted: object) -> ScrapedOffer:
    (found,) = (
        offer for offer in offers if all(getattr(offer, name) == value for name, value in wanted.items())
    )
    return found


def test_thousands_of_offers_of_dozens_of_providers_ship(offers: list[ScrapedOffer]) -> None:
    assert len(offers) > 6_500
    assert len({offer.provider for offer in offers}) > 35


def test_every_offer_has_a_date_a_source_and_a_licence(offers: list[ScrapedOffer]) -> None:
    for offer in offers:
        assert offer.observed_at is not None and offer.observed_at.tzinfo is not None
        assert offer.observed_at.isoformat().endswith("T00:00:00+00:00")
        assert offer.source and offer.licence


def test_every_offer_is_one_offer(offers: list[ScrapedOffer]) -> None:
    doubles = [name for name, number in Counter(map(offer_id, offers)).items() if number > 1]
    assert doubles == []


def test_providers_have_canonical_slugs(catalog: Catalog, offers: list[ScrapedOffer]) -> None:
    for slug in {offer.provider for offer in offers}:
        assert catalog.provider_slug(slug) == slug
        assert catalog.provider_name(slug) != slug or slug in ("fal", "akash"), slug


def test_a_reservations_total_is_an_upfront_payment_and_no_hourly_price(offers: list[ScrapedOffer]) -> None:
    offer = one(
        offers,
        instance_type="Standard_NC48ads_A100_v4",
        region="eastus",
        purchase_option="reserved",
        term_months=12,
    )
    assert (offer.price_per_hour, offer.upfront_option) == (None, "all")
    assert offer.upfront is not None and offer.upfront > 10_000


def test_low_priority_machines_are_spot_in_a_tier_of_their_own(offers: list[ScrapedOffer]) -> None:
    low = [offer for offer in offers if offer.tier == "low-priority"]
    assert len(low) > 700
    assert {offer.purchase_option for offer in low} == {"spot"}


def test_parts_of_a_card_stay_fractions(offers: list[ScrapedOffer]) -> None:
    parts = {offer.accelerator_count for offer in offers if offer.instance_type == "Standard_NV6ads_A10_v5"}
    assert [round(part, 4) for part in parts] == [0.1667]


def test_tiers_of_a_marketplace_stay_apart(offers: list[ScrapedOffer]) -> None:
    lasting = [
        offer for offer in offers if offer.provider == "runpod" and offer.purchase_option == "on_demand"
    ]
    assert {offer.tier for offer in lasting} == {"community", "secure"}


def test_prices_are_of_the_whole_instance(offers: list[ScrapedOffer]) -> None:
    assert one(offers, provider="coreweave", instance_type="8x h100").price_per_hour == Decimal("49.24")
    for offer in offers:
        if offer.price_per_hour is not None:
            each = offer.price_per_hour / Decimal(max(1.0, offer.accelerator_count))
            assert Decimal("0.005") < each < 60, offer


def test_doubts_of_the_gatherers_stay_as_flags(offers: list[ScrapedOffer]) -> None:
    flags = Counter(flag for offer in offers for flag in offer.flags)
    assert flags["gpu_mislabelled"] > 100 and flags["outlier_low"] > 50
    assert not {"per_gpu", "spec_joined"} & set(flags)
    assert set(flags) <= {*DOUBTS, *NOTES}, "a flag without words"


def test_serverless_rates_are_left_out(offers: list[ScrapedOffer]) -> None:
    assert not {"baseten", "modal", "replicate"} & {offer.provider for offer in offers}


def test_most_offers_name_an_accelerator(catalog: Catalog, offers: list[ScrapedOffer]) -> None:
    answers = Counter(
        catalog.resolve(
            offer.accelerator_name,
            offer.provider,
            offer.instance_type,
            offer.memory_hint_gb,
            offer.accelerator_count,
        ).status
        for offer in offers
    )
    assert answers["known"] + answers["slice"] > 0.95 * len(offers)
    assert answers["unknown"] < 0.02 * len(offers)


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("snapshot/offers.csv", ",USD,", ",,", "column currency"),
        ("snapshot/offers.csv", ",on_demand,", ",ondemand,", "column purchase_option"),
        ("snapshot/offers.csv", ",s17\n", ",s99\n", "column source"),
        ("snapshot/sources.csv", "2026-05-24", "24.5.2026", "column as_of"),
    ],
)
def test_a_malformed_row_is_refused(
    spoiled: Callable[[str, str, str], Path], file: str, old: str, new: str, said: str
) -> None:
    with pytest.raises(CatalogError, match=rf"{Path(file).name}, line \d+, {said}"):
        list(read_snapshot(spoiled(file, old, new)))


def test_the_lowest_of_past_bids_is_a_doubt_and_a_machine_s_asking_price_is_none(
    offers: list[ScrapedOffer],
) -> None:
    told = {
        name: {flag for o in offers if o.provider == name for flag in o.flags} for name in ("akash", "vast")
    }
    assert "lowest_bid" in told["akash"] and "marketplace_min" not in told["akash"]
    assert "marketplace_min" in told["vast"] and "lowest_bid" not in told["vast"]
    assert "lowest_bid" in DOUBTS and "marketplace_min" in NOTES
