"""Columns: declared once, complete, and the wider names that filters know."""

from __future__ import annotations

import pytest

from app.catalog import load_catalog
from app.domain.errors import UnknownParameter
from app.market.column import GROUPS, accelerator_family, link_family
from app.market.columns import BY_NAME, COLUMNS, column_named, default_columns


def test_every_column_says_what_it_is() -> None:
    for column in COLUMNS:
        assert column.label and column.help.endswith("."), column.name
        assert column.group in GROUPS
        assert column.group == "run" if column.needs_run else column.value is not None


def test_what_the_interface_promises_is_a_column() -> None:
    promised = (
        "id provider instance_type accelerator accelerator_count memory_gib_per_accelerator region country"
    )
    promised += " purchase_option price_usd_per_hour price_usd_per_accelerator_hour intra_node_link fabric observed_at"
    promised += " source verdict why plan headroom_gib tokens_per_s hours total_usd"
    assert set(promised.split()) <= set(BY_NAME)


def test_a_unit_stands_where_a_number_has_one() -> None:
    for name, unit in {
        "price_usd_per_hour": "USD/h",
        "ram_gib": "GiB",
        "fabric_gbps": "Gb/s",
        "hours": "h",
    }.items():
        assert BY_NAME[name].unit == unit


def test_columns_of_a_run_are_shown_with_one_only() -> None:
    assert not any(column.needs_run for column in default_columns(False))
    assert {"plan", "total_usd"} <= {column.name for column in default_columns(True)}


def test_a_column_is_found_by_either_name_or_refused_by_name() -> None:
    assert column_named("price", "sort") is column_named("price_usd_per_hour", "sort")
    with pytest.raises(UnknownParameter, match="colour"):
        column_named("colour", "sort")


@pytest.mark.parametrize(
    "key, wider",
    [
        ("h100-sxm5-80gb", "h100"),
        ("h100-nvl-94gb", "h100"),
        ("gh200-96gb", "gh200"),
        ("rtx-4090-24gb", "rtx-4090"),
        ("rtx-4090-d-24gb", "rtx-4090-d"),
        ("rtx-4070-ti-super-16gb", "rtx-4070-ti-super"),
        ("rtx-6000-ada-48gb", "rtx-6000-ada"),
        ("l40s-48gb", "l40s"),
        ("tpu-v5e", "tpu-v5e"),
    ],
)
def test_a_model_name_never_swallows_another_card(key: str, wider: str) -> None:
    assert accelerator_family(key)[-1] == wider


def test_families_join_only_variants_of_one_model() -> None:
    families: dict[str, set[str]] = {}
    for card in load_catalog().accelerators.values():
        families.setdefault(accelerator_family(card.key)[-1], set()).add(card.architecture)
    assert {name: found for name, found in families.items() if len(found) > 1} == {}


@pytest.mark.parametrize(
    "kind, family",
    [("nvlink5+nvswitch", "nvlink"), ("pcie5", "pcie"), ("infiniband-ndr", "infiniband"), ("efa", "efa")],
)
def test_links_have_a_family(kind: str, family: str) -> None:
    assert family in link_family(kind)
