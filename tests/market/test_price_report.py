"""The market report: its question, its order, and what it joins."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import Engine

from app.catalog import load_catalog
from app.domain.errors import BadInput, UnknownParameter
from app.market import board as boards
from app.market.history import record_day
from app.market.price_levels import levels
from app.market.price_report import SORTS, PriceQuestion, in_order, price_report
from app.market.service import Market
from tests.market.samples import offer
from tests.scraped import NOON, many, scraped, take_in


def test_a_question_is_its_address() -> None:
    asked = PriceQuestion.parse({"purchase_option": "spot", "days": "365", "sort": "low", "order": "desc"})
    assert PriceQuestion.parse(asked.to_params()) == asked
    assert PriceQuestion.parse({}).to_params() == {}
    assert asked.to_params(purchase_option="on_demand", order="asc") == {"days": "365", "sort": "low"}


@pytest.mark.parametrize(
    ("given", "field"),
    [({"days": "7"}, "days"), ({"purchase_option": "gift"}, "purchase_option"), ({"sort": "luck"}, "sort"), ({"order": "up"}, "order")],
)  # fmt: skip
def test_what_is_no_choice_is_refused_by_name(given: dict[str, str], field: str) -> None:
    with pytest.raises(BadInput) as refusal:
        PriceQuestion.parse(given)
    assert refusal.value.field == field
    with pytest.raises(UnknownParameter):
        PriceQuestion.parse({"colour": "red"})


@pytest.mark.parametrize("sort", SORTS)
def test_unknown_comes_last_both_ways(sort: str) -> None:
    cheap = {"accelerator": "a100-sxm4-80gb", "accelerator_label": "A100", "price_usd_per_hour": 8.0}
    old = {
        "accelerator": "m60-8gb",
        "accelerator_label": "M60",
        "price_usd_per_hour": 1.0,
        "accelerator_count": 1,
    }
    board = boards.build(
        [
            offer(1),
            offer(2, provider="b"),
            offer(3, **cheap),
            offer(4, provider="b", **cheap),
            offer(5, **old),
        ],
        load_catalog(),
        "1",
    )
    found = levels(board, load_catalog(), "on_demand")
    assert len(found) == 3
    for order in (False, True):
        values = [SORTS[sort](level) for level in in_order(found, PriceQuestion(sort=sort, descending=order))]
        known = [value for value in values if value is not None]
        assert values == known + [None] * (len(values) - len(known))
        assert known == sorted(known, reverse=order)


def test_the_report_joins_levels_index_and_movers(engine: Engine) -> None:
    before = NOON - timedelta(days=8)
    take_in(engine, *many(4, "16"), hours=-8 * 24)
    record_day(engine, before)
    take_in(engine, *many(4, "17.6"), scraped("9", purchase_option="spot"))
    record_day(engine, NOON)
    market = Market.open(load_catalog(), engine, lambda: NOON)
    report = price_report(market, PriceQuestion.parse({"days": "30"}))
    assert [level.low for level in report.levels] == [2.2]
    assert [round(point.value, 6) for point in report.index["h100-sxm5-80gb"]] == [100, 110]
    assert [mover.offers for mover in report.movers.largest] == [4]
    assert report.options == {"on_demand": 4, "spot": 1}
    assert (report.starts, report.newest_day) == (before.date(), NOON.date())
    assert price_report(market, PriceQuestion(option="spot")).index == {}


def test_a_market_without_offers_has_an_empty_report(engine: Engine) -> None:
    report = price_report(Market.open(load_catalog(), engine, lambda: NOON), PriceQuestion())
    assert (report.levels, report.discounts, report.index, report.starts) == ([], [], {}, None)
