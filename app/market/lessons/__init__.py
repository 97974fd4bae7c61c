"""What the lessons teach with: live figures of the board and the calculator, one topic a module.

`lesson(market, slug)` gives the figures of one page. They are computed once per board: nothing here knows the clock,
and every figure carries the question that shows it in the table or on the fit page.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from app.domain.errors import NotFound
from app.market.board import Board, per_board
from app.market.lessons.billing import billing_lesson
from app.market.lessons.host import cpu_lesson, storage_lesson
from app.market.lessons.links import link_lesson
from app.market.lessons.memory import batch_lesson, memory_lesson, topology_lesson
from app.market.lessons.owning import faq_lesson, own_lesson
from app.market.lessons.speed import benchmark_lesson, bound_lesson
from app.market.lessons.spot import spot_lesson

if TYPE_CHECKING:
    from app.market.service import Market

LESSONS: Mapping[str, Callable[[Market], Any]] = {
    "memory": memory_lesson,
    "batch-size": batch_lesson,
    "topology": topology_lesson,
    "interconnect": link_lesson,
    "bound": bound_lesson,
    "benchmark": benchmark_lesson,
    "spot": spot_lesson,
    "billing": billing_lesson,
    "storage": storage_lesson,
    "cpu": cpu_lesson,
    "rent-or-buy": own_lesson,
    "faq": faq_lesson,
}
"""Slug → figures, in reading order."""


def lesson(market: Market, slug: str) -> Any:
    """The figures of a lesson.

    Raises:
        NotFound: there is no such lesson.
    """
    if slug not in LESSONS:
        raise NotFound("lesson", slug)
    return _kept(market.board, market, slug)


@per_board(len(LESSONS))
def _kept(board: Board, market: Market, slug: str) -> Any:
    return LESSONS[slug](market)
