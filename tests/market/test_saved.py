"""Estimates kept by their address: what they said on their day beside today."""

from __future__ import annotations

from datetime import date, timedelta

import msgspec
import pytest
from sqlalchemy import Engine

from app.catalog import load_catalog
from app.domain.errors import BadInput
from app.market.remembered import price_on
from app.market.saved import Saved, method_version, saved_now, then_and_now
from app.market.service import Market
from tests.market.runs import run
from tests.scraped import NOON, scraped, take_in

TODAY = NOON.date() + timedelta(days=3)
RUN = run(tokens=5e7)


def opened(engine: Engine) -> Market:
    return Market.open(load_catalog(), engine, lambda: NOON + timedelta(days=3))


def moved(engine: Engine) -> Market:
    """An offer of 10 USD/h that costs 12 two days later."""
    take_in(engine, scraped("10.00"))
    take_in(engine, scraped("12.00"), hours=48)
    return opened(engine)


def only(market: Market) -> str:
    (record,) = market.board.records
    return record.id


def test_the_price_of_the_day_is_read_from_the_history(engine: Engine) -> None:
    market = moved(engine)
    record, withdrawn_at = market.remembered(only(market))
    told = then_and_now(market, record, withdrawn_at, RUN, Saved(NOON.date(), usd_per_hour=99.0))
    price, hours, total = told.figures
    assert (price.then, price.now) == (10.0, 12.0)
    assert price.change == pytest.approx(0.2)
    assert told.price_from == "history"
    assert told.recomputed
    assert hours.then == hours.now
    assert total.then is not None
    assert total.now is not None
    assert total.now > 1.1 * total.then
    assert [str(cause) for cause in told.causes] == ["Its price rose by 20.0 %."]


def test_before_the_history_begins_the_price_in_the_address_stands_in(engine: Engine) -> None:
    market = moved(engine)
    record, withdrawn_at = market.remembered(only(market))
    day = NOON.date() - timedelta(days=30)
    record = msgspec.structs.replace(record, first_seen=NOON - timedelta(days=60))
    told = then_and_now(market, record, withdrawn_at, RUN, Saved(day, usd_per_hour=40.0))
    assert (told.price_from, told.figures[0].then) == ("link", 40.0)
    unknown = then_and_now(market, record, withdrawn_at, RUN, Saved(day))
    assert (unknown.price_from, unknown.figures[0].then, unknown.figures[2].then) == ("unknown", None, None)


def test_a_day_before_the_offer_was_first_seen_is_refused(engine: Engine) -> None:
    market = moved(engine)
    record, withdrawn_at = market.remembered(only(market))
    day = NOON.date() - timedelta(days=1)
    with pytest.raises(BadInput, match="first seen on") as refused:
        then_and_now(market, record, withdrawn_at, RUN, Saved(day, usd_per_hour=40.0))
    assert refused.value.field == "as_of"
    with pytest.raises(BadInput, match="too long ago") as refused:
        Saved.parse({"as_of": "2019-12-31"}, TODAY)
    assert refused.value.field == "as_of"


def test_what_was_saved_today_says_that_nothing_moved(engine: Engine) -> None:
    market = moved(engine)
    key = only(market)
    record, withdrawn_at = market.remembered(key)
    kept = saved_now(market.explain(key, RUN), record.price_usd_per_hour, TODAY)
    again = Saved.parse(kept.to_params(), TODAY)
    assert again is not None
    told = then_and_now(market, record, withdrawn_at, RUN, again)
    assert [str(cause) for cause in told.causes] == ["Nothing moved."]
    assert not told.recomputed
    assert all(abs(figure.change or 0) < 1e-4 for figure in told.figures)


def test_a_change_of_method_is_told_apart_from_a_change_of_price(engine: Engine) -> None:
    market = moved(engine)
    record, withdrawn_at = market.remembered(only(market))
    kept = Saved(TODAY, usd_per_hour=12.0, hours=0.4, total_usd=1.0, method="00000000")
    told = [str(cause) for cause in then_and_now(market, record, withdrawn_at, RUN, kept).causes]
    assert told[0] == "The link says it was made with another version of our method."
    assert "the link says 1.00" in told[1]
    assert method_version() != "00000000"


def test_an_offer_that_is_gone_has_a_then_and_no_now(engine: Engine) -> None:
    take_in(engine, scraped("10.00"), scraped("11.00", region="west"))
    key = next(r.id for r in opened(engine).board.records if r.region == "us-east-1")
    take_in(engine, scraped("11.00", region="west"), hours=24)
    take_in(engine, scraped("11.00", region="west"), hours=48)
    market = opened(engine)
    record, withdrawn_at = market.remembered(key)
    assert withdrawn_at is not None
    told = then_and_now(market, record, withdrawn_at, RUN, Saved(NOON.date()))
    assert [figure.now for figure in told.figures] == [None, None, None]
    assert told.figures[2].then is not None
    assert "withdrawn on" in str(told.causes[0])


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"as_of": "yesterday"}, "as_of"),
        ({"as_of": "2027-01-01"}, "as_of"),
        ({"as_of": "2026-11-30", "then_hours": "long"}, "then_hours"),
        ({"as_of": "2026-11-30", "then_total_usd": "-1"}, "then_total_usd"),
        ({"as_of": "2026-11-30", "then_method": "<script>"}, "then_method"),
    ],
)
def test_an_address_that_cannot_be_is_refused_by_the_name_of_its_part(
    given: dict[str, str], field: str
) -> None:
    with pytest.raises(BadInput) as caught:
        Saved.parse(given, TODAY)
    assert caught.value.field == field


def test_an_address_without_a_day_keeps_nothing() -> None:
    assert Saved.parse({"then_hours": "3"}, TODAY) is None


def test_a_price_holds_until_the_next_one(engine: Engine) -> None:
    points = moved(engine).price_points(only(opened(engine)))
    assert price_on(points, NOON.date() - timedelta(days=1)) is None
    days = [price_on(points, date(2026, 11, 30) + timedelta(days=n)) for n in range(3)]
    assert [point.usd_per_hour for point in days if point] == [10.0, 10.0, 12.0]
