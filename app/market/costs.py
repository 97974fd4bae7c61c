"""From verdicts to dollars: the work of a run and the terms of every offer, joined for `training.cost`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from app.catalog.terms import ProviderTerms
from app.domain.model import ModelShape
from app.domain.run import TrainingRun
from app.domain.units import HOURS_PER_MONTH
from app.market.board import Board
from app.training.billing import BillingTerms, Prices, prices_of
from app.training.parameters import count
from app.training.recipe import Recipe
from app.training.work import Work, work_of

FloatArray = npt.NDArray[np.float64]
RowArray = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Rates:
    """Tokens per second of the whole job, each (n,): low, expected and high edge."""

    low: FloatArray
    expected: FloatArray
    high: FloatArray


def work_on(run: TrainingRun, shape: ModelShape, recipe: Recipe, rates: Rates) -> Work:
    """The work of a run at the given rates.

    Raises:
        BadInput: an amount, deadline or interval that cannot be.
    """
    trained = float(recipe.trainable_parameters(shape))
    return work_of(run, float(count(shape).total), trained, (rates.low, rates.expected, rates.high))


def prices_for(board: Board, rows: RowArray, nodes: FloatArray) -> Prices:
    """What the offers at `rows` charge for `nodes` instances each; a term that binds counts as commitment."""
    numbers = board.numbers
    spot = np.asarray([board.records[row].purchase_option == "spot" for row in rows], dtype=np.bool_)
    accelerators = np.maximum(numbers["accelerator_count"][rows], 1.0) * nodes
    prices = prices_of(
        billing_terms(board, rows), numbers["price_usd_per_hour"][rows], nodes, accelerators, spot
    )
    return replace(
        prices,
        minimum_hours=np.nan_to_num(numbers["minimum_term_hours"][rows]),
        term_hours=np.nan_to_num(numbers["term_months"][rows]) * HOURS_PER_MONTH,
    )


def billing_terms(board: Board, rows: RowArray) -> Sequence[BillingTerms]:
    """The providers' terms at `rows`; a provider without known terms has all of them unknown."""
    by_provider: dict[str, BillingTerms] = {}
    found = []
    for row in rows:
        provider = board.records[row].provider
        if provider not in by_provider:
            by_provider[provider] = _terms(board.facts[row].terms)
        found.append(by_provider[provider])
    return found


def _terms(terms: ProviderTerms | None) -> BillingTerms:
    if terms is None:
        return BillingTerms()
    return BillingTerms(
        increment_s=terms.billing_increment_s,
        minimum_s=terms.minimum_s,
        storage_usd_per_gb_month=terms.storage_usd_per_gb_month,
        egress_usd_per_gb=terms.egress_usd_per_gb,
        notice_s=terms.notice_s,
        source=terms.source,
        confidence=terms.confidence,
    )
