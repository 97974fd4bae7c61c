"""Providers: one slug however they are written, and honest terms."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from app.catalog import Catalog
from app.catalog.terms import read_providers, read_terms
from app.domain.errors import CatalogError


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("JarvisLabs.ai", "jarvislabs"),
        ("DataCrunch.io", "verda"),
        ("Crusoe Cloud", "crusoe"),
        ("nebius.com", "nebius"),
        ("Nobody.ai", "nobody_ai"),
        ("Google Cloud", "gcp"),
        ("vast.ai", "vast"),
        ("vastai", "vast"),
        ("OVHcloud", "ovh"),
        ("DataCrunch", "verda"),
        ("Lambda Labs", "lambda"),
        ("Some New Cloud", "some_new_cloud"),
        ("voltage-park", "voltagepark"),
        ("packet.ai_sponsored", "packet_ai"),
    ],
)
def test_a_provider_has_one_slug_however_it_is_written(catalog: Catalog, text: str, slug: str) -> None:
    assert catalog.provider_slug(text) == slug
    assert catalog.provider_slug(slug) == slug


def test_a_slug_has_a_name_for_people_and_an_unknown_one_itself(catalog: Catalog) -> None:
    assert catalog.provider_name("vast") == "Vast.ai"
    assert catalog.provider_name("some_new_cloud") == "some_new_cloud"


def test_unknown_terms_are_none_and_never_zero(catalog: Catalog) -> None:
    terms = catalog.terms("paperspace")
    assert (terms.billing_increment_s, terms.egress_usd_per_gb, terms.spot) == (None, None, None)
    assert catalog.terms("nobody").provider == "nobody"


def test_known_terms_carry_their_units(catalog: Catalog) -> None:
    assert catalog.terms("aws").notice_s == 120
    assert catalog.terms("runpod").egress_usd_per_gb == 0
    assert catalog.terms("vultr").billing_increment_s == 3600
    assert catalog.terms("digitalocean").multi_node == "by_request"


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("providers.csv", "vast,Vast.ai,vastai", "vast,Vast.ai,lambda labs", "column aliases"),
        ("providers.csv", "verda,", "vast,", "column slug: is there twice"),
        ("terms.csv", "lambda,60", "lamda,60", "column provider"),
        ("terms.csv", "aws,1,60,yes", "aws,1,60,maybe", "column spot"),
    ],
)
def test_a_malformed_row_is_refused(
    spoiled: Callable[[str, str, str], Path], file: str, old: str, new: str, said: str
) -> None:
    folder = spoiled(file, old, new)
    with pytest.raises(CatalogError, match=rf"{file}, line \d+, {said}"):
        read_terms(folder, read_providers(folder))
