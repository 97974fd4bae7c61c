"""The vocabulary refuses what would resolve names wrongly."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from app.catalog import Catalog
from app.catalog.vocabulary import MEMORY_TOLERANCE, read_vocabulary
from app.domain.errors import CatalogError


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("families.toml", 'name = "A40"\npattern = \'a40\'\nkeys = ["a40-48gb"]', 'name = "A40"\npattern = \'a40\'\nkeys = []', "no family names a40-48gb"),
        ("families.toml", "pattern = 'gb300'", "pattern = '('", "family GB300: pattern"),
        ("families.toml", "pattern = 'gb300'", "patern = 'gb300'", "family GB300: unknown field patern"),
        ("families.toml", '"h200-nvl-141gb"]', '"h200-141gb"]', "family H200: no accelerator h200-141gb"),
        ("aliases.csv", "a30-24gb,,A30", "a30-24gb,,A40", r"aliases\.csv, line \d+, column spelling: already means"),
        ("form_factors.csv", "aws,A100", "aws,A1000", r"form_factors\.csv, line 2, column family"),
    ],
)  # fmt: skip
def test_a_malformed_vocabulary_is_refused(
    catalog: Catalog, spoiled: Callable[[str, str, str], Path], file: str, old: str, new: str, said: str
) -> None:
    with pytest.raises(CatalogError, match=said):
        read_vocabulary(spoiled(file, old, new), catalog.accelerators)


@pytest.mark.parametrize("stated", [180, 192, 179.1, 183])
def test_one_memory_has_many_spellings(catalog: Catalog, stated: float) -> None:
    assert catalog.resolve("B200", memory_gb=stated).key == "b200-sxm-180gb"


def test_the_tolerance_ends_where_the_next_size_begins(catalog: Catalog) -> None:
    largest = catalog.accelerator("h100-nvl-94gb").usable_gib
    assert catalog.resolve("H100 NVL", memory_gb=largest * (1 - MEMORY_TOLERANCE) * 0.99).key is None
