"""A day of history: what its quotes come to per accelerator and provider, and its link to the day before."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import lru_cache
from statistics import median
from typing import Any

from sqlalchemy import Connection, func, select, update

from app.db.offers import upsert
from app.db.tables import accelerator_day, provider_day
from app.market.price_index import Group, Link, Quote, links
from app.market.quotes import Day, by_provider, read_quotes, sound, spoken

FURTHEST = timedelta(days=45)
"""Days further apart are not linked."""
_KEPT = 3


@dataclass(frozen=True, slots=True)
class Rows:
    """A day as rows of `accelerator_day` and `provider_day`."""

    accelerators: Sequence[Mapping[str, Any]] = ()
    lows: Sequence[Mapping[str, Any]] = ()

    def store(self, connection: Connection) -> int:
        """Write them over what is there; the number of rows of accelerators."""
        upsert(connection, accelerator_day, self.accelerators, keep=())
        upsert(connection, provider_day, self.lows, keep=())
        return len(self.accelerators)


class Days:
    """Sums up days out of what `connection` reads."""

    def __init__(self, connection: Connection, now: datetime) -> None:
        self._connection, self._now = connection, now
        self.told = lru_cache(maxsize=_KEPT)(self._told)

    def rows(self, day: date, backfilled: bool) -> Rows:
        """A day's rows; of one put together afterwards without those that were written when it was today."""
        found = sound(spoken(self.told(day)))
        summaries = summarise(found)
        if backfilled:
            lived = self._lived_through(day)
            summaries = [
                row for row in summaries if (row["accelerator"], row["purchase_option"]) not in lived
            ]
        if not summaries:
            return Rows()
        linked = self._links(day, found.quotes, {_group(row) for row in summaries})
        rows = [{**row, "day": day, "backfilled": backfilled, **linked[_group(row)]} for row in summaries]
        groups = {_group(row) for row in rows}
        lows = [{**row, "day": day} for row in lows_of(found) if _group(row) in groups]
        return Rows(rows, lows)

    def relink(self, days: Iterable[date]) -> None:
        """Link every recorded day that follows one of these to it anew; this writes."""
        table = accelerator_day.c
        for day in sorted(self._following(days)):
            query = select(table.accelerator, table.purchase_option).where(table.day == day)
            groups = {(row[0], row[1]) for row in self._connection.execute(query)}
            linked = self._links(day, sound(spoken(self.told(day))).quotes, groups)
            for (accelerator, option), values in linked.items():
                self._connection.execute(
                    update(accelerator_day)
                    .where(
                        table.day == day, table.accelerator == accelerator, table.purchase_option == option
                    )
                    .values(**values)
                )

    def _told(self, day: date) -> Sequence[Quote]:
        return read_quotes(self._connection, day, self._now)

    def _lived_through(self, day: date) -> set[Group]:
        table = accelerator_day.c
        query = select(table.accelerator, table.purchase_option)
        rows = self._connection.execute(query.where(table.day == day, ~table.backfilled))
        return {(row[0], row[1]) for row in rows}

    def _links(
        self, day: date, quotes: Sequence[Quote], groups: Collection[Group]
    ) -> dict[Group, dict[str, Any]]:
        """The columns that link a day's groups to the recorded day before each."""
        found: dict[Group, dict[str, Any]] = {group: _link_columns(None, None) for group in groups}
        by_day: dict[date, set[Group]] = defaultdict(set)
        for group, before in self._days_before(day).items():
            if group in found:
                by_day[before].add(group)
        for before, wanted in by_day.items():
            made = links(sound(self.told(before)).quotes, (q for q in quotes if q.group in wanted))
            found |= {group: _link_columns(before, link) for group, link in made.items()}
        return found

    def _days_before(self, day: date) -> dict[Group, date]:
        table = accelerator_day.c
        query = (
            select(table.accelerator, table.purchase_option, func.max(table.day))
            .where(table.day < day, table.day >= day - FURTHEST)
            .group_by(table.accelerator, table.purchase_option)
        )
        return {(row[0], row[1]): row[2] for row in self._connection.execute(query)}

    def _following(self, days: Iterable[date]) -> set[date]:
        written, table = set(days), accelerator_day.c
        found = set()
        for day in written:
            query = (
                select(func.min(table.day))
                .where(table.day > day)
                .group_by(table.accelerator, table.purchase_option)
            )
            found |= set(self._connection.execute(query).scalars())
        return {day for day in found if day is not None} - written


def summarise(day: Day) -> list[dict[str, Any]]:
    """Per accelerator and purchase option: the lowest price of one accelerator, the median of the providers' medians,
    USD per hour; how many offers and providers; how many doubtful offers are left out."""
    rows = []
    for (accelerator, option), told in by_provider(day.quotes).items():
        rows.append(
            {
                "accelerator": accelerator,
                "purchase_option": option,
                "low_usd": min(min(prices) for prices in told.values()),
                "median_usd": median(median(prices) for prices in told.values()),
                "offers": sum(len(prices) for prices in told.values()),
                "providers": len(told),
                "flagged": day.left_out.get((accelerator, option), 0),
            }
        )
    return rows


def lows_of(day: Day) -> list[dict[str, Any]]:
    """Per provider, accelerator and purchase option: its lowest price of one accelerator, USD per hour, and offers."""
    return [
        {
            "provider": provider,
            "accelerator": accelerator,
            "purchase_option": option,
            "low_usd": min(prices),
            "offers": len(prices),
        }
        for (accelerator, option), told in by_provider(day.quotes).items()
        for provider, prices in told.items()
    ]


def _group(row: Mapping[str, Any]) -> Group:
    return row["accelerator"], row["purchase_option"]


def _link_columns(since: date | None, link: Link | None) -> dict[str, Any]:
    return {
        "since": since,
        "log_change": None if link is None else link.log_change,
        "matched": 0 if link is None else link.offers,
        "matched_providers": 0 if link is None else link.providers,
    }
