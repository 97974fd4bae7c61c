"""Daily lows and medians, the links between days, and a provider's lows."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from sqlalchemy import Engine

from app.db.engine import writing
from app.market.history import (
    accelerator_days,
    day_before,
    index_by_accelerator,
    newest_day,
    price_points,
    provider_days,
    record_day,
    record_past,
)
from app.providers.card import ProviderCard
from tests.scraped import MARKET, NOON, current, many, scraped, take_in

H100 = "h100-sxm5-80gb"
DAY = NOON.date()


def test_day_has_low_and_median_of_medians_per_purchase_option(engine: Engine) -> None:
    take_in(engine, scraped("16"), scraped("32", region="west"), scraped("8", purchase_option="spot"))
    take_in(engine, scraped("20", provider="vast"), card=MARKET)
    assert record_day(engine, NOON) == 2
    days = {day.purchase_option: day for day in accelerator_days(engine, H100)}
    assert (days["on_demand"].low_usd, days["on_demand"].median_usd) == (2.0, 2.75)
    assert (days["on_demand"].offers, days["on_demand"].providers) == (3, 2)
    assert (days["spot"].day, days["spot"].low_usd) == (DAY, 1.0)
    lows = [
        (low.day, low.purchase_option, low.low_usd, low.offers) for low in provider_days(engine, "lambda")
    ]
    assert sorted(lows) == [(DAY, "on_demand", 2.0, 2), (DAY, "spot", 1.0, 1)]


def test_second_look_on_a_day_overwrites_the_first_and_the_next_day_adds(engine: Engine) -> None:
    take_in(engine, scraped("16"))
    record_day(engine, NOON)
    take_in(engine, scraped("12"), hours=1)
    record_day(engine, NOON + timedelta(hours=2))
    take_in(engine, scraped("14"), hours=24)
    record_day(engine, NOON + timedelta(hours=25))
    assert [day.low_usd for day in accelerator_days(engine, H100)] == [1.5, 1.75]
    assert [day.low_usd for day in accelerator_days(engine, H100, DAY + timedelta(days=1))] == [1.75]
    assert newest_day(engine) == DAY + timedelta(days=1)


def test_stale_flagged_unpriced_and_sliced_offers_do_not_count_and_flagged_ones_are_counted(
    engine: Engine,
) -> None:
    take_in(
        engine,
        scraped("16"),
        scraped("0.8", region="doubtful", flags=("price-out-of-range",)),
        scraped(None, region="unpriced"),
        scraped(
            "0.5", instance_type="slice", accelerator_name="NVIDIA H100 MIG 1g.10gb", accelerator_count=1
        ),
    )
    record_day(engine, NOON)
    (day,) = accelerator_days(engine, H100)
    assert (day.low_usd, day.offers, day.flagged) == (2.0, 1, 1)
    assert record_day(engine, NOON + timedelta(days=3)) == 0, "nobody has confirmed these prices since"


def test_a_price_far_from_everybody_elses_does_not_count(engine: Engine) -> None:
    for provider, price in (("aws", "32"), ("azure", "36"), ("lambda", "28")):
        card = ProviderCard(provider, provider, "api", "list_price", homepage="")
        take_in(engine, scraped(price, provider=provider), card=card)
    take_in(engine, scraped("4", provider="vast"), card=MARKET)
    record_day(engine, NOON)
    (day,) = accelerator_days(engine, H100)
    assert (day.low_usd, day.providers, day.flagged) == (3.5, 3, 1)


def test_days_are_linked_by_the_same_offers(engine: Engine) -> None:
    take_in(engine, *many(4, "16"))
    record_day(engine, NOON)
    take_in(engine, *many(4, "17.6"), scraped("1.6", region="new", purchase_option="spot"), hours=24)
    take_in(engine, scraped("80", provider="vast"), card=MARKET, hours=24)
    record_day(engine, NOON + timedelta(hours=25))
    points = index_by_accelerator(engine, "on_demand", DAY)[H100]
    assert [(point.day, point.offers, point.providers) for point in points] == [
        (DAY, 0, 0), (DAY + timedelta(days=1), 4, 1),
    ]  # fmt: skip
    assert points[-1].value == pytest.approx(110)
    assert len(index_by_accelerator(engine, "spot", DAY)[H100]) == 1


def test_days_gone_by_are_put_together_from_points_and_link_the_days_after(engine: Engine) -> None:
    take_in(engine, *many(3, "16"), hours=-240)
    take_in(engine, *many(3, "20"), hours=-120)
    take_in(engine, *many(3, "20"))
    record_day(engine, NOON)
    past = [DAY - timedelta(days=10), DAY - timedelta(days=5)]
    with writing(engine) as connection:
        assert record_past(connection, past, NOON) == 2
    told = [(day.day, day.low_usd, day.backfilled) for day in accelerator_days(engine, H100)]
    assert told == [(past[0], 2.0, True), (past[1], 2.5, True), (DAY, 2.5, False)]
    values = [point.value for point in index_by_accelerator(engine, "on_demand", past[0])[H100]]
    assert values == [100, pytest.approx(125), pytest.approx(125)]


def test_what_was_recorded_when_it_was_today_stays(engine: Engine) -> None:
    take_in(engine, *many(3, "16"))
    record_day(engine, NOON)
    take_in(engine, *many(3, "12"), hours=5)
    with writing(engine) as connection:
        assert record_past(connection, [DAY], NOON + timedelta(days=1)) == 0
    assert [day.low_usd for day in accelerator_days(engine, H100)] == [2.0]


def test_days_too_far_apart_are_not_linked(engine: Engine) -> None:
    take_in(engine, scraped("16"))
    record_day(engine, NOON)
    take_in(engine, scraped("12"), hours=24 * 60)
    record_day(engine, NOON + timedelta(days=60))
    (point,) = index_by_accelerator(engine, "on_demand", DAY)[H100]
    assert (point.day, point.value) == (DAY + timedelta(days=60), 100)


def test_points_of_an_offer_are_its_changes(engine: Engine) -> None:
    for hour, price in ((0, "10"), (2, "10"), (4, "12")):
        take_in(engine, scraped(price), hours=hour)
    (record,) = current(engine)
    assert [point.usd_per_hour for point in price_points(engine, record.id)] == [10.0, 12.0]
    assert price_points(engine, "nothing") == []


def test_a_span_of_days_ends_with_its_last_day() -> None:
    assert day_before(date(2026, 11, 30), 30) == date(2026, 11, 1)
    assert day_before(DAY, 1) == DAY
