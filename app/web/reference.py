"""Accelerators, providers, models, status and methods as views."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

from markupsafe import Markup

from app.domain.accelerator import Accelerator
from app.domain.errors import NotFound
from app.domain.model import ModelShape
from app.market import history, overview
from app.market.cards import cards_by_slug
from app.market.columns import SOURCE_LABELS
from app.market.methods import Methods, methods
from app.market.overview import Spread
from app.market.query import OfferQuery
from app.market.service import Market
from app.web.cells import RowWriter
from app.web.offers import HeaderCell, display_columns, header_of
from app.web.question import href

TIERS = ("datacenter", "workstation", "consumer")
CHEAPEST = 25
STALE = timedelta(hours=36)


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
class ProvidersView:
    """Every provider with offers, by name."""

    rows: Sequence[tuple[str, str, Spread, Any]]


@dataclass(frozen=True, slots=True)
class ProviderView:
    """One provider: terms, offers, and what its sources last said."""

    slug: str
    name: str
    spread: Spread | None
    terms: Any
    table: OfferTable
    source: Any


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


def providers_view(market: Market) -> ProvidersView:
    """All providers on the board."""
    spreads = overview.by_provider(market.board)
    rows = [
        (slug, market.catalog.provider_name(slug), spread, market.catalog.terms(slug))
        for slug, spread in spreads.items()
    ]
    return ProvidersView(sorted(rows, key=lambda row: row[1].casefold()))


def provider_view(market: Market, slug: str) -> ProviderView:
    """One provider.

    Raises:
        NotFound: it has no offers and the catalog does not know it.
    """
    spread = overview.by_provider(market.board).get(slug)
    if spread is None and slug not in market.catalog.providers.names:
        raise NotFound("provider", slug)
    return ProviderView(
        slug=slug,
        name=market.catalog.provider_name(slug),
        spread=spread,
        terms=market.catalog.terms(slug),
        table=offer_table(market, provider=slug, sort="accelerator_price"),
        source=market.status().source(slug),
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


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A source on the status page. `state`: `fits` fresh, `tight` ageing, `bad` failing, `unknown` never asked,
    `bundled` the snapshot, which is never asked again; `missing` is the key that the source waits for."""

    slug: str
    name: str
    kind: str
    state: str
    missing: str | None
    offers: int
    last_success: datetime | None
    last_attempt: datetime | None
    last_error: str | None
    rejects: Sequence[Any]
    holds: Sequence[Any]

    @property
    def rejected(self) -> int:
        """Rows that the newest run refused."""
        return sum(reject.rows for reject in self.rejects)


@dataclass(frozen=True, slots=True)
class StatusView:
    """Every source that is known, asked or not."""

    offers: int
    sources: Sequence[SourceLine]
    rates: Mapping[str, date]


def status_view(market: Market) -> StatusView:
    """How fresh everything is: failing sources first, then by name."""
    status, now = market.status(), market.clock()
    told = {source.slug: source for source in status.sources}
    cards = cards_by_slug()
    lines = [_source_line(market, slug, told.get(slug), cards.get(slug), now) for slug in {**told, **cards}]
    order = ("bad", "tight", "fits", "bundled", "unknown")
    lines.sort(key=lambda line: (order.index(line.state), line.name.casefold()))
    return StatusView(len(market.board), lines, status.rates)


def _source_line(market: Market, slug: str, source: Any, card: Any, now: datetime) -> SourceLine:
    success = source.last_success if source else None
    missing = card.needs_key if card and success is None else None
    return SourceLine(
        slug=slug,
        name=card.name if card else market.catalog.provider_name(slug),
        kind=SOURCE_LABELS.get(card.source_kind, card.source_kind) if card else SOURCE_LABELS["snapshot"],
        state="bundled" if card and card.source_kind == "snapshot" else _state(source, now - STALE),
        missing=missing,
        offers=source.offers if source else 0,
        last_success=success,
        last_attempt=source.last_attempt if source else None,
        last_error=source.last_error if source else None,
        rejects=source.rejects if source else (),
        holds=source.holds if source else (),
    )


def _state(source: Any, fresh_since: datetime) -> str:
    if source is None or source.last_attempt is None:
        return "unknown"
    if source.failures or source.holds:
        return "bad"
    return "fits" if source.last_success and source.last_success >= fresh_since else "tight"


def methods_view() -> Methods:
    """Formulas, constants and accuracy."""
    return methods()
