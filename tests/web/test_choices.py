"""The picture of hours against cost shows what one may choose, and counts what lies far outside."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from app.market.query import OfferQuery
from app.market.service import Market
from app.market.units import Units
from app.web.choices import REACH, ChoicesView, choices_view
from tests.market.samples import market_of, offer

RUN = OfferQuery.parse("model=llama-3.1-8b&tokens=10000000")
EURO = replace(Units(), currency="EUR", usd_per_unit=2.0)


def view_of(market: Market, units: Units | None = None) -> ChoicesView:
    view = choices_view(market, RUN, units)
    assert view is not None
    return view


@pytest.fixture(scope="module")
def near_and_far() -> Market:
    near = [offer(number, region=f"r{number}", price_usd_per_hour=40.0 + number) for number in range(1, 6)]
    far = [
        offer(
            number, region=f"r{number}", purchase_option="reserved", term_months=36, price_usd_per_hour=30.0
        )
        for number in (6, 7)
    ]
    return market_of(*near, *far)


def test_what_costs_far_more_than_the_front_is_counted_and_not_drawn(near_and_far: Market) -> None:
    view = view_of(near_and_far)
    dearest = max(pick.total for pick in view.front)
    assert (view.compared, view.plot.outside) == (7, 2)
    assert view.plot.total == pytest.approx(REACH * dearest)
    ticks = re.findall(r'class="tick end"[^>]*>([^<]+)<', str(view.plot.drawn))
    assert ticks
    assert all(float(tick.rstrip("k")) <= 2 * view.plot.total for tick in ticks)
    assert not any(tick.endswith(("k", "M")) for tick in ticks)


def test_in_another_currency_the_same_offers_are_outside(near_and_far: Market) -> None:
    dollars, euros = view_of(near_and_far), view_of(near_and_far, EURO)
    assert dollars.plot.outside == euros.plot.outside
    assert euros.plot.total == pytest.approx(dollars.plot.total / 2)
    assert euros.plot.hours == pytest.approx(dollars.plot.hours)


def test_where_all_is_near_nothing_is_left_out() -> None:
    assert view_of(market_of(offer(1), offer(2, price_usd_per_hour=60.0))).plot.outside == 0
