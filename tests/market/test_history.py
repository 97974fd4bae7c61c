"""Daily lows and medians, and what is forgotten."""

from __future__ import annotations

from datetime import date, timedelta

import msgspec
from sqlalchemy import Engine, func, select

from app.db.tables import instance_type, price_point, scrape_run
from app.market.history import accelerator_days, backfill, compact, price_points, record_day, summarise
from tests.db.test_merge import ONE
from tests.market.test_outliers import USUAL, at
from tests.scraped import NOON, current, many, scraped, take_in


def test_day_has_low_and_median_of_medians_per_purchase_option(engine: Engine) -> None:
    spot = at("a", 1.0, purchase_option="spot")
    assert record_day(engine, [*USUAL, spot, at("a", 4.0)], NOON) == 2
    days = {day.purchase_option: day for day in accelerator_days(engine, "h100-sxm5-80gb")}
    assert (days["on_demand"].low_usd, days["on_demand"].median_usd) == (2.0, 3.0)
    assert (days["on_demand"].offers, days["on_demand"].providers) == (4, 3)
    assert days["spot"].day == NOON.date()


def test_second_look_on_a_day_overwrites_the_first_and_the_next_day_adds(engine: Engine) -> None:
    record_day(engine, USUAL, NOON)
    record_day(engine, [at("a", 1.5)], NOON)
    tomorrow = NOON + timedelta(days=1)
    record_day(engine, [at("a", 1.6, observed_at=tomorrow)], tomorrow)
    assert [day.low_usd for day in accelerator_days(engine, "h100-sxm5-80gb")] == [1.5, 1.6]
    assert [day.low_usd for day in accelerator_days(engine, "h100-sxm5-80gb", tomorrow.date())] == [1.6]


def test_stale_flagged_unpriced_and_sliced_offers_do_not_count() -> None:
    doubtful = [
        at("a", 0.1, flags=("price_outlier",)),
        at("b", None),
        at("c", 0.1, accelerator_status="slice"),
        at("d", 0.1, accelerator=None, accelerator_status="ambiguous"),
    ]
    assert summarise(doubtful, date(2026, 11, 30)) == []


def test_stale_offers_make_no_new_day(engine: Engine) -> None:
    old = msgspec.structs.replace(ONE, observed_at=NOON - timedelta(days=2))
    assert record_day(engine, [old], NOON) == 0


def test_backfill_counts_each_offer_on_its_own_day_and_keeps_what_is_there(engine: Engine) -> None:
    record_day(engine, [at("a", 9.0)], NOON)
    backfill(engine, [at("a", 1.0), at("a", 2.0, observed_at=NOON - timedelta(days=30))])
    days = accelerator_days(engine, "h100-sxm5-80gb")
    assert [(day.day, day.low_usd) for day in days] == [(date(2026, 10, 31), 2.0), (date(2026, 11, 30), 9.0)]


def test_old_history_keeps_the_last_price_of_each_day(engine: Engine) -> None:
    for hour, price in ((0, "10"), (2, "11"), (4, "12"), (30, "13")):
        take_in(engine, scraped(price), hours=hour)
    (record,) = current(engine)
    compact(engine, NOON + timedelta(days=30))
    assert [point.usd_per_hour for point in price_points(engine, record.id)] == [10.0, 11.0, 12.0, 13.0]
    compact(engine, NOON + timedelta(days=120))
    assert [point.usd_per_hour for point in price_points(engine, record.id)] == [12.0, 13.0]


def test_after_three_years_the_present_price_of_a_listed_offer_is_still_there(engine: Engine) -> None:
    take_in(engine, scraped("10"))
    take_in(engine, scraped("11"), hours=48)
    compact(engine, NOON + timedelta(days=4 * 365))
    (record,) = current(engine)
    assert [point.usd_per_hour for point in price_points(engine, record.id)] == [11.0]
    assert record.price_usd_per_hour == 11.0


def test_withdrawn_offers_their_types_and_runs_are_forgotten_in_the_end(engine: Engine) -> None:
    take_in(engine, *many(9), scraped(region="region-9", instance_type="old_type"))
    for hour in range(1, 5):
        take_in(engine, *many(9), hours=hour)
    assert count(engine, instance_type) == 2
    compact(engine, NOON + timedelta(days=90))
    assert count(engine, instance_type) == 2
    compact(engine, NOON + timedelta(days=181))
    assert count(engine, instance_type) == 1
    assert len(current(engine)) == 9
    assert count(engine, scrape_run) == 2, "the run of the first prices and the run that saw the offers last"
    compact(engine, NOON + timedelta(days=4 * 365))
    assert count(engine, price_point) == 9


def count(engine: Engine, table: object) -> int:
    with engine.connect() as connection:
        return int(connection.execute(select(func.count()).select_from(table)).scalar_one())
