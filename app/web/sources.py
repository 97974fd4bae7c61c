"""Providers, their sources, and how fresh everything is, as views."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from app.market import freshness, overview
from app.market.cards import cards_by_slug
from app.market.labels import PURCHASE_LABELS, SOURCE_LABELS
from app.market.overview import Spread
from app.market.provider_facts import ProviderFacts, Source, provider_facts, source_of
from app.market.rates import RATES
from app.market.service import Market
from app.market.status import SourceStatus
from app.market.units import Units
from app.web.histories import ProviderHistory, provider_history
from app.web.question import CURRENCY
from app.web.reference import OfferTable, offer_table

STALE = timedelta(hours=36)
"""Since the last success."""
SAID = (
    "accelerator_label", "accelerator_count", "instance_type", "purchase_option", "term_months", "price_usd_per_hour",
    "price_usd_per_accelerator_hour", "country", "region", "memory_gib_per_accelerator", "intra_node_link", "fabric",
    "fabric_gbps", "vcpus", "ram_gib", "observed_at",
)  # fmt: skip
"""What tells offers of one provider apart."""


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A source in a list. `state`: `fits` fresh, `tight` ageing (not read lately, or what it says is old), `bad` failing or held, `unknown` never asked, `bundled`
    the snapshot, which is never asked again. `kind` says where it reads."""

    facts: Source
    kind: str
    state: str

    @property
    def slug(self) -> str:
        """Of the source."""
        return self.facts.card.slug

    @property
    def rejected(self) -> int:
        """Rows that the newest run refused."""
        return sum(reject.rows for reject in self.facts.rejects)


@dataclass(frozen=True, slots=True)
class ProviderLine:
    """A provider in the list. `sources` are the kinds of its sources, `missing` the variables that they wait for."""

    slug: str
    name: str
    spread: Spread | None
    terms: Any
    sources: Sequence[str]
    missing: Sequence[str]


@dataclass(frozen=True, slots=True)
class ProvidersView:
    """Providers with offers, and those without any today; both by name."""

    rows: Sequence[ProviderLine]
    silent: Sequence[ProviderLine]


@dataclass(frozen=True, slots=True)
class ProviderView:
    """One provider: what is known of it, its sources, and its cheapest offers. `options` are words."""

    facts: ProviderFacts
    money: Units
    sources: Sequence[SourceLine]
    table: OfferTable
    options: Mapping[str, str]
    history: ProviderHistory


@dataclass(frozen=True, slots=True)
class StatusView:
    """Every source that is known, asked or not."""

    offers: int
    sources: Sequence[SourceLine]
    rates: Mapping[str, date]


def providers_view(market: Market) -> ProvidersView:
    """All providers that have offers or a source."""
    spreads, status = overview.by_provider(market.board), market.status()
    sources: dict[str, list[Source]] = {}
    for card in cards_by_slug().values():
        for slug in card.covers if card.source_kind != "snapshot" else ():
            sources.setdefault(slug, []).append(source_of(card, status, slug))
    lines = [_provider_line(market, slug, spreads, sources.get(slug, [])) for slug in {**spreads, **sources}]
    lines.sort(key=lambda line: line.name.casefold())
    return ProvidersView([line for line in lines if line.spread], [line for line in lines if not line.spread])


def provider_view(market: Market, slug: str, asked: Mapping[str, str]) -> ProviderView:
    """One provider, its prices in the currency that is asked for.

    Raises:
        BadInput: there is no such currency.
        NotFound: it has no offers, no source, and the catalog does not know it.
    """
    facts, now = provider_facts(market, slug), market.clock()
    money = Units.in_currency(asked.get(CURRENCY), market.board)
    return ProviderView(
        facts=facts,
        money=money,
        sources=[_source_line(source, now) for source in facts.sources],
        table=offer_table(market, SAID, provider=slug, sort="accelerator_price", **asked),
        options=PURCHASE_LABELS,
        history=provider_history(market, slug),
    )


def status_view(market: Market) -> StatusView:
    """How fresh everything is: failing sources first, then by name."""
    status, now = market.status(), market.clock()
    cards = (*cards_by_slug().values(), RATES)
    lines = [_source_line(source_of(card, status), now) for card in cards]
    order = ("bad", "tight", "fits", "bundled", "unknown")
    lines.sort(key=lambda line: (order.index(line.state), line.facts.card.name.casefold()))
    return StatusView(len(market.board), lines, status.rates)


def _provider_line(
    market: Market, slug: str, spreads: Mapping[str, Spread], sources: Sequence[Source]
) -> ProviderLine:
    kinds = [kind for kind in SOURCE_LABELS if any(source.card.source_kind == kind for source in sources)]
    return ProviderLine(
        slug=slug,
        name=market.catalog.provider_name(slug),
        spread=spreads.get(slug),
        terms=market.catalog.terms(slug),
        sources=[SOURCE_LABELS[kind] for kind in kinds],
        missing=[source.missing for source in sources if source.missing],
    )


def _source_line(source: Source, now: datetime) -> SourceLine:
    kind = source.card.source_kind
    state = "bundled" if kind == "snapshot" else _state(source.status, now)
    return SourceLine(source, SOURCE_LABELS[kind], state)


def _state(source: SourceStatus | None, now: datetime) -> str:
    if source is None or source.last_attempt is None:
        return "unknown"
    if source.failures or source.holds:
        return "bad"
    asked = source.last_success is not None and now - source.last_success <= STALE
    said = source.newest is None or now - source.newest <= freshness.STALE
    return "fits" if asked and said else "tight"
