"""What the first reader after a new board would wait for, piece by piece, so that it is found before anybody asks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from app.domain.offer import PURCHASE_OPTIONS
from app.market.lessons import LESSONS, lesson
from app.market.price_report import PriceQuestion, price_report

if TYPE_CHECKING:
    from app.market.service import Market


def ahead(market: Market) -> Iterator[Callable[[], object]]:
    """The market page for every purchase option, then every lesson. Each piece is kept in the board that is current
    when it is called."""
    for option in PURCHASE_OPTIONS:
        yield partial(price_report, market, PriceQuestion(option))
    for slug in LESSONS:
        yield partial(lesson, market, slug)
