"""Exchange rates: read from the European Central Bank's daily file, kept with their day."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from decimal import Decimal, InvalidOperation

from sqlalchemy import Engine

from app.db.engine import writing
from app.db.offers import raise_version, upsert
from app.db.tables import exchange_rate
from app.domain.errors import ShapeDrift
from app.providers.card import DAY, ProviderCard

ECB_URL = "https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml"
ECB = "European Central Bank, euro foreign exchange reference rates"
RATES = ProviderCard(
    "exchange-rates", ECB, "api", "list_price", homepage="https://www.ecb.europa.eu", interval_s=DAY
)

_DAY = re.compile(r"""<Cube\s+time=['"](\d{4}-\d\d-\d\d)['"]""")
_RATE = re.compile(r"""<Cube\s+currency=['"]([A-Z]{3})['"]\s+rate=['"]([0-9.]+)['"]""")


def parse_ecb(text: str) -> tuple[date, dict[str, Decimal]]:
    """The day of the file, and USD per unit of every currency in it and of the euro. The file has units per euro.

    Raises:
        ShapeDrift: no day, no dollar, or a rate that is no positive number.
    """
    day, per_euro = _DAY.search(text), dict(_RATE.findall(text))
    if day is None or "USD" not in per_euro:
        raise ShapeDrift("the file of exchange rates has no day or no dollar")
    try:
        units = {currency: Decimal(rate) for currency, rate in per_euro.items()} | {"EUR": Decimal(1)}
        dollar = units.pop("USD")
        return date.fromisoformat(day.group(1)), {currency: dollar / rate for currency, rate in units.items()}
    except (InvalidOperation, ZeroDivisionError, ValueError) as error:
        raise ShapeDrift(f"an exchange rate that cannot be read: {error!r}") from None


def store_rates(engine: Engine, day: date, usd_per_unit: Mapping[str, Decimal], source: str) -> None:
    """Keep the rates of a day; the newest day of each currency counts, however old it is."""
    rows = [
        {"currency": currency, "day": day, "usd_per_unit": rate, "source": source}
        for currency, rate in usd_per_unit.items()
    ]
    with writing(engine) as connection:
        upsert(connection, exchange_rate, rows, keep=())
        raise_version(connection)
