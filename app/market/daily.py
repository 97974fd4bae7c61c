"""What was on offer on one day: read from price points, summed up per accelerator, linked to the day before."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from itertools import groupby
from operator import attrgetter
from statistics import median
from typing import Any

import msgspec
from sqlalchemy import Connection, Double, Select, and_, func, or_, select, type_coerce, update

from app.db.merge import RANK
from app.db.offers import upsert
from app.db.tables import (
    accelerator_day,
    exchange_rate,
    instance_type,
    offer,
    price_point,
    provider_day,
    scrape_run,
)
from app.domain.flags import doubts_of
from app.domain.money import effective_hourly
from app.market.outliers import OUTSIDE, PLAUSIBLE_USD, PROVIDERS_NEEDED
from app.market.price_index import Group, Link, Quote, links

FRESH = timedelta(hours=36)
"""Only prices that a source confirmed this recently before the end of a day count on that day."""
FURTHEST = timedelta(days=45)
"""Days further apart are not linked."""
_KEPT = 3


@dataclass(frozen=True, slots=True)
class Day:
    """A day's sound quotes, one an offer, and how many doubtful ones are left out, by group."""

    quotes: Sequence[Quote]
    left_out: Mapping[Group, int]


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


def read_quotes(connection: Connection, day: date, now: datetime) -> list[Quote]:
    """What every source said of offers of whole, known accelerators that stood on a day, ordered by offer. A price
    holds until its source says otherwise or no longer lists the offer."""
    rates = rates_on(connection, day)
    found = []
    for row in connection.execute(_standing_on(day, now)):
        offer_id, via, provider, accelerator, option, count, kind, flags, *money = row
        hourly, upfront, months, currency, point_usd = money
        native = effective_hourly(hourly, upfront, months)
        rate = 1.0 if currency == "USD" else rates.get(currency)
        usd = native * rate if native is not None and rate is not None else point_usd
        each = None if usd is None else usd / count
        quote = Quote(
            offer_id, via, provider, accelerator, option, native, currency, each, RANK[kind], _doubtful(flags)
        )
        found.append(quote)
    return found


@lru_cache(maxsize=1024)
def _doubtful(flags: str) -> bool:
    return bool(doubts_of(msgspec.json.decode(flags)))


def spoken(quotes: Iterable[Quote]) -> list[Quote]:
    """Of several sources of one offer (quotes ordered by offer) the best that has a price."""
    return [
        min(same, key=lambda quote: (quote.usd is None, quote.rank, quote.via))
        for _, same in groupby(quotes, key=attrgetter("offer"))
    ]


def sound(quotes: Iterable[Quote]) -> Day:
    """The quotes that count: with a price, unflagged, and within ×4 of the median of the providers' medians (where
    three providers have a price; else plausible at all)."""
    priced: dict[Group, list[Quote]] = defaultdict(list)
    for quote in quotes:
        if quote.usd:
            priced[quote.group].append(quote)
    kept: list[Quote] = []
    left_out: Counter[Group] = Counter()
    for group, told in priced.items():
        low, high = _bounds(told)
        good = [quote for quote in told if not quote.flagged and low <= (quote.usd or 0.0) <= high]
        kept += good
        left_out[group] += len(told) - len(good)
    return Day(kept, left_out)


def summarise(day: Day) -> list[dict[str, Any]]:
    """Per accelerator and purchase option: the lowest price of one accelerator, the median of the providers' medians,
    USD per hour; how many offers and providers; how many doubtful offers are left out."""
    rows = []
    for (accelerator, option), by_provider in _by_provider(day.quotes).items():
        rows.append(
            {
                "accelerator": accelerator,
                "purchase_option": option,
                "low_usd": min(min(prices) for prices in by_provider.values()),
                "median_usd": median(median(prices) for prices in by_provider.values()),
                "offers": sum(len(prices) for prices in by_provider.values()),
                "providers": len(by_provider),
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
        for (accelerator, option), by_provider in _by_provider(day.quotes).items()
        for provider, prices in by_provider.items()
    ]


def _by_provider(quotes: Iterable[Quote]) -> dict[Group, dict[str, list[float]]]:
    found: dict[Group, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for quote in quotes:
        if quote.usd is not None:
            found[quote.group][quote.provider].append(quote.usd)
    return found


def _bounds(told: Sequence[Quote]) -> tuple[float, float]:
    by_provider = _by_provider(told)[told[0].group]
    if len(by_provider) < PROVIDERS_NEEDED:
        return PLAUSIBLE_USD
    usual = median(median(prices) for prices in by_provider.values())
    return usual / OUTSIDE, usual * OUTSIDE


def _standing_on(day: date, now: datetime) -> Select[Any]:
    end = datetime.combine(day, time(), UTC) + timedelta(days=1)
    point = price_point.c
    standing = (
        select(func.max(point.at))
        .where(point.offer_id == offer.c.id, point.via == offer.c.via, point.at < end)
        .correlate(offer)
        .scalar_subquery()
    )
    joined = (
        offer.join(instance_type, instance_type.c.id == offer.c.instance_type_id)
        .join(scrape_run, scrape_run.c.id == offer.c.run_id)
        .join(price_point, and_(point.offer_id == offer.c.id, point.via == offer.c.via, point.at == standing))
    )
    seen = func.coalesce(offer.c.said_at, scrape_run.c.started_at)
    return (
        select(
            *(
                offer.c.id,
                offer.c.via,
                offer.c.provider,
                instance_type.c.accelerator,
                offer.c.purchase_option,
            ),
            *(instance_type.c.accelerator_count, offer.c.source_kind, offer.c.flags),
            *(type_coerce(point.price_per_hour, Double()), type_coerce(point.upfront, Double())),
            *(offer.c.term_months, point.currency, point.usd_per_hour),
        )
        .select_from(joined)
        .where(instance_type.c.accelerator_status == "known", seen >= min(now, end) - FRESH)
        .where(or_(offer.c.withdrawn_at.is_(None), offer.c.withdrawn_at >= end))
        .order_by(offer.c.id)
    )


def rates_on(connection: Connection, day: date) -> dict[str, float]:
    """USD per unit of each currency, of the newest day up to this one."""
    rate = exchange_rate.c
    newest = (
        select(rate.currency, func.max(rate.day).label("day"))
        .where(rate.day <= day)
        .group_by(rate.currency)
        .subquery()
    )
    query = select(rate.currency, rate.usd_per_unit).join(
        newest, and_(newest.c.currency == rate.currency, newest.c.day == rate.day)
    )
    return {row[0]: float(row[1]) for row in connection.execute(query)}


def _group(row: Mapping[str, Any]) -> Group:
    return row["accelerator"], row["purchase_option"]


def _link_columns(since: date | None, link: Link | None) -> dict[str, Any]:
    return {
        "since": since,
        "log_change": None if link is None else link.log_change,
        "matched": 0 if link is None else link.offers,
        "matched_providers": 0 if link is None else link.providers,
    }
