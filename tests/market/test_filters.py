"""Filters: grammar, masks, and what must never pass."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.catalog import load_catalog
from app.domain.errors import BadInput
from app.market import board
from app.market.filters import PARAMETERS, parse_filters
from app.market.frame import Frame
from app.market.interval import parse_number, show_number
from tests.market.samples import NOW, offer


def passing(records: list[Any], *, catalog: bool = False, **params: str | list[str]) -> list[int]:
    """Numbers of the offers that pass the filters."""
    frame = Frame(board.build(records, load_catalog() if catalog else None, "1"))
    given = {name: [value] if isinstance(value, str) else value for name, value in params.items()}
    kept = set(range(len(frame.board)))
    for item in parse_filters(given):
        kept &= set(item.mask(frame, NOW).nonzero()[0].tolist())
    return sorted(int(frame.board.records[row].id, 16) for row in kept)


def test_equals_four_matches_four_and_not_sixty_four() -> None:
    """Behaviour U02."""
    rows = [
        offer(4, accelerator_count=4),
        offer(64, accelerator_count=64),
        offer(1024, accelerator_count=1024),
    ]
    assert passing(rows, accelerator_count="=4") == [4]
    assert passing(rows, accelerator_count="4") == [4]
    assert passing(rows, accelerator_count="4,1024") == [4, 1024]


def test_a_third_of_a_card_is_found_however_it_is_rounded() -> None:
    rows = [offer(1, accelerator_count=1 / 3), offer(2, accelerator_count=0.25)]
    assert passing(rows, accelerator_count="0.333") == [1]


def test_a_vendor_16_gb_card_passes_a_bound_of_16() -> None:
    """Behaviour U09."""
    rows = [offer(1, memory_gib_per_accelerator=15258 / 1024), offer(2, memory_gib_per_accelerator=12.0)]
    assert passing(rows, memory_gib_min="16") == [1]
    assert passing(rows, memory_gib="16") == [1]


def test_a_bound_on_host_memory_leaves_out_less_and_unknown() -> None:
    """Behaviour U08."""
    rows = [offer(1, ram_gib=32), offer(2, ram_gib=None), offer(3, ram_gib=64)]
    assert passing(rows, ram_gib_min="64") == [3]


def test_an_unknown_price_passes_no_bound_and_is_found_as_unknown() -> None:
    rows = [offer(1, price_usd_per_hour=None), offer(2, price_usd_per_hour=3.0)]
    assert passing(rows, price_max="1e6") == [2]
    assert passing(rows, price_min="0") == [2]
    assert passing(rows, price="unknown") == [1]


def test_a_range_may_be_open_at_one_end() -> None:
    rows = [offer(1, price_usd_per_hour=3.0), offer(2, price_usd_per_hour=5.0)]
    assert passing(rows, price="..4") == [1]
    assert passing(rows, price="4..") == [2]


def test_full_and_short_names_mean_the_same_filter() -> None:
    rows = [offer(1, price_usd_per_hour=3.0), offer(2, price_usd_per_hour=5.0)]
    assert passing(rows, price_max="4") == passing(rows, price_usd_per_hour_max="4") == [1]


def test_count_minimum_zero_lets_everything_through_and_zero_to_zero_nothing() -> None:
    """Behaviour U07."""
    rows = [offer(1), offer(2, accelerator_count=0.125)]
    assert passing(rows, accelerator_count_min="0") == [1, 2]
    assert passing(rows, accelerator_count_min="0", accelerator_count_max="0") == []


def test_choices_are_lists_by_repetition_or_comma_and_ignore_case() -> None:
    rows = [offer(1), offer(2, provider="gcp"), offer(3, provider="azure")]
    assert passing(rows, provider=["aws", "gcp"]) == passing(rows, provider="AWS,gcp") == [1, 2]
    assert passing(rows, provider="!aws") == [2, 3]


def test_regions_with_a_comma_in_their_name_can_be_chosen() -> None:
    rows = [offer(1, region="Quebec, CA"), offer(2, region="CA")]
    assert passing(rows, region="Quebec, CA") == [1]


@pytest.mark.parametrize(
    "link, found", [("nvlink", [1, 2]), ("nvswitch", [1]), ("nvlink4+nvswitch", [1]), ("pcie", [3])]
)
def test_links_are_found_by_kind_and_by_family(link: str, found: list[int]) -> None:
    rows = [offer(1), offer(2, intra_node_link="nvlink-bridge-2way"), offer(3, intra_node_link="pcie4")]
    assert passing(rows, intra_node_link=link) == found


def test_a_market_area_is_a_filter_and_a_country_of_several_finds_them_all() -> None:
    rows = [offer(1), offer(2, region="us-west-2"), offer(3, region="eu-central-1", country="DE"),
            offer(4, region="mars-1", country=None)]  # fmt: skip
    assert passing(rows, catalog=True, area="US East") == passing(rows, catalog=True, area="us east") == [1]
    assert passing(rows, catalog=True, area="us") == [1, 2]
    assert passing(rows, catalog=True, area="unknown") == [4]


def test_unknown_fabric_is_left_out_only_by_asking_for_a_proven_one() -> None:
    """Behaviour N05."""
    rows = [offer(1, fabric=None, fabric_gbps=None), offer(2)]
    assert passing(rows) == [1, 2]
    assert passing(rows, fabric_gbps_min="100") == [2]
    assert passing(rows, fabric="unknown") == [1]
    assert passing(rows, fabric="!efa") == [1]


def test_a_model_name_finds_every_form_factor_and_never_a_slice_or_another_card() -> None:
    rows = [
        offer(1),
        offer(2, accelerator="h100-nvl-94gb"),
        offer(3, accelerator="gh200-96gb"),
        offer(4, accelerator="h100-sxm5-80gb", accelerator_status="slice", accelerator_count=0.5),
        offer(
            5,
            accelerator=None,
            accelerator_status="ambiguous",
            candidates=("h100-pcie-80gb", "h100-sxm5-80gb"),
        ),
        offer(6, accelerator="rtx-4090-d-24gb"),
        offer(7, accelerator="rtx-4090-24gb"),
    ]
    assert passing(rows, accelerator="h100") == [1, 2, 5]
    assert passing(rows, accelerator="h100-sxm5-80gb") == [1]
    assert passing(rows, accelerator="slice") == [4]
    assert passing(rows, accelerator="rtx-4090") == [7]


def test_age_counts_from_now() -> None:
    rows = [offer(1), offer(2, observed_at=NOW.replace(month=10))]
    assert passing(rows, max_age_days="7") == [1]
    assert passing(rows, max_age_days="365") == [1, 2]


def test_flags_are_yes_or_no() -> None:
    rows = [offer(1), offer(2, flags=("spot_above_on_demand",))]
    assert passing(rows, flagged="1") == [2]
    assert passing(rows, flagged="no") == [1]


@pytest.mark.parametrize(
    "parameter, value",
    [
        ("price_max", "cheap"),
        ("price_max", "nan"),
        ("price_max", "inf"),
        ("price", ">"),
        ("price", "1..x"),
        ("price", "8..4"),
        ("price", ".."),
        ("accelerator_count", "4x"),
        ("accelerator_count", ","),
        ("purchase_option", "rent"),
        ("flagged", "maybe"),
        ("max_age_days", "a week"),
        ("provider", ",,"),
        ("memory_gib_min", "١٦"),
    ],
)
def test_text_that_makes_no_sense_is_an_error_that_names_the_parameter(parameter: str, value: str) -> None:
    """Behaviour U15."""
    with pytest.raises(BadInput) as caught:
        parse_filters({parameter: [value]})
    assert caught.value.field == parameter


@pytest.mark.parametrize(
    "parameter, value",
    [
        ("price_max", "-5"), ("price_min", "-0.01"), ("price", "-3"), ("price", "<-1"), ("price", "-2..4"), ("price", "..-1"),
        ("memory_gib_min", "-1"), ("total_usd_max", "-1"), ("max_age_days", "-1"),
    ],
)  # fmt: skip
def test_a_bound_below_zero_of_what_is_never_below_zero_is_an_error(parameter: str, value: str) -> None:
    with pytest.raises(BadInput, match="below zero") as caught:
        parse_filters({parameter: [value]})
    assert caught.value.field == parameter


def test_a_fall_in_price_and_a_missing_headroom_can_be_asked_for() -> None:
    rows = [offer(1, previous_price_usd_per_hour=100.0, price_usd_per_hour=50.0), offer(2)]
    assert passing(rows, price_change_max="-0.1") == [1]
    assert parse_filters({"headroom_gib_max": ["-1"]})


def test_a_lower_bound_above_the_upper_one_is_an_error() -> None:
    with pytest.raises(BadInput, match="price_max"):
        parse_filters({"price_min": ["5"], "price_max": ["4"]})


@given(st.sampled_from(sorted(PARAMETERS)), st.text(max_size=30))
def test_any_text_is_a_filter_or_a_clean_error(parameter: str, value: str) -> None:
    try:
        filters = parse_filters({parameter: [value]})
    except BadInput as error:
        assert error.field
        return
    assert (not filters) == (not value.strip())
    again = parse_filters({item.parameter: item.values for item in filters})
    assert again == filters


@given(st.floats(min_value=0, max_value=1e12))
def test_numbers_are_shown_so_that_they_read_back_the_same(value: float) -> None:
    assert parse_number("x", show_number(value)) == value


@pytest.mark.parametrize(
    ("parameter", "text", "values"),
    [
        ("price_max", "1,000", ("1000",)), ("price", "<1,500.5", ("<1500.5",)), ("accelerator_count", "1,000", ("1000",)),
        ("accelerator_count", "1,2,4", ("1", "2", "4")), ("ram_gib", "256,512", ("256", "512")), ("price_max", "1.500", ("1.5",)),
    ],
)  # fmt: skip
def test_a_comma_before_three_digits_parts_thousands_where_no_list_can_be_meant(
    parameter: str, text: str, values: tuple[str, ...]
) -> None:
    assert [item.values for item in parse_filters({parameter: [text]})] == [values]


@pytest.mark.parametrize(
    ("parameter", "text"),
    [("price_max", "2,5"), ("price", "<2,5"), ("price", "2,5"), ("price_min", "1.500.000")],
)
def test_a_decimal_comma_is_refused_with_the_way_to_write_it(parameter: str, text: str) -> None:
    with pytest.raises(BadInput, match=r"write '[^,]*'") as caught:
        parse_filters({parameter: [text]})
    assert caught.value.field == parameter
