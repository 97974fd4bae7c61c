"""The name card of a source: who it is, what it needs, how often it may be asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from app.domain.offer import SourceKind

Kind = Literal["list_price", "marketplace", "aggregator"]

QUARTER_HOUR = 900
HALF_HOUR = 1_800
HOUR = 3_600
SIX_HOURS = 21_600
DAY = 86_400
WEEK = 604_800


@dataclass(frozen=True, slots=True)
class ProviderCard:
    """One source of offers.

    `needs_key` is the environment variable without which nothing can be fetched; `other_variables` are further ones
    (a team name, the second half of a key). `covers` lists the provider slugs that the source's offers carry, its own
    alone by default. `interval_s` is the polite pace: marketplaces a quarter of an hour, stock half an hour, price
    lists six hours, bulk files a day. `longest_s` is the time after which a scrape counts as failed. `licence` is the licence of the data, where one is stated.
    """

    slug: str
    name: str
    source_kind: SourceKind
    kind: Kind
    homepage: str
    needs_key: str | None = None
    other_variables: tuple[str, ...] = ()
    interval_s: int = SIX_HOURS
    longest_s: int = HALF_HOUR
    terms_note: str = ""
    licence: str = ""
    covers: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.covers:
            object.__setattr__(self, "covers", (self.slug,))

    @property
    def variables(self) -> tuple[str, ...]:
        """Every environment variable that the source reads."""
        return (*((self.needs_key,) if self.needs_key else ()), *self.other_variables)
