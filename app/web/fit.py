"""The fit page as a view: what a run needs, before any price."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.domain.errors import BadInput
from app.domain.run import TrainingRun
from app.market.query import OfferQuery
from app.market.service import Market
from app.web.offers import preset_links
from app.web.question import Question, href, href_without, question_of, run_alone


@dataclass(frozen=True, slots=True)
class LeverLink:
    """A lever and the address of the run with it applied."""

    lever: Any
    href: str


@dataclass(frozen=True, slots=True)
class FitView:
    """What `fit.html` shows; `answer` is None until a model is named."""

    question: Question
    presets: Sequence[tuple[str, str]]
    run: TrainingRun | None = None
    answer: Any = None
    levers: tuple[LeverLink, ...] = ()
    offers_href: str = "/"
    nothing_within_limits: bool = False
    error: BadInput | None = None
    without_href: str = "/fit"


def fit_view(market: Market, query: OfferQuery) -> FitView:
    """The answer for the run of a question.

    Raises:
        BadInput: the run cannot be answered as asked.
    """
    question = question_of(query.to_params(), {}, False)
    if query.run is None:
        return FitView(question, preset_links("/fit"))
    answer = market.answer(query.run)
    return FitView(
        question=question,
        presets=preset_links("/fit"),
        run=query.run,
        answer=answer,
        levers=lever_links(query, answer.levers, "/fit"),
        offers_href=href(run_alone(query)),
        nothing_within_limits=bool(answer.enough) and not market.frame(query.run).shown().any(),
    )


def refused_view(asked: Mapping[str, Sequence[str]], error: BadInput) -> FitView:
    """The form as it was filled in, and what is wrong."""
    without = href_without(asked, error.field, "/fit")
    return FitView(question_of(asked, {}, False), preset_links("/fit"), error=error, without_href=without)


def lever_links(query: OfferQuery, levers: Sequence[Any], path: str) -> tuple[LeverLink, ...]:
    """Each lever with the link that applies it."""
    return tuple(LeverLink(lever, href(query.with_(**lever.changes), path)) for lever in levers)
