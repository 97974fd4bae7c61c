"""Lists of accelerators and models, methods, and short tables of offers, as views."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from app.domain.accelerator import Accelerator
from app.domain.model import ModelShape
from app.market import overview
from app.market.methods import Methods, methods
from app.market.overview import Spread
from app.market.query import OfferQuery
from app.market.service import Market
from app.web.cells import RowWriter
from app.web.offers import HeaderCell, header_of
from app.web.question import href, run_query

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


def accelerators_view(market: Market) -> AcceleratorsView:
    """All accelerators of the catalog."""
    cards = sorted(
        market.catalog.accelerators.values(),
        key=lambda card: (TIERS.index(card.tier), -card.memory_nominal_gb, card.name),
    )
    return AcceleratorsView(cards, overview.by_accelerator(market.board))


def models_view(market: Market) -> Sequence[ModelShape]:
    """All models of the catalog."""
    return list(market.catalog.models.values())


def offer_table(market: Market, columns: Sequence[str], most: int = CHEAPEST, /, **asked: str) -> OfferTable:
    """The cheapest offers, at most so many, that answer a few parameters, in the columns that say more than the page
    around them does."""
    shown = {"per_page": str(most), "columns": ",".join(columns)}
    query = OfferQuery.parse({name: [value] for name, value in (asked | shown).items()})
    page = market.list_offers(query)
    writer = RowWriter(query.shown_columns, market.clock(), run_query(query), page.units)
    whole = OfferQuery.parse({name: [value] for name, value in asked.items()})
    header = tuple(header_of(column, whole, page.units) for column in query.shown_columns)
    return OfferTable(header, Markup("\n").join(map(writer.row, page.rows)), page.total, href(whole))


def methods_view() -> Methods:
    """Formulas, constants and accuracy."""
    return methods()
