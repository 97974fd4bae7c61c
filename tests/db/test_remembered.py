"""An offer by its id, also after it is gone."""

from __future__ import annotations

from sqlalchemy import Engine

from app.db.remembered import read_remembered
from tests.scraped import NOON, RESELLER, current, scraped, take_in


def test_an_offer_that_stands_is_remembered_as_the_board_has_it(engine: Engine) -> None:
    take_in(engine, scraped("10.00", vcpus=200.0, flags=("price-out-of-range",)))
    (record,) = current(engine)
    with engine.connect() as connection:
        found = read_remembered(connection, record.id)
    assert found is not None
    assert found.withdrawn_at is None
    for name in (
        "price_usd_per_hour",
        "accelerator",
        "vcpus",
        "observed_at",
        "flags",
        "first_seen",
        "provider_name",
    ):
        assert getattr(found.record, name) == getattr(record, name), name


def test_a_withdrawn_offer_keeps_its_facts_and_gets_its_date(engine: Engine) -> None:
    take_in(engine, scraped("10.00"), scraped("11.00", region="west"))
    (gone,) = [record.id for record in current(engine) if record.region == "us-east-1"]
    for hours in (24, 48):
        take_in(engine, scraped("11.00", region="west"), hours=hours)
    with engine.connect() as connection:
        found = read_remembered(connection, gone)
    assert found is not None
    assert found.withdrawn_at is not None
    assert found.withdrawn_at > NOON
    assert found.record.price_usd_per_hour == 10.0


def test_an_offer_that_one_source_still_lists_is_not_withdrawn(engine: Engine) -> None:
    take_in(engine, scraped("10.00"), scraped("11.00", region="west"))
    take_in(engine, scraped("10.10"), card=RESELLER)
    (key,) = [record.id for record in current(engine) if record.region == "us-east-1"]
    for hours in (24, 48):
        take_in(engine, scraped("11.00", region="west"), hours=hours)
    with engine.connect() as connection:
        found = read_remembered(connection, key)
    assert found is not None
    assert found.withdrawn_at is None


def test_nobody_ever_offered_it(engine: Engine) -> None:
    with engine.connect() as connection:
        assert read_remembered(connection, "0" * 16) is None
