"""Accelerators, models and methods as views, and short tables of offers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from markupsafe import Markup

from app.domain.accelerator import Accelerator
from app.domain.model import ModelShape
from app.market import history, overview
from app.market.methods import Methods, methods
from app.market.overview import Spread
from app.market.query import OfferQuery
from app.market.service import Market
from app.web.cells import RowWriter
from app.web.offers import HeaderCell, display_columns, header_of
from app.web.question import href

TIERS = ("datacenter", "workstation", "consumer")
CHEAPEST = 25


@dataclass(frozen=True, slots=True)
class OfferTable:
    """A short table of offers with the address of the whole."""

    header: tuple[HeaderCell, ...]
    rows: Markup
    total: int
    href: str


@dataclass(frozen=True, slots=True)
class AcceleratorsView:
    """Accelerators that are on offer and those that are not, by class and memory, with their prices."""

    cards: Sequence[Accelerator]
    spreads: Mapping[str, Spread]


@dataclass(frozen=True, slots=True)
class AcceleratorView:
    """One accelerator. `days` are daily lows and medians, oldest first; `drawn_points` the median on-demand prices."""

    card: Accelerator
    spread: Spread | None
    table: OfferTable
    days: Sequence[Any]
    drawn_points: Sequence[tuple[datetime, float]]


@dataclass(frozen=True, slots=True)
class ModelView:
    """One model and runs to start from."""

    shape: ModelShape
    runs: Sequence[tuple[str, str]]


def accelerators_view(market: Market) -> AcceleratorsView:
    """All accelerators of the catalog."""
    cards = sorted(
        market.catalog.accelerators.values(),
        key=lambda card: (TIERS.index(card.tier), -card.memory_nominal_gb, card.name),
    )
    return AcceleratorsView(cards, overview.by_accelerator(market.board))


def accelerator_view(market: Market, key: str) -> AcceleratorView:
    """One accelerator.

    Raises:
        NotFound: there is none with this key.
    """
    card = market.catalog.accelerator(key)
    days = history.accelerator_days(market.engine, key)
    return AcceleratorView(
        card=card,
        spread=overview.by_accelerator(market.board).get(key),
        table=offer_table(market, accelerator=key, sort="accelerator_price"),
        days=days,
        drawn_points=[
            (datetime(day.day.year, day.day.month, day.day.day, tzinfo=UTC), day.median_usd)
            for day in days
            if day.purchase_option == "on_demand"
        ],
    )


def models_view(market: Market) -> Sequence[ModelShape]:
    """All models of the catalog."""
    return list(market.catalog.models.values())


def model_view(market: Market, key: str) -> ModelView:
    """One model.

    Raises:
        NotFound: there is none with this key.
    """
    shape = market.catalog.model(key)
    runs = [
        (method, href(OfferQuery.parse({"model": [key], "method": [method]})))
        for method in ("qlora", "lora", "full")
    ]
    return ModelView(shape, runs)


def offer_table(market: Market, **asked: str) -> OfferTable:
    """The cheapest offers that answer a few parameters."""
    query = OfferQuery.parse({name: [value] for name, value in (asked | {"per_page": str(CHEAPEST)}).items()})
    page = market.list_offers(query)
    columns = display_columns(query)
    writer = RowWriter(columns, market.clock(), "")
    whole = OfferQuery.parse({name: [value] for name, value in asked.items()})
    header = tuple(header_of(column, whole) for column in columns)
    return OfferTable(header, Markup("\n").join(map(writer.row, page.rows)), page.total, href(whole))


def methods_view() -> Methods:
    """Formulas, constants and accuracy."""
    return methods()
