"""The market in figures: levels of now, index, movers of the week, spread and discounts, for one purchase option."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import Engine

from app.domain.errors import BadInput, UnknownParameter
from app.domain.offer import PURCHASE_OPTIONS
from app.domain.sentence import N_, none_of
from app.market import history
from app.market.board import Board, per_board
from app.market.movers import Movers, movers
from app.market.price_index import IndexPoint
from app.market.price_levels import Discounts, Level, discounts, levels
from app.market.units import CURRENCIES

if TYPE_CHECKING:
    from app.catalog import Catalog
    from app.market.service import Market

SPANS = (30, 90, 365)
"""Days of history that can be asked for."""
SORTS: Mapping[str, Callable[[Level], float | str | None]] = {
    "accelerator": lambda level: level.card.name.casefold(),
    "low": lambda level: level.low,
    "median": lambda level: level.median,
    "high": lambda level: level.high,
    "offers": lambda level: level.offers,
    "providers": lambda level: len(level.providers),
    "ratio": lambda level: level.ratio,
    "gib": lambda level: level.usd_per_gib_hour,
    "tflops": lambda level: level.usd_per_tflops_hour,
}
PLAIN = {
    "purchase_option": "on_demand",
    "days": "90",
    "sort": "accelerator",
    "order": "asc",
    "currency": "USD",
}
"""What goes without saying."""
METHOD = N_(
    "Chained matched-offer index, 100 on the first day. From one recorded day to the next only offers that the same "
    "source lists on both days count, each against its own former price in its own currency; the geometric mean of "
    "their price ratios is taken per provider, then over providers. So a provider that enters or leaves does not move "
    "the index, and a provider with many regions counts once. It begins anew where no offer links two days."
)


@dataclass(frozen=True, slots=True)
class PriceQuestion:
    """What is asked of the market: for which purchase option, over how many days, in which order, and in which currency
    the prices of now are shown."""

    option: str = "on_demand"
    days: int = 90
    sort: str = "accelerator"
    descending: bool = False
    currency: str = "USD"

    @classmethod
    def parse(cls, given: Mapping[str, str]) -> PriceQuestion:
        """From parameters by name.

        Raises:
            BadInput: a value that is none of the choices; names the parameter.
            UnknownParameter: there is no such parameter.
        """
        choices = {
            "purchase_option": PURCHASE_OPTIONS,
            "days": tuple(map(str, SPANS)),
            "sort": tuple(SORTS),
            "order": ("asc", "desc"),
            "currency": CURRENCIES,
        }
        asked = {name: value for name, value in given.items() if name != "lang"}
        for name, value in asked.items():
            if name not in choices:
                raise UnknownParameter(name[:60], "there is no such parameter")
            if value not in choices[name]:
                raise BadInput(name, none_of(value[:60], choices[name]))
        return cls(
            asked.get("purchase_option", "on_demand"),
            int(asked.get("days", "90")),
            asked.get("sort", "accelerator"),
            asked.get("order") == "desc",
            asked.get("currency", "USD"),
        )

    def to_params(self, **changes: object) -> dict[str, str]:
        """The parameters that say this question with some changed (None = default), only what differs from it."""
        asked = {
            "purchase_option": self.option,
            "days": str(self.days),
            "sort": self.sort,
            "order": "desc" if self.descending else "asc",
            "currency": self.currency,
        }
        asked |= {name: str(value) for name, value in changes.items()}
        return {name: value for name, value in asked.items() if value != PLAIN[name]}


@dataclass(frozen=True, slots=True)
class PriceReport:
    """Everything that the market page and its API show. `index` is by accelerator over the asked days, from
    `index_since` to `newest_day`; `starts` is the first day of which anything is recorded. `ambiguous` offers name an
    accelerator that may be several and count nowhere; `options` counts the offers of every purchase option."""

    question: PriceQuestion
    as_of: datetime | None
    levels: Sequence[Level]
    movers: Movers
    discounts: Sequence[Discounts]
    index: Mapping[str, Sequence[IndexPoint]]
    index_since: date | None
    newest_day: date | None
    starts: date | None
    flagged: int
    ambiguous: int
    options: Mapping[str, int]


def price_report(market: Market, question: PriceQuestion) -> PriceReport:
    """The report; what is dear to find is kept while the board and the day are the same."""
    board = market.board
    today = market.clock().date()
    found = _standing(board, market.engine, market.catalog, question.option, today)
    newest = history.newest_day(market.engine)
    since = None if newest is None else history.day_before(newest, question.days)
    index = {} if since is None else _index(board, market.engine, question.option, since, today)
    return PriceReport(
        question=question,
        as_of=board.as_of,
        levels=in_order(found.levels, question),
        movers=found.movers,
        discounts=found.discounts,
        index=index,
        index_since=since,
        newest_day=newest,
        starts=history.oldest_day(market.engine),
        flagged=sum(level.flagged for level in found.levels),
        ambiguous=found.ambiguous,
        options=found.options,
    )


def in_order(found: Sequence[Level], question: PriceQuestion) -> list[Level]:
    """Levels in the asked order; unknown comes last both ways, ties by name."""
    value = SORTS[question.sort]
    known = [level for level in found if value(level) is not None]
    unknown = [level for level in found if value(level) is None]
    return sorted(known, key=value, reverse=question.descending) + unknown  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class _Standing:
    levels: Sequence[Level]
    movers: Movers
    discounts: Sequence[Discounts]
    ambiguous: int
    options: Mapping[str, int]


@per_board(8)
def _standing(board: Board, engine: Engine, catalog: Catalog, option: str, today: date) -> _Standing:
    bought = board.texts["purchase_option"]
    unclear = board.texts["accelerator_status"].where(lambda status: status == "ambiguous")
    until = board.as_of or datetime.combine(today, time(), UTC)
    options = {name: int(np.count_nonzero(bought.where(name.__eq__))) for name in PURCHASE_OPTIONS}
    return _Standing(
        levels=levels(board, catalog, option),
        movers=movers(engine, board, until),
        discounts=discounts(board, catalog),
        ambiguous=int(np.count_nonzero(unclear & bought.where(option.__eq__))),
        options={name: count for name, count in options.items() if count},
    )


@per_board(8)
def _index(
    _board: Board, engine: Engine, option: str, since: date, _today: date
) -> Mapping[str, Sequence[IndexPoint]]:
    """Indices that more than a day has been linked for; kept while the board and the day are the same."""
    found = history.index_by_accelerator(engine, option, since)
    return {accelerator: points for accelerator, points in found.items() if len(points) > 1}
