"""From verdicts to dollars: the work of a run and the terms of every offer, joined for `training.cost`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from app.catalog.interruptions import InterruptionBand
from app.catalog.terms import ProviderTerms
from app.domain.coded import distinct_rows, word_key
from app.domain.figures import plain
from app.domain.model import ModelShape
from app.domain.run import TrainingRun
from app.domain.sentence import N_, Sentence
from app.domain.units import HOURS_PER_MONTH
from app.market.board import Board
from app.training.assumptions_cost import cost_assumption
from app.training.billing import BillingTerms, Prices, prices_of
from app.training.cost import CostTable
from app.training.interruption import hourly_from_monthly
from app.training.parameters import count
from app.training.recipe import Recipe
from app.training.work import Work, work_of

OPEN_BAND = N_(
    "Published: more than {low} of these spot instances are taken back within a month ({source}, {day}), "
    "{rate} per node and hour. Short-lived instances flatter that figure, so it only bounds the low case."
)
CLOSED_BAND = N_(
    "Published: {low} to {high} of these spot instances are taken back within a month ({source}, {day}), "
    "{rate} per node and hour. Short-lived instances flatter that figure, so it only bounds the low case."
)
STAND_INS: Mapping[str, tuple[str, str]] = {
    "increment_s": ("billing.increment_s", N_("billing in steps of {value} s")),
    "minimum_s": ("billing.minimum_s", N_("a bill of at least {value} s")),
    "storage_usd_per_gb_month": ("billing.storage", N_("storage at {value} USD per GB and month")),
    "egress_usd_per_gb": ("billing.egress", N_("egress at {value} USD per GB")),
    "notice_s": ("spot.notice_s", N_("a notice of {value} s before a spot instance is taken away")),
}
"""Term of a provider → the assumption that stands in where it is unknown, and its words."""
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
    spot = board.texts["purchase_option"].where(lambda option: option == "spot")[rows]
    accelerators = np.maximum(numbers["accelerator_count"][rows], 1.0) * nodes
    terms, of_row = billing_terms(board, rows)
    prices = prices_of(terms, numbers["price_usd_per_hour"][rows], nodes, accelerators, spot, of_row)
    return replace(
        prices,
        minimum_hours=np.nan_to_num(numbers["minimum_term_hours"][rows]),
        term_hours=np.nan_to_num(numbers["term_months"][rows]) * HOURS_PER_MONTH,
    )


def billing_terms(board: Board, rows: RowArray) -> tuple[Sequence[BillingTerms], RowArray]:
    """The providers' terms, once per provider and of spot offers once per instance type, and for each of `rows` the
    number of its terms; a provider without known terms has all of them unknown."""
    names = ("provider", "instance_type", "purchase_option")
    provider, kind, option = (board.texts[name].take(rows) for name in names)
    spot = option.where(lambda name: name == "spot")
    firsts, of_row = distinct_rows(
        [
            word_key(provider),
            (np.where(spot, kind.codes + 1, 0), len(kind.names) + 1),
            (spot.astype(np.int8), 2),
        ]
    )
    return [_billing_terms(board, int(rows[first])) for first in firsts], of_row


def _billing_terms(board: Board, row: int) -> BillingTerms:
    band, terms = interruption_band(board, row), _terms(board.facts[row].terms)
    return terms if band is None else replace(terms, published_per_hour=per_hour(band))


def interruption_band(board: Board, row: int) -> InterruptionBand | None:
    """What is published on how often the spot instance at `row` is taken back; None for other offers."""
    record, terms = board.records[row], board.facts[row].terms
    if record.purchase_option != "spot" or terms is None:
        return None
    return terms.interruption_band(record.instance_type)


def per_hour(band: InterruptionBand) -> float:
    """The published monthly share as interruptions per node and hour, a bound from below."""
    return hourly_from_monthly(band.at_least)


def published_interruptions(board: Board, row: int) -> Sentence | None:
    """The published figure with its source, as it is told beside low, expected and high; None where there is none."""
    band = interruption_band(board, row)
    if band is None:
        return None
    facts = {
        "low": f"{band.share_low:.0%}",
        "high": f"{band.at_least:.0%}",
        "source": band.source,
        "day": band.as_of.isoformat(),
        "rate": plain(per_hour(band), 2),
    }
    return Sentence(OPEN_BAND if band.share_high is None else CLOSED_BAND, facts)


def unknown_terms(board: Board, row: int) -> tuple[str, ...]:
    """The terms of an offer for which an assumption stands in, of STAND_INS; a notice only of a spot offer."""
    terms, spot = _billing_terms(board, row), board.records[row].purchase_option == "spot"
    return tuple(name for name in STAND_INS if getattr(terms, name) is None and (spot or name != "notice_s"))


def stand_in_words(names: Iterable[str]) -> tuple[Sentence, ...]:
    """What is assumed instead of these terms."""
    told = (STAND_INS[name] for name in names)
    return tuple(Sentence(text, {"value": plain(cost_assumption(name).value)}) for name, text in told)


def commitment_words(costs: CostTable, row: int) -> Sentence | None:
    """That a run pays for more of a commitment than it uses; None where it does not."""
    unused, committed = float(costs.unused_usd[row]), float(costs.committed_usd[row])
    if not unused > 0:
        return None
    text = N_("The whole term is owed, used or not: {committed} USD, of which this run uses {used}.")
    return Sentence(text, {"committed": f"{committed:,.2f}", "used": f"{committed - unused:,.2f}"})


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
