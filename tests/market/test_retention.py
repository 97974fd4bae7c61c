"""What is forgotten, and what never is."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import Engine, func, select

from app.db.tables import accelerator_day, instance_type, price_point, provider_day, scrape_run
from app.market.history import price_points, record_day
from app.market.retention import Retention, compact
from tests.scraped import NOON, current, many, scraped, take_in


def test_old_history_keeps_the_last_price_of_each_day(engine: Engine) -> None:
    for hour, price in ((0, "10"), (2, "11"), (4, "12"), (30, "13")):
        take_in(engine, scraped(price), hours=hour)
    (record,) = current(engine)
    compact(engine, NOON + timedelta(days=30))
    assert [point.usd_per_hour for point in price_points(engine, record.id)] == [10.0, 11.0, 12.0, 13.0]
    assert compact(engine, NOON + timedelta(days=120))["price_point"] == 2
    assert [point.usd_per_hour for point in price_points(engine, record.id)] == [12.0, 13.0]


def test_a_shorter_setting_thins_what_was_kept_before(engine: Engine) -> None:
    for day in (0, 20, 40):
        for hour, price in ((0, "10"), (1, "11"), (2, "10.5")):
            take_in(engine, scraped(price), hours=24 * day + hour)
    now = NOON + timedelta(days=80)
    assert compact(engine, now)["price_point"] == 0
    keep = Retention.of_days(changes=30, prices=365, withdrawn=30, runs=30)
    assert compact(engine, now, keep)["price_point"] == 6


def test_how_long_is_a_setting(engine: Engine) -> None:
    for hour, price in ((0, "10"), (2, "11")):
        take_in(engine, scraped(price), hours=hour)
    keep = Retention.of_days(changes=7, prices=30, withdrawn=30, runs=30)
    assert compact(engine, NOON + timedelta(days=8), keep)["price_point"] == 1


def test_after_three_years_the_present_price_of_a_listed_offer_is_still_there(engine: Engine) -> None:
    take_in(engine, scraped("10"))
    take_in(engine, scraped("11"), hours=48)
    record_day(engine, NOON + timedelta(hours=49))
    dropped = compact(engine, NOON + timedelta(days=4 * 365))
    (record,) = current(engine)
    assert [point.usd_per_hour for point in price_points(engine, record.id)] == [11.0]
    assert record.price_usd_per_hour == 11.0
    assert (dropped["accelerator_day"], dropped["provider_day"]) == (1, 1)
    assert count(engine, accelerator_day) == count(engine, provider_day) == 0


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
