"""Owning as the page beside tells it; the figures of the questions are counts of the board."""

from __future__ import annotations

import pytest

from app.market.lessons import lesson
from app.market.lessons.owning import FaqLesson, OwnLesson
from app.market.query import OfferQuery
from app.market.rent_or_buy import PurchaseCase, decide
from app.market.service import Market
from tests.market.samples import market_of


def test_each_row_is_the_decision_of_the_page(market: Market) -> None:
    told = lesson(market, "rent-or-buy")
    assert isinstance(told, OwnLesson)
    for row in told.rows:
        key = row.query.removeprefix("accelerator=")
        rents = {rent.kind: rent for rent in decide(market, PurchaseCase(accelerator=key)).rents}
        assert row.rent == rents.get("on_demand")
        assert list(row.by_use) == sorted(row.by_use, reverse=True), "more use is cheaper"
    by_name = {row.name: row for row in told.rows}
    assert by_name["NVIDIA H100 SXM5 80GB"].rent is not None
    assert by_name["NVIDIA A100 SXM4 80GB"].rent is None, "nobody rents it out here"


def test_counts_are_those_of_the_board(market: Market) -> None:
    told = lesson(market, "faq")
    assert isinstance(told, FaqLesson)
    assert told.everything.n == len(market.board)
    assert told.flagged.n == 1
    page = market.list_offers(OfferQuery.parse(told.run_query))
    assert told.hidden == page.hidden_total
    assert told.holding.n == page.total
    assert told.old == 0
    assert told.accuracy["memory"]["median_abs_error"] > 0


def test_the_cheapest_answer_is_the_first_row(market: Market) -> None:
    told = lesson(market, "faq")
    page = market.list_offers(OfferQuery.parse(f"{told.run_query}&purchase_option=on_demand&flagged=0"))
    assert told.cheapest.id == page.rows[0].id
    assert told.cheapest["total_usd"] == pytest.approx(page.rows[0]["total_usd"])
    assert lesson(market_of(), "faq").cheapest is None
