"""Laws of the price index."""

from __future__ import annotations

import math
from datetime import date, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.market.price_index import Link, Quote, Step, chain, links

GROUP = ("h100-sxm5-80gb", "on_demand")
PRICES = st.floats(0.01, 1e4)
DAY = date(2026, 11, 1)


def quote(offer: str, price: float | None, provider: str = "a", **changes: object) -> Quote:
    plain = Quote(offer, "source", provider, *GROUP, price, "USD", price)
    return plain._replace(**changes)


@st.composite
def markets(draw: st.DrawFn) -> tuple[list[Quote], list[Quote]]:
    """The same offers on two days."""
    told = draw(st.lists(st.tuples(st.sampled_from("abc"), PRICES, PRICES), min_size=1, max_size=12))
    before = [quote(f"{n}", old, provider) for n, (provider, old, _) in enumerate(told)]
    after = [quote(f"{n}", new, provider) for n, (provider, _, new) in enumerate(told)]
    return before, after


def index(*days: list[Quote]) -> float:
    """The index of the last of some days."""
    steps = [Step(DAY, None)]
    for number, (before, after) in enumerate(pairwise(days), 1):
        steps.append(Step(DAY + timedelta(days=number), links(before, after).get(GROUP)))
    return chain(steps)[-1].value


@given(markets(), PRICES, PRICES)
def test_an_offer_that_enters_or_leaves_does_not_move_it(
    market: tuple[list[Quote], list[Quote]], entering: float, leaving: float
) -> None:
    before, after = market
    told = index([*before, quote("gone", leaving, "x")], [*after, quote("new", entering, "y")])
    assert told == pytest.approx(index(before, after))


@given(markets(), st.floats(0.1, 10))
def test_all_prices_times_k_moves_it_by_k(market: tuple[list[Quote], list[Quote]], k: float) -> None:
    before, _ = market
    after = [one._replace(native=(one.native or 0) * k, usd=(one.usd or 0) * k) for one in before]
    assert index(before, after) == pytest.approx(100 * k)


@given(markets(), st.floats(0.1, 10))
def test_another_unit_of_money_changes_nothing(market: tuple[list[Quote], list[Quote]], k: float) -> None:
    scaled = [[one._replace(native=(one.native or 0) * k) for one in day] for day in market]
    assert index(*scaled) == pytest.approx(index(*market))


@given(markets())
def test_there_and_back_is_where_it_began(market: tuple[list[Quote], list[Quote]]) -> None:
    before, after = market
    assert index(before, after, before) == pytest.approx(100)


def test_a_provider_counts_once_however_many_regions_it_has() -> None:
    before = [quote(f"r{n}", 1.0, "large") for n in range(9)] + [quote("one", 1.0, "small")]
    after = [quote(f"r{n}", 1.0, "large") for n in range(9)] + [quote("one", 4.0, "small")]
    link = links(before, after)[GROUP]
    assert (math.exp(link.log_change), link.offers, link.providers) == (pytest.approx(2.0), 10, 2)


def test_an_exchange_rate_alone_does_not_move_it() -> None:
    before = [quote("a", 2.0, currency="EUR", usd=2.2)]
    assert index(before, [quote("a", 2.0, currency="EUR", usd=2.4)]) == 100
    assert index(before, [quote("a", 2.42, currency="USD", usd=2.42)]) == pytest.approx(110)


def test_another_source_or_an_unknown_price_is_no_match() -> None:
    assert links([quote("a", 1.0)], [quote("a", 2.0, via="other")]) == {}
    assert links([quote("a", None)], [quote("a", 2.0)]) == {}
    assert links([quote("a", 1.0)], [quote("a", None)]) == {}


def test_where_nothing_links_two_days_it_begins_anew() -> None:
    steps = [
        Step(DAY, None),
        Step(DAY + timedelta(days=1), Link(math.log(2), 1, 1)),
        Step(DAY + timedelta(days=30), None),
        Step(DAY + timedelta(days=31), Link(math.log(1.1), 3, 2)),
    ]
    points = chain(steps)
    assert [(point.day.day, round(point.value, 6), point.offers) for point in points] == [
        (1, 100, 0),
        (2, 110, 3),
    ]
    assert chain([]) == []


def test_a_last_day_that_nothing_links_leaves_the_stretch_before_it() -> None:
    steps = [
        Step(DAY, None),
        Step(DAY + timedelta(days=1), Link(0.0, 1, 1)),
        Step(DAY + timedelta(days=9), None),
    ]
    assert [point.day.day for point in chain(steps)] == [1, 2]
