"""Engines, transactions and column types mean the same on both databases."""

from __future__ import annotations

import threading
import time
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine, insert, select
from sqlalchemy.exc import StatementError

from app.db.engine import make_engine, writing
from app.db.tables import exchange_rate, provider
from app.domain.errors import BadInput


@pytest.mark.parametrize("url", ["mysql://root@/x", "nonsense", ""])
def test_other_databases_are_refused_by_name(url: str) -> None:
    with pytest.raises(BadInput, match="RACKRATE_DATABASE_URL"):
        make_engine(url)


@pytest.mark.parametrize("url", ["postgresql://u@/x", "postgres://u@/x", "postgresql+psycopg://u@/x"])
def test_every_spelling_of_postgresql_gets_the_same_driver(url: str) -> None:
    assert make_engine(url).url.drivername == "postgresql+psycopg"


def test_moment_comes_back_aware_and_in_utc(engine: Engine) -> None:
    moment = datetime(2026, 11, 30, 1, 2, 3, 456789, tzinfo=timezone(timedelta(hours=5)))
    with writing(engine) as connection:
        connection.execute(insert(provider).values(slug="a", last_success=moment))
        found = connection.execute(select(provider.c.last_success)).scalar_one()
    assert found == moment
    assert found.utcoffset() == timedelta(0)


def test_naive_moment_is_refused(sqlite_engine: Engine) -> None:
    with pytest.raises(StatementError, match="no time zone"), writing(sqlite_engine) as connection:
        connection.execute(insert(provider).values(slug="a", last_success=datetime(2026, 1, 1)))  # noqa: DTZ001


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.decimals("0.000001", "99999", places=9))
def test_decimals_come_back_exact(sqlite_engine: Engine, postgres_engine: Engine, rate: Decimal) -> None:
    for engine in (sqlite_engine, postgres_engine):
        with engine.begin() as connection:
            connection.execute(exchange_rate.delete())
            values = {
                "currency": "EUR",
                "day": datetime.now(UTC).date(),
                "usd_per_unit": rate,
                "source": "test",
            }
            connection.execute(insert(exchange_rate).values(**values))
            assert connection.execute(select(exchange_rate.c.usd_per_unit)).scalar_one() == rate


def test_second_writer_waits_instead_of_failing(sqlite_engine: Engine) -> None:
    order: list[str] = []

    def second() -> None:
        with writing(sqlite_engine) as connection:
            order.append("second")
            connection.execute(insert(provider).values(slug="b"))

    thread = threading.Thread(target=second)
    with writing(sqlite_engine) as connection:
        connection.execute(insert(provider).values(slug="a"))
        thread.start()
        time.sleep(0.2)
        order.append("first")
    thread.join(10)
    assert order == ["first", "second"]


def test_reader_never_waits_for_a_writer(sqlite_engine: Engine) -> None:
    with writing(sqlite_engine) as writer, sqlite_engine.connect() as reader:
        writer.execute(insert(provider).values(slug="a"))
        assert reader.execute(select(provider.c.slug)).all() == []
