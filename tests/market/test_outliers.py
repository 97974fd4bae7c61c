"""Prices beside everybody else's."""

from __future__ import annotations

from datetime import timedelta
from statistics import median

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.offer_table import OfferTable
from app.domain.record import OfferRecord
from app.market import outliers
from app.market.outliers import group_medians, usual_prices
from tests.db.test_merge import ONE
from tests.scraped import NOON


def at(provider: str, per_accelerator: float | None, **changes: object) -> OfferRecord:
    price = None if per_accelerator is None else per_accelerator * 8
    return msgspec.structs.replace(ONE, provider=provider, price_usd_per_hour=price, **changes)


def flag_outliers(records: list[OfferRecord]) -> list[OfferRecord]:
    return outliers.flag_outliers(OfferTable.of(records)).records()


USUAL = [at("a", 2.0), at("b", 2.5), at("c", 3.0)]


@pytest.mark.parametrize(("price", "flagged"), [(0.56, True), (0.57, False), (10.99, False), (11.01, True)])
def test_price_beyond_four_times_the_median_is_flagged(price: float, flagged: bool) -> None:
    """The median of four providers lies between the two in the middle: 2.25 with a low price, 2.75 with a high one."""
    *_, last = flag_outliers([*USUAL, at("d", price)])
    assert last.flags == (("price_outlier",) if flagged else ())


def test_one_large_list_does_not_outvote_three_providers() -> None:
    crowd = [at("a", 100.0)] * 1000
    assert set(usual_prices(OfferTable.of([*crowd, at("b", 2.0), at("c", 2.2)])).tolist()) == {2.2}


@given(st.lists(st.tuples(st.integers(0, 3), st.floats(0, 9)), min_size=1))
def test_medians_of_groups_are_those_of_each_alone(told: list[tuple[int, float]]) -> None:
    groups: dict[int, list[float]] = {}
    for group, value in told:
        groups.setdefault(group, []).append(value)
    number = {group: index for index, group in enumerate(groups)}
    found = group_medians(
        np.array([number[group] for group, _ in told]), np.array([value for _, value in told])
    )
    assert found.tolist() == pytest.approx([median(values) for values in groups.values()])


def test_two_providers_make_no_median_and_only_the_impossible_is_flagged() -> None:
    flagged = flag_outliers([at("a", 2.0), at("b", 20.0), at("b", 0.001), at("b", 61.0)])
    assert [record.flags for record in flagged] == [(), (), ("price_implausible",), ("price_implausible",)]


def test_spot_is_compared_with_spot() -> None:
    spot = [at(name, 0.4, purchase_option="spot") for name in "abc"]
    assert all(record.flags == () for record in flag_outliers([*USUAL, *spot]))


def test_spot_and_commitments_are_compared_with_on_demand_whoever_told_of_it() -> None:
    told = {
        "usual": at("a", 2.0, source="List"),
        "spot": at("a", 2.0, purchase_option="spot", source="Spot feed"),
        "low": at("a", 2.1, purchase_option="spot", tier="low-priority"),
        "cheap": at("a", 1.9, purchase_option="spot"),
        "year": at("a", 2.1, purchase_option="reserved", term_months=12),
        "same": at("a", 2.0, purchase_option="savings_plan", term_months=12),
        "elsewhere": at("a", 2.1, purchase_option="spot", region="eu"),
        "unpriced": at("a", None, purchase_option="spot"),
    }
    flagged = dict(zip(told, (record.flags for record in flag_outliers(list(told.values()))), strict=True))
    assert {name: flags for name, flags in flagged.items() if flags} == {
        "spot": ("spot_above_on_demand",),
        "low": ("spot_above_on_demand",),
        "year": ("reserved_above_on_demand",),
    }


def test_unpriced_and_slices_are_left_alone_and_the_order_stays() -> None:
    records = [*USUAL, at("d", None), at("e", 99.0, accelerator_status="slice"), at("f", 99.0)]
    flagged = flag_outliers(records)
    assert [record.provider for record in flagged] == list("abcdef")
    assert [record.flags for record in flagged] == [(), (), (), (), (), ("price_outlier",)]


def test_a_price_on_a_rate_older_than_a_week_is_noted_and_not_doubted() -> None:
    day = NOON.date()
    kept = [at("a", 2.0, rate_date=day - timedelta(days=days)) for days in (0, 7, 8)]
    judged = flag_outliers([*kept, at("a", 2.0)])
    assert [record.notes for record in judged] == [(), (), ("rate_is_old",), ()]
    assert [record.flags for record in judged] == [()] * 4
