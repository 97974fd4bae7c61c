"""Many rows at once into PostgreSQL."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from decimal import Decimal

import pytest
from sqlalchemy import Engine, select
from sqlalchemy.exc import StatementError

from app.db.copying import WORTHWHILE
from app.db.engine import writing
from app.db.offers import upsert
from app.db.tables import exchange_rate, provider
from tests.scraped import NOON

DAYS = [date(2020, 1, 1) + timedelta(days=number) for number in range(WORTHWHILE)]


def test_rows_are_inserted_overwritten_but_for_what_is_kept_or_left_alone(engine: Engine) -> None:
    def rates(rate: str, source: str) -> list[dict[str, object]]:
        return [
            {"currency": "EUR", "day": day, "usd_per_unit": Decimal(rate), "source": source} for day in DAYS
        ]

    with writing(engine) as connection:
        upsert(connection, exchange_rate, rates("1.1", "tab\t and\nline"), keep=())
        upsert(connection, exchange_rate, rates("1.2", "new"), keep=("source",))
        upsert(connection, exchange_rate, rates("1.3", "late"))
        columns = exchange_rate.c.usd_per_unit, exchange_rate.c.source
        told = connection.execute(select(*columns).where(exchange_rate.c.currency == "EUR")).all()
    assert set(told) == {(Decimal("1.2"), "tab\t and\nline")}
    assert len(told) == WORTHWHILE


def test_moment_without_a_zone_is_refused_there_too(engine: Engine) -> None:
    rows = [{"slug": str(number), "last_attempt": NOON} for number in range(WORTHWHILE)]
    naive: datetime = NOON.replace(tzinfo=None)
    with pytest.raises((StatementError, ValueError), match="no time zone"), writing(engine) as connection:
        upsert(connection, provider, [*rows, {"slug": "naive", "last_attempt": naive}], keep=())
