"""Instance types: the table and the providers' ways of naming."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from app.catalog import Catalog
from app.catalog.instances import read_instances
from app.domain.errors import CatalogError


def test_types_are_found_whatever_their_case_and_separator(catalog: Catalog) -> None:
    instances = catalog.instances
    assert instances.topology("aws", "P5.48xlarge") is instances.topology("aws", "p5.48xlarge") is not None
    assert instances.topology("azure", "nd96isr_h100_v5") is not None
    assert instances.topology("nebius", "gpu-h100-sxm_8gpu-128vcpu-1600gb") is not None


def test_a_type_of_one_provider_is_not_anothers(catalog: Catalog) -> None:
    assert catalog.instances.topology("paperspace", "A4000") is not None
    assert catalog.instances.topology("aws", "A4000") is None


def test_a_pattern_row_gives_the_card_and_leaves_the_count(catalog: Catalog) -> None:
    found = catalog.resolve("", "gcp", "n1-standard-8+nvidia-tesla-t4", count=2)
    assert (found.key, found.count) == ("t4-16gb", 2)


def test_every_link_of_the_table_is_one_that_formulas_know(catalog: Catalog) -> None:
    known = ("none", "nvlink", "pcie", "infinity-fabric", "ici", "neuronlink", "roce-on-chip")
    for row in catalog.instances.topologies:
        assert (row.link or "").startswith(known), row
        if row.count <= 1:
            assert row.link == "none", row


def test_the_table_and_the_ways_of_naming_agree(catalog: Catalog) -> None:
    agreed = 0
    for row in catalog.instances.topologies:
        named = catalog.instances.named(row.provider, row.instance_type)
        if named is None or row.is_pattern:
            continue
        answers = [catalog.resolve(name, row.provider) for name in named.names]
        assert any(row.accelerator in (a.key, *a.candidates) for a in answers), (
            row.instance_type,
            named.names,
        )
        if named.count is not None:
            assert named.count == pytest.approx(row.count, rel=0.21), row.instance_type
        agreed += 1
    assert agreed > 200


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("topology.csv", "aws,p2.8xlarge", "aws,P2.xlarge", "column instance_type: is there twice"),
        ("topology.csv", "h100-sxm5-80gb,8", "h100-sxm6-80gb,8", "column accelerator"),
        ("topology.csv", "pcie3,32,,,ethernet,10", ",32,,,ethernet,10", "column link: must be given"),
        ("instance_rules.csv", "p2\\..*", "p2\\..*(", "column pattern"),
        (
            "instance_rules.csv",
            "ovh,l4-\\d+,L4,",
            "ovh,l4-\\d+,{name},",
            "column reads_as: uses the group 'name'",
        ),
        ("instance_rules.csv", "NVIDIA A10,36,", "NVIDIA A10,,", "column units_per_card"),
    ],
)
def test_a_malformed_row_is_refused(
    catalog: Catalog, spoiled: Callable[[str, str, str], Path], file: str, old: str, new: str, said: str
) -> None:
    with pytest.raises(CatalogError, match=rf"{file}, line \d+, {said}"):
        read_instances(spoiled(file, old, new), catalog.accelerators)
