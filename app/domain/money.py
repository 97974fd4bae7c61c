"""Prices over time and currency; everything else in the house asks here."""

from __future__ import annotations

from decimal import Decimal

HOURS_PER_MONTH = Decimal(730)


def effective_hourly(
    hourly: Decimal | None, upfront: Decimal | None, term_months: int | None
) -> Decimal | None:
    """Price per hour with the upfront payment spread over the term (a year is 8,760 h); None = unknown.

    A zero without an upfront payment is how sources write "no price": unknown, never free. An upfront payment
    without a term cannot be spread, so it is unknown too.
    """
    if not upfront:
        return hourly if hourly else None
    if not term_months:
        return None
    return (hourly or Decimal(0)) + upfront / (HOURS_PER_MONTH * term_months)


def convert(amount: Decimal | None, usd_per_unit: Decimal | None) -> float | None:
    """An amount in USD, or None where the amount or the rate is unknown."""
    return None if amount is None or usd_per_unit is None else float(amount * usd_per_unit)
