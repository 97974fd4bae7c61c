"""Rent or buy: the worked example of the reference, and laws of break-even."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.errors import BadInput
from app.training.rent_or_buy import Ownership, compare, ownership_of
from tests.training.clusters import H100, RTX_4090

EXAMPLE = Ownership(price_usd=35_000, kilowatts=1.28, host_share=0.0, usd_per_kwh=0.10, pue=1.3)


def test_the_worked_example_costs_about_1_92_an_hour_of_use() -> None:
    found = compare(EXAMPLE, 2.50, 0.7)
    assert found.depreciation_usd == pytest.approx(1.21, abs=0.01)
    assert found.capital_usd == pytest.approx(0.23, abs=0.01)
    assert found.upkeep_usd == pytest.approx(0.29, abs=0.01)
    assert found.own_usd_per_hour == pytest.approx(1.92, abs=0.02)
    assert found.break_even_months is not None and 27 < found.break_even_months < 36
    assert "pays back after" in str(found.why)


def test_at_a_quarter_of_use_renting_wins() -> None:
    found = compare(EXAMPLE, 2.50, 0.25)
    assert 4.5 < found.own_usd_per_hour < 5.6
    assert found.own_usd_per_hour > found.rent_usd_per_hour


@given(rent=st.floats(0.1, 20), use=st.floats(0.05, 1.0), more=st.floats(1.0, 3.0))
@settings(deadline=None)
def test_dearer_rent_never_pays_back_later(rent: float, use: float, more: float) -> None:
    cheap, dear = (
        compare(EXAMPLE, rent, use).break_even_months,
        compare(EXAMPLE, rent * more, use).break_even_months,
    )
    assert cheap is None or (dear is not None and dear <= cheap + 1e-9)


@given(rent=st.floats(0.1, 20), price=st.floats(500, 60_000))
@settings(deadline=None)
def test_at_the_break_even_utilisation_owning_costs_what_renting_does(rent: float, price: float) -> None:
    own = replace(EXAMPLE, price_usd=price)
    share = compare(own, rent, 0.5).break_even_utilisation
    if share is not None:
        assert compare(own, rent, share).own_usd_per_hour == pytest.approx(rent, rel=1e-6)


def test_rent_below_the_power_bill_never_pays_back() -> None:
    found = compare(EXAMPLE, 0.05, 1.0)
    assert found.break_even_months is None and found.break_even_utilisation is None
    assert "never pays back" in str(found.why)


def test_a_desktop_card_brings_its_host_share_and_a_board_more_than_its_chips() -> None:
    assert (
        ownership_of(replace(RTX_4090, tier="consumer", tdp_watts=450.0, purchase_usd=1800.0)).kilowatts
        == 0.55
    )
    assert ownership_of(replace(H100, tdp_watts=700.0), 30_000).kilowatts > 1.0


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"price_usd": -1.0}, "purchase_usd"),
        ({"years": 0.0}, "years"),
        ({"pue": 0.5}, "pue"),
        ({"residual": 2.0}, "residual"),
    ],
)
def test_figures_out_of_range_are_named(change: dict[str, float], field: str) -> None:
    with pytest.raises(BadInput) as caught:
        compare(replace(EXAMPLE, **change), 2.0, 0.5)
    assert caught.value.field == field


def test_no_use_at_all_is_refused() -> None:
    with pytest.raises(BadInput, match="utilisation"):
        compare(EXAMPLE, 2.0, 0.0)


def test_an_unknown_purchase_price_has_to_be_given() -> None:
    with pytest.raises(BadInput, match="purchase_usd"):
        ownership_of(replace(H100, tdp_watts=700.0))
