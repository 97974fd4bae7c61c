"""What is known of one provider: terms, clusters, what it offers where, and how its sources are doing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from app.catalog.hardware import FabricRule
from app.catalog.terms import ProviderTerms
from app.domain.coded import Coded, RowArray, distinct_rows, word_key
from app.domain.errors import MissingKey, NotFound, SwitchedOff
from app.domain.offer import PURCHASE_OPTIONS
from app.market import overview
from app.market.board import Board
from app.market.cards import cards_by_slug
from app.market.overview import Spread
from app.market.status import HoldStatus, RejectStatus, RunStatus, SourceStatus, Status
from app.providers.card import ProviderCard

if TYPE_CHECKING:
    from app.market.service import Market

_RUNS_LISTED = 15


@dataclass(frozen=True, slots=True)
class Coverage:
    """One accelerator (`key` None where the name may mean several) in the regions where it is on offer. Prices are USD
    per whole accelerator and hour; None where no offer of that kind states one."""

    key: str | None
    label: str
    offers: int
    counts: tuple[float, ...]
    regions: tuple[str, ...]
    purchase_options: tuple[str, ...]
    low_on_demand: float | None
    low_spot: float | None


@dataclass(frozen=True, slots=True)
class Source:
    """One source of a provider's offers. `missing` is the variable that it waits for, `off` says that the operator has switched it off; `status` is None for one that was
    never asked. Rejects and holds are those of one provider where the page is about one."""

    card: ProviderCard
    status: SourceStatus | None
    missing: str | None
    off: bool = False
    rejects: tuple[RejectStatus, ...] = ()
    holds: tuple[HoldStatus, ...] = ()


@dataclass(frozen=True, slots=True)
class ProviderFacts:
    """Everything of one provider. `runs` are the newest of all its sources, each with the source's name."""

    slug: str
    name: str
    spread: Spread | None
    terms: ProviderTerms
    fabrics: tuple[FabricRule, ...]
    coverage: tuple[Coverage, ...]
    sources: tuple[Source, ...]
    runs: tuple[tuple[str, RunStatus], ...] = field(default=())

    @property
    def regions(self) -> tuple[str, ...]:
        """Regions with an offer, in order."""
        return tuple(sorted({region for item in self.coverage for region in item.regions}))


def provider_facts(market: Market, slug: str) -> ProviderFacts:
    """One provider.

    Raises:
        NotFound: it has no offers, no source, and the catalog does not know it.
    """
    cards = [card for card in cards_by_slug().values() if slug in card.covers]
    board = market.board
    rows = np.flatnonzero(board.texts["provider"].where(lambda name: name == slug))
    if not len(rows) and not cards and slug not in market.catalog.providers.names:
        raise NotFound("provider", slug)
    status = market.status()
    sources = tuple(source_of(card, status, slug) for card in cards)
    runs = [(one.card.name, run) for one in sources if one.status for run in one.status.runs]
    return ProviderFacts(
        slug=slug,
        name=market.catalog.provider_name(slug),
        spread=overview.by_provider(board).get(slug),
        terms=market.catalog.terms(slug),
        fabrics=market.catalog.fabrics_of(slug),
        coverage=tuple(coverage_of(board, rows)),
        sources=sources,
        runs=tuple(sorted(runs, key=lambda pair: pair[1].started_at, reverse=True)[:_RUNS_LISTED]),
    )


def source_of(card: ProviderCard, status: Status, provider: str | None = None) -> Source:
    """How a source is doing, on the whole or seen from one provider."""
    state = status.source(card.slug)
    if state is None:
        return Source(card, None, None)
    return Source(
        card=card,
        status=state,
        missing=missing_variable(card, state),
        off=state.last_error == str(SwitchedOff()),
        rejects=tuple(one for one in state.rejects if provider in (None, one.provider)),
        holds=tuple(one for one in state.holds if provider in (None, one.provider)),
    )


def missing_variable(card: ProviderCard, state: SourceStatus | None) -> str | None:
    """The variable without which the source was not asked the last time; None where nothing was missing, or where
    nobody has tried yet."""
    said = state.last_error if state else None
    return next((variable for variable in card.variables if said == str(MissingKey(variable))), None)


def coverage_of(board: Board, rows: RowArray) -> Sequence[Coverage]:
    """Accelerators of some offers, those with the most offers first."""
    names = ("accelerator", "accelerator_label", "accelerator_status")
    firsts, group = distinct_rows([word_key(board.texts[name].take(rows)) for name in names])
    found = [_coverage(board, rows[group == number]) for number in range(len(firsts))]
    return sorted(found, key=lambda item: (-item.offers, item.label.casefold()))


def _coverage(board: Board, rows: RowArray) -> Coverage:
    texts, first = board.texts, int(rows[0])
    options = set(_words(texts["purchase_option"], rows))
    known = texts["accelerator_status"].get(first) == "known"
    return Coverage(
        key=texts["accelerator"].get(first) if known else None,
        label=texts["accelerator_label"].get(first) or "",
        offers=len(rows),
        counts=tuple(np.unique(board.numbers["accelerator_count"][rows]).tolist()),
        regions=tuple(sorted(_words(texts["region"], rows))),
        purchase_options=tuple(option for option in PURCHASE_OPTIONS if option in options),
        low_on_demand=_lowest(board, rows, "on_demand"),
        low_spot=_lowest(board, rows, "spot"),
    )


def _words(words: Coded, rows: RowArray) -> list[str]:
    return [words.names[code] for code in np.unique(words.codes[rows]) if code >= 0]


def _lowest(board: Board, rows: RowArray, option: str) -> float | None:
    """The cheapest price that nobody doubts."""
    wanted = board.texts["purchase_option"].take(rows).where(lambda name: name == option)
    prices = board.numbers["price_usd_per_accelerator_hour"][rows]
    prices = prices[wanted & (board.numbers["flagged"][rows] == 0) & ~np.isnan(prices)]
    return float(prices.min()) if len(prices) else None
