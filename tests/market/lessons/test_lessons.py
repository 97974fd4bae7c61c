"""All lessons: figures lead to the offers that they rest on, are kept for one board, and are not made up without one."""

from __future__ import annotations

import pytest

from app.domain.errors import NotFound
from app.market.lessons import LESSONS, lesson
from app.market.query import OfferQuery
from app.market.service import Market
from tests.market.lessons.offers import bases, lesson_market
from tests.market.samples import market_of


@pytest.mark.parametrize("slug", LESSONS)
def test_every_figure_counts_the_offers_that_its_link_opens(market: Market, slug: str) -> None:
    for basis in bases(lesson(market, slug)):
        page = market.list_offers(OfferQuery.parse(basis.query))
        assert page.total == basis.n, basis.query
        seen = [row.record.observed_at for row in page.rows]
        assert basis.oldest == min(seen, default=None)
        assert basis.newest == max(seen, default=None)


def test_every_lesson_but_the_one_of_single_offers_counts_some(market: Market) -> None:
    counting = {slug for slug in LESSONS if any(basis.n for basis in bases(lesson(market, slug)))}
    assert counting == set(LESSONS) - {"benchmark"}


@pytest.mark.parametrize("slug", LESSONS)
def test_without_offers_a_lesson_answers_and_counts_nothing(slug: str) -> None:
    assert not any(basis.n for basis in bases(lesson(market_of(), slug)))


def test_a_lesson_is_kept_until_the_board_changes() -> None:
    market = lesson_market()
    first = lesson(market, "billing")
    assert lesson(market, "billing") is first
    market.holder.swap(lesson_market().board)
    assert lesson(market, "billing") is not first


def test_an_unknown_lesson_is_not_found(market: Market) -> None:
    with pytest.raises(NotFound):
        lesson(market, "alchemy")
