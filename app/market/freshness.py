"""Whether prices can still be trusted: how old the newest is, and which sources did not answer when last asked."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from app.db.tables import provider

if TYPE_CHECKING:
    from app.market.service import Market

STALE = timedelta(days=3)


@dataclass(frozen=True, slots=True)
class Freshness:
    """`newest` is the newest observation on the board, `asked` sources have been tried, `failing` of them did not answer
    the last time."""

    newest: datetime | None
    asked: int
    failing: int
    stale: bool

    @property
    def last_refresh_failed(self) -> bool:
        """No source that was asked answered."""
        return self.asked > 0 and self.failing == self.asked


def freshness_of(market: Market) -> Freshness:
    """The state of this moment."""
    query = select(func.count(), func.count().filter(provider.c.failures > 0)).where(
        provider.c.last_attempt.is_not(None)
    )
    with market.engine.connect() as connection:
        asked, failing = connection.execute(query).one()
    newest = market.board.as_of
    stale = newest is not None and market.clock() - newest > STALE
    return Freshness(newest, asked, failing, stale)
