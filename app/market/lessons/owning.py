"""The lesson on owning, and the figures of the questions that are asked most."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np

from app.market.answer import RunAnswer
from app.market.lessons.basis import FULL_8B, LORA_14B, Basis, providers_of, question, run_of
from app.market.methods import methods
from app.market.offers import OfferRow
from app.market.rent_or_buy import CAPEX_BAND, DATED, Decision, PurchaseCase, Rent, decide

if TYPE_CHECKING:
    from app.market.service import Market

CARDS = ("h100-sxm5-80gb", "a100-sxm4-80gb", "l40s-48gb", "rtx-4090-24gb")
SHARES = (0.25, 0.5, 0.75, 1.0)
OLD = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class OwnRow:
    """One accelerator: its cheapest on-demand rent (None where nobody offers it) against owning at the default figures;
    `by_use` = owned USD per hour at each of the lesson's shares of use. `query` opens the page with this card."""

    name: str
    rent: Rent | None
    decision: Decision
    by_use: tuple[float, ...]
    query: str
    basis: Basis


@dataclass(frozen=True, slots=True)
class OwnLesson:
    """`use` = share of all hours that the break-even is told at; `band` = share by which purchase prices are uncertain;
    `years` until a card is written off."""

    rows: tuple[OwnRow, ...]
    shares: tuple[float, ...]
    use: float
    band: float
    dated: str
    years: float


def own_lesson(market: Market) -> OwnLesson:
    """Break-even of a few accelerators against today's rents."""
    use = PurchaseCase().utilisation
    rows = tuple(_own(market, key) for key in CARDS)
    return OwnLesson(rows, SHARES, use, CAPEX_BAND, DATED, rows[0].decision.own.years)


def _own(market: Market, key: str) -> OwnRow:
    decision = decide(market, PurchaseCase(accelerator=key))
    curve = {round(share, 2): expected for share, _, expected, _ in decision.curve}
    return OwnRow(
        name=decision.card.name,
        rent=next((rent for rent in decision.rents if rent.kind == "on_demand"), None),
        decision=decision,
        by_use=tuple(curve[share] for share in SHARES),
        query=f"accelerator={key}",
        basis=Basis.of(market, accelerator=key, purchase_option="on_demand"),
    )


@dataclass(frozen=True, slots=True)
class FaqLesson:
    """Figures of the answers. `cheapest` = the least total on demand for the run of the example; `accuracy` maps memory
    and throughput to the median error and the rows it was scored on (missing where not scored)."""

    everything: Basis
    providers: int
    newest: datetime | None
    old_days: int
    old: int
    priced: int
    flagged: Basis
    ambiguous: Basis
    slices: Basis
    unnamed: Basis
    cheapest: OfferRow | None
    run_query: str
    model: str
    hidden: int
    holding: Basis
    consumer: Basis
    answer: RunAnswer
    accuracy: Mapping[str, Mapping[str, Any]]
    usable_gib: float
    nominal_gb: float
    card: str


def faq_lesson(market: Market) -> FaqLesson:
    """Counts and examples for the answers."""
    board, card = market.board, market.catalog.accelerator(CARDS[0])
    page = market.list_offers(question(**LORA_14B, purchase_option="on_demand", flagged="0", per_page=1))
    holding = Basis.of(market, **LORA_14B)
    seen = board.numbers["observed_at"]
    edge = (board.as_of - OLD).timestamp() if board.as_of else 0.0
    return FaqLesson(
        everything=Basis.of(market),
        providers=len(providers_of(board)),
        newest=board.as_of,
        old_days=OLD.days,
        old=int(np.count_nonzero(seen < edge)),
        priced=int(np.count_nonzero(np.isfinite(board.numbers["price_usd_per_hour"]))),
        flagged=Basis.of(market, flagged="1"),
        ambiguous=Basis.of(market, accelerator_status="ambiguous"),
        slices=Basis.of(market, accelerator_status="slice"),
        unnamed=Basis.of(market, accelerator_status="unknown"),
        cheapest=page.rows[0] if page.rows else None,
        run_query=question(**LORA_14B).to_query_string(),
        model=market.catalog.model(LORA_14B["model"]).name,
        hidden=len(board) - holding.n,
        holding=holding,
        consumer=Basis.of(market, **LORA_14B, accelerator_tier="consumer"),
        answer=market.answer(run_of(**FULL_8B)),
        accuracy=_accuracy(),
        usable_gib=card.usable_gib,
        nominal_gb=card.memory_nominal_gb,
        card=card.name,
    )


def _accuracy() -> Mapping[str, Mapping[str, Any]]:
    return {item.name: item.summary for item in methods().accuracy if "median_abs_error" in item.summary}
