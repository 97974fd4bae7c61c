"""Prices over time and currency; everything else in the house asks here."""

from __future__ import annotations

from decimal import Decimal
from typing import TypeVar

HOURS_PER_MONTH = 730
Amount = TypeVar("Amount", Decimal, float)


def effective_hourly(hourly: Amount | None, upfront: Amount | None, term_months: int | None) -> Amount | None:
    """Price per hour with the upfront payment spread over the term (a year is 8,760 h); None = unknown.

    A zero without an upfront payment is how sources write "no price": unknown, never free. An upfront payment
    without a term cannot be spread, so it is unknown too.
    """
    if not upfront:
        return hourly if hourly else None
    if not term_months:
        return None
    spread = upfront / (HOURS_PER_MONTH * term_months)
    return hourly + spread if hourly else spread


def convert(amount: Amount | None, usd_per_unit: Amount | None) -> float | None:
    """An amount in USD, or None where the amount or the rate is unknown."""
    return None if amount is None or usd_per_unit is None else float(amount * usd_per_unit)
