"""The lesson on billing: whole steps, one bill from the table, stated terms counted."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.market.lessons import lesson
from app.market.lessons.billing import SHORT_S, BillingLesson, billed_seconds, terms_on_board
from app.market.overview import by_accelerator
from app.market.query import OfferQuery
from app.market.service import Market
from tests.market.samples import market_of


@pytest.fixture
def told(market: Market) -> BillingLesson:
    found = lesson(market, "billing")
    assert isinstance(found, BillingLesson)
    return found


@given(st.integers(1, 100_000), st.sampled_from([1, 6, 60, 120, 3600]))
def test_time_is_billed_in_whole_steps(seconds: int, step: int) -> None:
    assert billed_seconds(float(seconds), float(step)) == pytest.approx(math.ceil(seconds / step) * step)


def test_each_step_charges_the_same_price_for_what_it_bills(told: BillingLesson, market: Market) -> None:
    assert told.usd_per_hour == by_accelerator(market.board)["h100-sxm5-80gb"].median_on_demand
    for row in told.rows:
        if row.increment_s is None:
            assert row.billed_s is None
            assert row.usd is None
        else:
            assert row.billed_s == pytest.approx(math.ceil(SHORT_S / row.increment_s) * row.increment_s)
            assert row.usd == pytest.approx(told.usd_per_hour * row.billed_s / 3600)  # type: ignore[operator]


def test_providers_are_sorted_into_the_steps_that_they_state(told: BillingLesson, market: Market) -> None:
    assert sorted(name for row in told.rows for name in row.providers) == sorted(
        market.catalog.provider_name(terms.provider) for terms in terms_on_board(market)
    )
    by_step = {row.increment_s: row.providers for row in told.rows}
    assert by_step[60.0] == ("Lambda",)
    assert sum(row.basis.n for row in told.rows) == len(market.board)


def test_the_bill_is_that_of_the_first_row_of_the_table(told: BillingLesson, market: Market) -> None:
    page = market.list_offers(OfferQuery.parse(f"{told.run_query}&purchase_option=on_demand&flagged=0"))
    assert told.example == page.rows[0].record
    assert told.bill is not None
    assert told.bill.total_usd == pytest.approx(page.rows[0]["total_usd"])
    parts = (told.bill.compute_usd, told.bill.interruption_usd, told.bill.idle_usd, told.bill.storage_usd)
    assert sum(parts) + told.bill.egress_usd == pytest.approx(told.bill.total_usd)


def test_only_stated_terms_are_counted(told: BillingLesson) -> None:
    assert 0 < told.storage.known < told.storage.providers
    assert told.storage.low is not None


def test_without_offers_no_price_is_made_up() -> None:
    told = lesson(market_of(), "billing")
    assert (told.usd_per_hour, told.rows, told.bill, told.storage.low) == (None, (), None, None)
