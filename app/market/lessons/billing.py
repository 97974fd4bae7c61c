"""The lesson on billing: steps in which time is billed, what providers charge beside it, and one bill in full."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from app.domain.record import OfferRecord
from app.domain.units import SECONDS_PER_HOUR
from app.market.lessons.basis import LORA_14B, Basis, providers_of, question, run_of
from app.market.overview import by_accelerator
from app.training.assumptions_cost import cost_assumption
from app.training.billing import billed, prices_of
from app.training.cost import CostBreakdown

if TYPE_CHECKING:
    from app.catalog import ProviderTerms
    from app.market.service import Market

SHORT_S = 620.0
"""Ten minutes of measuring and twenty seconds: a little over a round figure, as life is."""
CARD = "h100-sxm5-80gb"
STEPS_S = (1.0, 60.0, 3600.0)


@dataclass(frozen=True, slots=True)
class StepRow:
    """Providers on the board that bill in steps of `increment_s` (None = nobody states it): what SHORT_S is billed as,
    and what that costs at one and the same price per hour; None where no price is known."""

    increment_s: float | None
    providers: tuple[str, ...]
    billed_s: float | None
    usd: float | None
    basis: Basis


@dataclass(frozen=True, slots=True)
class Range:
    """A term over all providers on the board: stated by `known` of `providers`, from `low` to `high`; `assumed` stands
    in where it is not stated."""

    known: int
    providers: int
    low: float | None
    high: float | None
    assumed: float


@dataclass(frozen=True, slots=True)
class BillingLesson:
    """`usd_per_hour` = the middle on-demand price of one `card`; `example` = the offer with the least total for a run on
    demand, `bill` its terms (both None where nothing holds it)."""

    card: str
    usd_per_hour: float | None
    priced: Basis
    short_s: float
    rows: tuple[StepRow, ...]
    storage: Range
    egress: Range
    model: str
    example: OfferRecord | None
    bill: CostBreakdown | None
    run_query: str


def billing_lesson(market: Market) -> BillingLesson:
    """How a price per hour becomes a bill."""
    spread = by_accelerator(market.board).get(CARD)
    price = spread.median_on_demand if spread else None
    example = _cheapest(market)
    bill = market.explain(example.id, run_of(**LORA_14B)).cost if example else None
    terms = terms_on_board(market)
    return BillingLesson(
        card=market.catalog.accelerator(CARD).name,
        usd_per_hour=price,
        priced=Basis.of(market, accelerator=CARD, purchase_option="on_demand"),
        short_s=SHORT_S,
        rows=tuple(_steps(market, terms, price)),
        storage=_range([t.storage_usd_per_gb_month for t in terms], "billing.storage"),
        egress=_range([t.egress_usd_per_gb for t in terms], "billing.egress"),
        model=market.catalog.model(LORA_14B["model"]).name,
        example=example,
        bill=bill,
        run_query=question(**LORA_14B).to_query_string(),
    )


def terms_on_board(market: Market) -> list[ProviderTerms]:
    """The terms of every provider that has an offer, by slug."""
    return [market.catalog.terms(slug) for slug in providers_of(market.board)]


def _steps(market: Market, terms: Sequence[ProviderTerms], price: float | None) -> Sequence[StepRow]:
    by_step: dict[float | None, list[str]] = {}
    for item in terms:
        by_step.setdefault(item.billing_increment_s, []).append(item.provider)
    known = sorted(step for step in by_step if step is not None)
    return [
        _step(market, step, by_step[step], price) for step in (*known, *([None] if None in by_step else []))
    ]


def _step(market: Market, step: float | None, slugs: Sequence[str], price: float | None) -> StepRow:
    asked: dict[str, object] = {"provider": ",".join(slugs)}
    names = tuple(sorted((market.catalog.provider_name(slug) for slug in slugs), key=str.casefold))
    seconds = None if step is None else billed_seconds(SHORT_S, step)
    usd = None if seconds is None or price is None else price * seconds / SECONDS_PER_HOUR
    return StepRow(step, names, seconds, usd, Basis.of(market, **asked))


def billed_seconds(seconds: float, increment_s: float) -> float:
    """What a time is billed as in whole steps, without a minimum."""
    one = np.asarray([1.0])
    prices = prices_of([], one[:0], one[:0], one[:0], np.zeros(0, np.bool_))
    whole = replace(prices, increment_s=one * increment_s, minimum_s=one * 0.0, minimum_hours=one * 0.0)
    return float(billed(one * seconds / SECONDS_PER_HOUR, whole)[0] * SECONDS_PER_HOUR)


def _range(values: Sequence[float | None], assumption: str) -> Range:
    known = [value for value in values if value is not None]
    return Range(
        len(known),
        len(values),
        min(known, default=None),
        max(known, default=None),
        cost_assumption(assumption).value,
    )


def _cheapest(market: Market) -> OfferRecord | None:
    query = question(**LORA_14B, purchase_option="on_demand", flagged="0", per_page=1)
    rows = market.list_offers(query).rows
    return rows[0].record if rows else None
