"""One accelerator as a view: data sheet, cheapest offers by purchase option, spread, alternatives, prices over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.catalog.citations import Citation, cited_in
from app.domain.accelerator import Accelerator
from app.domain.offer import PURCHASE_OPTIONS
from app.market import overview
from app.market.labels import PURCHASE_LABELS
from app.market.overview import Spread
from app.market.price_levels import Level, levels
from app.market.service import Market
from app.market.units import Units
from app.web.histories import DayHistory, accelerator_history, span_of
from app.web.question import CURRENCY
from app.web.reference import OfferTable, offer_table

CHEAPEST = 5
SAID = (
    "provider", "accelerator_count", "instance_type", "price_usd_per_hour", "price_usd_per_accelerator_hour", "term_months",
    "country", "region", "intra_node_link", "fabric", "fabric_gbps", "vcpus", "ram_gib", "observed_at", "source",
)  # fmt: skip
"""What tells offers of one accelerator, bought in one way, apart."""
UNBOUND = ("on_demand", "spot")
"""Bought without a term."""
ALIKE = 0.1
"""Memory within this share counts as the same."""
MOST_ALTERNATIVES = 10


@dataclass(frozen=True, slots=True)
class ProviderRow:
    """A provider's lowest price by purchase option; `offers` counts its unflagged ones."""

    slug: str
    name: str
    lows: Mapping[str, tuple[float, str]]
    offers: int


@dataclass(frozen=True, slots=True)
class AcceleratorView:
    """What `accelerator.html` shows. `tables` and `options`: (purchase option, its words) that have offers."""

    card: Accelerator
    money: Units
    spread: Spread | None
    tables: Sequence[tuple[str, OfferTable]]
    levels: Mapping[str, Level]
    providers: Sequence[ProviderRow]
    alternatives: Sequence[tuple[Accelerator, Spread]]
    history: DayHistory
    words: Mapping[str, str]
    citations: Sequence[Citation]


def accelerator_view(market: Market, key: str, asked: Mapping[str, str]) -> AcceleratorView:
    """One accelerator, its prices over the days and in the currency that are asked for.

    Raises:
        NotFound: there is none with this key.
        BadInput: no such span or currency.
        UnknownParameter: anything else is asked.
    """
    days, money = span_of(asked), Units.in_currency(asked.get(CURRENCY), market.board)
    kept = {name: value for name, value in asked.items() if name == CURRENCY}
    card, spreads = market.catalog.accelerator(key), overview.by_accelerator(market.board)
    found = _levels(market, key)
    return AcceleratorView(
        card=card,
        money=money,
        spread=spreads.get(key),
        tables=[
            (
                option,
                offer_table(
                    market,
                    [name for name in SAID if name != "term_months" or option not in UNBOUND],
                    CHEAPEST,
                    accelerator=key,
                    purchase_option=option,
                    flagged="no",
                    sort="accelerator_price",
                    **kept,
                ),
            )
            for option in found
        ],
        levels=found,
        providers=_providers(found),
        alternatives=_alternatives(market, card, spreads),
        history=accelerator_history(market, key, days, kept),
        words=PURCHASE_LABELS,
        citations=cited_in(card.source),
    )


def _levels(market: Market, key: str) -> dict[str, Level]:
    """By purchase option, where it has a sound price."""
    found: dict[str, Level] = {}
    for option in PURCHASE_OPTIONS:
        level = next(
            (one for one in levels(market.board, market.catalog, option) if one.card.key == key), None
        )
        if level is not None:
            found[option] = level
    return found


def _providers(found: Mapping[str, Level]) -> list[ProviderRow]:
    """Every provider, the cheapest on demand first."""
    lows: dict[str, dict[str, tuple[float, str]]] = {}
    names: dict[str, str] = {}
    offers: dict[str, int] = {}
    for option, level in found.items():
        for low in level.providers:
            slug = low.record.provider
            lows.setdefault(slug, {})[option] = (low.usd, low.record.id)
            names[slug] = low.record.provider_name
            offers[slug] = offers.get(slug, 0) + low.offers
    rows = [ProviderRow(slug, names[slug], told, offers[slug]) for slug, told in lows.items()]
    return sorted(rows, key=lambda row: [row.lows.get(option, (float("inf"), ""))[0] for option in found])


def _alternatives(
    market: Market, card: Accelerator, spreads: Mapping[str, Spread]
) -> list[tuple[Accelerator, Spread]]:
    """Accelerators on offer with as much memory, the cheapest on demand first."""
    if card.memory_gib is None:
        return []
    alike = [
        (other, spreads[other.key])
        for other in market.catalog.accelerators.values()
        if other.key != card.key
        and other.key in spreads
        and other.memory_gib is not None
        and abs(other.memory_gib / card.memory_gib - 1) <= ALIKE
    ]
    alike.sort(key=lambda pair: (pair[1].low_on_demand is None, pair[1].low_on_demand or 0.0, pair[0].name))
    return alike[:MOST_ALTERNATIVES]
