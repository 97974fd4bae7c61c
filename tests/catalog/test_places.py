"""Regions → places; unknown stays unknown."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.catalog import Catalog, Place, load_catalog
from app.catalog.places import read_places
from app.domain.errors import CatalogError


@pytest.mark.parametrize(
    ("provider", "region", "country", "name", "area"),
    [
        ("aws", "us-east-1", "US", "N. Virginia", "US East"),
        ("aws", "us-east-1a", "US", "N. Virginia", "US East"),
        ("aws", "us-east-1-lim-1", "PE", "Lima", "LATAM"),
        ("azure", "mexicocentral", "MX", "Querétaro", "LATAM"),
        ("gcp", "europe-west4-b", "NL", "Netherlands", "Europe"),
        ("hetzner", "FSN1-DC18", "DE", "Falkenstein", "Europe"),
        ("runpod", "US-TX-3", "US", "United States", "US Central"),
        ("runpod", "EUR-IS-1", "IS", "Iceland", "Europe"),
        ("runpod", "CA-MTL-1", "CA", "Canada", "Canada"),
        ("vast", "Georgia, US, NA", "US", "Georgia", "US East"),
        ("vast", ", CN, AS", "CN", "China", "APAC"),
        ("vast", "The Netherlands, NL", "NL", "Netherlands", "Europe"),
        ("tensordock", "Mölln, Hamburg, Germany", "DE", "Mölln", "Europe"),
        ("tensordock", "New York City, New York, United States", "US", "New York City", "US East"),
        ("azure", "US East 2", "US", "United States", "US East"),
        ("azure", "East US 2", "US", "Virginia", "US East"),
        ("fluidstack", "norway_4_eu", "NO", "Norway", "Europe"),
        ("jarvislabs", "india-01", "IN", "India", "APAC"),
        ("hotaisle", "us-michigan", "US", "United States", "US East"),
        ("massedcompute", "US, Texas", "US", "United States", "US Central"),
    ],
)
def test_a_region_tells_country_name_and_market_area(
    catalog: Catalog, provider: str, region: str, country: str, name: str, area: str
) -> None:
    place = catalog.place(provider, region)
    assert (place.country, place.name, place.area) == (country, name, area)
    assert place.continent is not None


def test_one_code_may_mean_two_places_at_two_providers(catalog: Catalog) -> None:
    assert catalog.place("aws", "ap-south-1").country == "IN"
    assert catalog.place("alibaba", "ap-southeast-3").country == "MY"
    assert catalog.place("aws", "ap-southeast-3").country == "ID"
    assert catalog.place("nobody", "ap-southeast-3") == Place()


@pytest.mark.parametrize(
    "region",
    [
        "",
        "  ",
        "global",
        "any",
        "secure",
        "use1-az4",
        "no-preference",
        "Multiple regions",
        "EU / US / Canada",
        "Norway or Sweden",
        "Georgia 1",
        "usual",
    ],
)
def test_what_names_no_place_stays_unknown(catalog: Catalog, region: str) -> None:
    assert catalog.place("aws", region) == Place()


def test_a_continent_alone_leaves_the_country_unknown(catalog: Catalog) -> None:
    assert catalog.place("fluidstack", "EU") == Place(None, "Europe", None, "Europe")


def test_a_stated_country_serves_where_the_region_tells_nothing(catalog: Catalog) -> None:
    assert catalog.place("lium", "unknown", "DE") == Place("DE", "Europe", "Germany", "Europe")
    assert catalog.place("azure", "mexicocentral", "ZA").country == "MX"
    assert catalog.place("lium", "unknown", "QQ") == Place()


@given(st.text(max_size=30), st.sampled_from(["aws", "vast", "nobody"]))
def test_any_text_gets_a_place_or_none(region: str, provider: str) -> None:
    place = load_catalog().place(provider, region)
    assert place.country is None or (len(place.country) == 2 and place.continent)


@pytest.mark.shared
def test_every_gathered_region_lies_where_its_source_says(catalog: Catalog, shared_dir: Path) -> None:
    wrong_at_source = {("azure", "mexicocentral")}
    seen = set()
    for file in ("offers.csv", "offers_secondary.csv", "snapshot_rows.csv"):
        with (shared_dir / "offers" / file).open(newline="", encoding="utf-8") as handle:
            seen |= {
                (r["provider"], r["region"], r["country"]) for r in csv.DictReader(handle) if r["region"]
            }
    assert len(seen) > 500
    for provider, region, country in seen:
        if country and (provider, region) not in wrong_at_source:
            assert catalog.place(provider, region).country == country, (provider, region)


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("regions.csv", "us-east-1,US", "us-east-1,USA", "column country"),
        ("regions.csv", "us-east-1,US", "us-east-2,US", "column region: is there twice"),
        ("regions.csv", "US East", "US Esat", "column area"),
        ("countries.csv", "AD,", "and,", "column code"),
        ("us_states.csv", "US West", "West", "column area"),
    ],
)
def test_a_malformed_row_is_refused(
    spoiled: Callable[[str, str, str], Path], file: str, old: str, new: str, said: str
) -> None:
    with pytest.raises(CatalogError, match=rf"{file}, line \d+, {said}"):
        read_places(spoiled(file, old, new))


@pytest.mark.parametrize(
    ("provider", "zone", "common"),
    [
        ("aws", "us-east-1a", None),
        ("aws-cn", "cn-north-1b", None),
        ("aws", "use1-az1", "use1-az1"),
        ("gcp", "us-east1-b", "us-east1-b"),
        ("aws", "us-east-1-lim-1a", "us-east-1-lim-1a"),
        ("aws", None, None),
    ],
)
def test_a_zone_that_each_account_reads_differently_is_no_zone(
    catalog: Catalog, provider: str, zone: str | None, common: str | None
) -> None:
    """Behaviour R02."""
    assert catalog.zone(provider, zone) == common
