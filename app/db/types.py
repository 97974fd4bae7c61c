"""Column types that read the same from SQLite and PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from functools import lru_cache
from typing import Any

from sqlalchemy import BigInteger, DateTime, Dialect, Double, Integer, Numeric
from sqlalchemy.types import TypeDecorator, TypeEngine

SerialId = BigInteger().with_variant(Integer, "sqlite")
"""A growing key; SQLite numbers only plain INTEGER keys by itself."""


class Instant(TypeDecorator[datetime]):
    """An aware moment in UTC; a naive one is refused, because nobody can say what it means."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"{value!r} has no time zone")
        moment = value.astimezone(UTC)
        return moment.replace(tzinfo=None) if dialect.name == "sqlite" else moment

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[Any], Any] | None:
        if dialect.name != "sqlite":
            return None  # the connection's time zone is UTC (see `engine`), the driver's moments are as they should be
        parse: Any = self.impl_instance.dialect_impl(dialect).result_processor(dialect, coltype)
        aware = lru_cache(maxsize=4096)(
            lambda value: parse(value).replace(tzinfo=UTC)
        )  # few moments, many rows
        return lambda value: None if value is None else aware(value)


@lru_cache(maxsize=65_536)
def _decimal(value: float) -> Decimal:
    return Decimal(repr(value))


class Exact(TypeDecorator[Decimal]):
    """A decimal number with a fixed number of places. SQLite has no decimals: there it is a double, and what
    is read is its shortest spelling: exact up to 15 digits."""

    impl = Numeric
    cache_ok = True

    def __init__(self, places: int) -> None:
        super().__init__(18, places)
        self.places = places
        self._quantum = Decimal(1).scaleb(-places)

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        if dialect.name == "sqlite":
            return dialect.type_descriptor(Double())
        return dialect.type_descriptor(Numeric(18, self.places))

    def process_bind_param(self, value: Decimal | None, dialect: Dialect) -> Any:
        if value is None:
            return None
        return float(value) if dialect.name == "sqlite" else value.quantize(self._quantum)

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[Any], Any] | None:
        if dialect.name != "sqlite":
            return None
        return lambda value: None if value is None else _decimal(value)


Money = Exact(8)
"""An amount of money; below ten billion."""

Rate = Exact(12)
"""A factor between currencies; below a million."""
