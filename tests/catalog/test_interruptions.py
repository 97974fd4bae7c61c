"""Published interruptions: dated, sourced, and a bound, never a fact."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from app.catalog import Catalog
from app.catalog.interruptions import band_of, read_interruption_bands
from app.domain.errors import CatalogError


@pytest.mark.parametrize(
    ("instance_type", "low", "high"),
    [
        ("p5.48xlarge", 0.05, 0.1),
        ("P4DE.24xlarge", 0.0, 0.05),
        ("p3.16xlarge", 0.2, None),
        ("p3dn.24xlarge", 0.2, None),
    ],
)
def test_a_band_is_found_by_instance_type_or_family(
    catalog: Catalog, instance_type: str, low: float, high: float | None
) -> None:
    band = catalog.terms("aws").interruption_band(instance_type)
    assert band is not None
    assert (band.share_low, band.share_high) == (low, high)
    assert band.source
    assert band.as_of.year == 2025


def test_an_instance_nobody_published_about_has_no_band(catalog: Catalog) -> None:
    assert catalog.terms("aws").interruption_band("m5.large") is None
    assert catalog.terms("runpod").interruption_band("p5.48xlarge") is None
    assert band_of((), "p5.48xlarge") is None


def test_an_open_band_counts_with_its_lower_edge(catalog: Catalog) -> None:
    bands = {band.instances: band.at_least for band in catalog.terms("aws").interruptions}
    assert bands["g5.12xlarge"] == 0.2
    assert bands["p5.48xlarge"] == 0.1


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("aws,p5.48xlarge", "awz,p5.48xlarge", "column provider"),
        ("p5en.48xlarge", "p5.48xlarge", "column instances: is there twice"),
        ("p5.48xlarge,0.05,0.1", "p5.48xlarge,0.1,0.05", "column share_high: must be above share_low"),
        ("p5.48xlarge,0.05,0.1", "p5.48xlarge,5,10", "column share_low: must be a share below 1"),
        ("p5.48xlarge,0.05,0.1", "p5.48xlarge,,0.1", "column share_low: must not be blank"),
        ("2025-07-01", "July 2025", "column as_of: 'July 2025' is no day"),
        ("AWS Spot Advisor as embedded in spotinfo", "", "column source: must not be blank"),
    ],
)
def test_a_malformed_band_is_refused(
    spoiled: Callable[[str, str, str], Path], old: str, new: str, said: str
) -> None:
    folder = spoiled("interruption_bands.csv", old, new)
    with pytest.raises(CatalogError, match=rf"interruption_bands.csv, line \d+, {said}"):
        read_interruption_bands(folder, ("aws",))
