"""Prices over time and currency; everything else in the house asks here."""

from __future__ import annotations

from decimal import Decimal
from typing import TypeVar

import numpy as np

from app.domain.coded import FloatArray

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


def effective_hourly_of(hourly: FloatArray, upfront: FloatArray, term_months: FloatArray) -> FloatArray:
    """`effective_hourly` of many prices at once, each (n,), NaN = unknown."""
    recurring = np.where(hourly != 0, hourly, np.nan)
    term = np.where(term_months > 0, term_months, np.nan)
    spread = upfront / (HOURS_PER_MONTH * term)
    upfront_paid = ~np.isnan(upfront) & (upfront != 0)
    return np.where(upfront_paid, np.where(np.isnan(recurring), spread, recurring + spread), recurring)
