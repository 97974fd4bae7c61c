"""The fit page as a view: what a run needs, before any price; then who offers that within its limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from app.domain.errors import BadInput
from app.domain.run import TrainingRun
from app.market.query import OfferQuery
from app.market.service import Market
from app.web.bars import MemoryBar, bar_of
from app.web.choices import Pick, cheapest_on_demand, choices_view
from app.web.compare import address_of
from app.web.question import Question, href, href_without, question_of, run_alone
from app.web.run_form import PRESETS, Preset, label_of

LIMITS = ("budget", "deadline", "price_unknown", "time_unknown")
"""Reasons that come from what the person set, not from what the machine is."""


@dataclass(frozen=True, slots=True)
class LeverLink:
    """A lever and the address of the run with it applied."""

    lever: Any
    href: str


@dataclass(frozen=True, slots=True)
class PresetLink:
    """A run to start from and its address."""

    preset: Preset
    href: str


@dataclass(frozen=True, slots=True)
class Offered:
    """Offers for the run: `hold` have the memory, `left` of them are within its limits, `ruled_out` is (reason, offers,
    address) of the rest. `picks` are the offers worth looking at first, each with everything it was picked for, and
    `compare_href` puts them side by side."""

    hold: int
    left: int
    ruled_out: tuple[tuple[str, int, str], ...]
    picks: tuple[tuple[tuple[str, ...], Pick], ...]
    compare_href: str


@dataclass(frozen=True, slots=True)
class FitView:
    """What `fit.html` shows; `answer` and what follows it is None until a model is named. `short` is the machine that
    the levers are about."""

    question: Question
    presets: tuple[PresetLink, ...]
    run: TrainingRun | None = None
    answer: Any = None
    bar: MemoryBar | None = None
    short: str | None = None
    levers: tuple[LeverLink, ...] = ()
    offered: Offered | None = None
    offers_href: str = "/"
    hidden_href: str = "/"
    error: BadInput | None = None
    asked: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def without_href(self) -> str:
        """What was asked but for what is wrong."""
        return href_without(self.asked, self.error.field, "/fit") if self.error else "/fit"

    @property
    def wrong_label(self) -> str:
        """The field that is wrong, as the form calls it."""
        return label_of(self.error.field) if self.error else ""

    def model_href(self, key: str) -> str:
        """What was asked, of another model."""
        return f"/fit?{urlencode({**self.asked, 'model': [key]}, doseq=True)}"


def fit_view(market: Market, query: OfferQuery) -> FitView:
    """The answer for the run of a question.

    Raises:
        BadInput: the run cannot be answered as asked.
    """
    question = question_of(query.to_params(), {}, False)
    if query.run is None:
        return FitView(question, preset_links())
    answer, alone = market.answer(query.run), run_alone(query)
    short = answer.smaller.label if answer.smaller else answer.compared
    levers = answer.smaller.levers if answer.smaller else answer.levers
    return FitView(
        question=question,
        presets=preset_links(),
        run=query.run,
        answer=answer,
        bar=bar_of(answer.reach.memory, answer.reach.usable_gib) if answer.reach else None,
        short=short,
        levers=lever_links(query, levers, "/fit"),
        offered=_offered(market, alone),
        offers_href=href(alone),
        hidden_href=href(alone.with_(show_hidden=1)),
    )


def refused_view(asked: Mapping[str, Sequence[str]], error: BadInput) -> FitView:
    """The form as it was filled in, and what is wrong."""
    return FitView(question_of(asked, {}, False), preset_links(), error=error, asked=asked)


def lever_links(query: OfferQuery, levers: Sequence[Any], path: str) -> tuple[LeverLink, ...]:
    """Each lever with the link that applies it."""
    return tuple(LeverLink(lever, href(query.with_(**lever.changes), path)) for lever in levers)


def preset_links() -> tuple[PresetLink, ...]:
    """The runs to start from."""
    return tuple(
        PresetLink(one, href(OfferQuery.parse({name: [value] for name, value in one.fields.items()}), "/fit"))
        for one in PRESETS
    )


def _offered(market: Market, alone: OfferQuery) -> Offered:
    page = market.list_offers(alone.with_(per_page=1))
    out = tuple(
        (name, n, href(alone.with_(reason=name))) for name, n in page.hidden.items() if name in LIMITS
    )
    choices = choices_view(market, alone)
    picks = choices.picks if choices is not None else ()
    merged = _merged((*picks, *cheapest_on_demand(market, alone)))
    return Offered(
        hold=page.total + sum(number for _, number, _ in out),
        left=page.total,
        ruled_out=out,
        picks=merged,
        compare_href=address_of(alone, [pick.id for _, pick in merged], False),
    )


def _merged(picks: Sequence[Pick]) -> tuple[tuple[tuple[str, ...], Pick], ...]:
    """One line an offer, although it may be the cheapest and the cheapest in time."""
    titles: dict[str, list[str]] = {}
    for pick in picks:
        titles.setdefault(pick.id, []).append(pick.title)
    first = {pick.id: pick for pick in reversed(picks)}
    return tuple((tuple(words), first[key]) for key, words in titles.items())
