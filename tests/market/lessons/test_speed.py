"""Lessons on speed: the roofline by the data sheet, candidates and corrections as the table tells them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.market.lessons import lesson
from app.market.lessons.speed import BenchmarkLesson, BoundLesson, intensity, ridge_of
from app.market.query import OfferQuery
from app.market.service import Market
from tests.market.lessons.offers import on
from tests.market.samples import market_of


@given(st.integers(1, 100_000), st.integers(64, 16_384))
def test_intensity_rises_with_tokens_up_to_half_the_width(tokens: int, width: int) -> None:
    assert intensity(tokens, width) < intensity(tokens + 1, width) < width / 2
    assert intensity(1, width) < 1


def test_the_ridge_is_peak_over_bandwidth(market: Market) -> None:
    told = lesson(market, "bound")
    assert isinstance(told, BoundLesson)
    card = next(card for card in told.cards if card.key == "h100-sxm5-80gb")
    assert card.ridge == pytest.approx(card.tflops * 1000 / card.gbytes_per_s)
    assert ridge_of(market.catalog.accelerator("p40-24gb")) is None
    peaks = [card.tflops for card in told.compared]
    assert peaks == sorted(peaks)
    for row in told.products:
        assert row.shares == tuple(min(1.0, row.intensity / card.ridge) for card in told.compared)


def test_bound_and_shares_are_those_of_the_run_alone_on_the_card(market: Market) -> None:
    told = lesson(market, "bound")
    for card in told.cards:
        if card.bound is None:
            continue
        record = next(
            r for r in market.board.records if r.accelerator == card.key and r.accelerator_count == 1
        )
        answer = on(market, f"1× {record.accelerator_label}", model="llama-3.1-8b", method="qlora")
        assert card.bound == answer.bound
        assert card.compute is not None
        assert card.memory is not None
        assert 0.9 < card.compute + card.memory <= 1.0001
    assert any(card.bound for card in told.cards)


def test_candidates_are_the_first_of_each_accelerator_in_the_table(market: Market) -> None:
    told = lesson(market, "benchmark")
    assert isinstance(told, BenchmarkLesson)
    page = market.list_offers(OfferQuery.parse(f"{told.run_query}&purchase_option=on_demand&flagged=0"))
    first: dict[str | None, str] = {}
    for row in page.rows:
        first.setdefault(row.record.accelerator, row.id)
    assert [row.record.id for row in told.candidates] == list(first.values())
    for candidate in told.candidates:
        assert candidate.low_usd <= candidate.total_usd <= candidate.high_usd
        assert candidate.low_tokens_per_s < candidate.tokens_per_s < candidate.high_tokens_per_s
        assert candidate.ten_minutes_usd == pytest.approx(candidate.record.price_usd_per_hour / 6)  # type: ignore[operator]


def test_a_slower_trial_costs_more_as_the_table_says_after_it(market: Market) -> None:
    found = lesson(market, "benchmark").corrected
    assert found is not None
    assert found.after.total_usd > found.before.total_usd
    page = market.list_offers(OfferQuery.parse(f"{found.query}&show_hidden=1"))
    row = next(row for row in page.rows if row.id == found.record.id)
    assert row["total_usd"] == pytest.approx(found.after.total_usd)
    assert row["tokens_per_s"] == pytest.approx(found.measured_tokens_per_s, rel=1e-3)


def test_without_offers_there_are_no_cards_and_no_candidates() -> None:
    empty = market_of()
    assert lesson(empty, "bound").cards == lesson(empty, "bound").compared == ()
    assert (lesson(empty, "benchmark").candidates, lesson(empty, "benchmark").corrected) == ((), None)
