"""What a provider charges and on which terms: increments, minimum, storage, egress, interruptions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from app.domain.accelerator import Confidence
from app.domain.errors import BadInput
from app.domain.units import SECONDS_PER_HOUR
from app.training.assumptions_cost import cost_assumption

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
RowArray = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class BillingTerms:
    """A provider's terms; None = not known, and the assumption of that name stands in (its range widens low and
    high). Rates: `interruptions_per_hour` per node of a spot offer, `published_per_hour` a published bound of it
    from below; `start_s` until the machine can work."""

    increment_s: float | None = None
    minimum_s: float | None = None
    start_s: float | None = None
    storage_usd_per_gb_month: float | None = None
    egress_usd_per_gb: float | None = None
    interruptions_per_hour: float | None = None
    published_per_hour: float | None = None
    notice_s: float | None = None
    source: str = ""
    confidence: Confidence = "low"


@dataclass(frozen=True, slots=True)
class Prices:
    """What each offer charges, arrays of shape (n,). `usd_per_hour` is of one instance with any upfront part
    spread over its term (NaN = unknown); `nodes` instances are rented. `minimum_hours` is prepaid at least.
    `low_stops` to `high_stops` bound `stops`, interruptions per node and hour (0 where not spot)."""

    usd_per_hour: FloatArray
    nodes: FloatArray
    accelerators: FloatArray
    increment_s: FloatArray
    minimum_s: FloatArray
    start_s: FloatArray
    storage: FloatArray
    egress: FloatArray
    stops: FloatArray
    low_stops: FloatArray
    high_stops: FloatArray
    notice_s: FloatArray
    minimum_hours: FloatArray
    term_hours: FloatArray

    def __len__(self) -> int:
        return int(self.usd_per_hour.shape[0])


def prices_of(
    terms: Sequence[BillingTerms],
    usd_per_hour: FloatArray,
    nodes: FloatArray,
    accelerators: FloatArray,
    spot: BoolArray,
    of_row: RowArray | None = None,
) -> Prices:
    """Arrays (n,) from terms; `accelerators` in all. `terms` are one per offer, or the distinct ones, and `of_row` (n,)
    says which is whose. Unknown terms take their assumption. `minimum_hours` and `term_hours` start at 0; set them
    with `dataclasses.replace`.

    Raises:
        BadInput: a negative price.
    """
    if bool(np.any(usd_per_hour < 0)):
        raise BadInput("price_usd_per_hour", "a price cannot be negative")
    rows = np.arange(len(terms)) if of_row is None else of_row

    def known(field: str, instead: float) -> FloatArray:
        values = (getattr(t, field) for t in terms)
        return np.asarray([instead if v is None else v for v in values], dtype=np.float64)[rows]

    base = np.where(nodes > 1, _value("start.cluster_s"), _value("start.single_s"))
    start = known("start_s", np.nan)
    rate = cost_assumption("spot.stops")
    stops = known("interruptions_per_hour", rate.value)
    rarest = np.minimum(rate.low, known("published_per_hour", rate.low))
    zeros = np.zeros(len(rows))
    return Prices(
        usd_per_hour=np.asarray(usd_per_hour, dtype=np.float64),
        nodes=np.asarray(nodes, dtype=np.float64),
        accelerators=np.asarray(accelerators, dtype=np.float64),
        increment_s=np.maximum(known("increment_s", _value("billing.increment_s")), 1.0),
        minimum_s=known("minimum_s", _value("billing.minimum_s")),
        start_s=np.where(np.isnan(start), base, start),
        storage=known("storage_usd_per_gb_month", _value("billing.storage")),
        egress=known("egress_usd_per_gb", _value("billing.egress")),
        stops=np.where(spot, stops, 0.0),
        low_stops=np.where(spot, np.minimum(stops, rarest), 0.0),
        high_stops=np.where(spot, np.maximum(stops, rate.high), 0.0),
        notice_s=known("notice_s", _value("spot.notice_s")),
        minimum_hours=zeros,
        term_hours=zeros,
    )


def billed(hours: FloatArray, prices: Prices) -> FloatArray:
    """Hours that one instance is billed for: whole increments, at least the minimum and what is prepaid."""
    seconds = np.maximum(hours * SECONDS_PER_HOUR, prices.minimum_s)
    units = np.ceil(np.round(seconds / prices.increment_s, 9))
    return np.maximum(units * prices.increment_s / SECONDS_PER_HOUR, prices.minimum_hours)


def _value(name: str) -> float:
    return cost_assumption(name).value
