"""What every source said on one day, read from price points, and which of it counts."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from itertools import groupby
from operator import attrgetter
from statistics import median
from typing import Any

import msgspec
from sqlalchemy import Connection, Double, Select, and_, func, or_, select, type_coerce

from app.db.merge import RANK
from app.db.tables import exchange_rate, instance_type, offer, price_point, scrape_run
from app.domain.flags import doubts_of
from app.domain.money import effective_hourly
from app.market.outliers import OUTSIDE, PLAUSIBLE_USD, PROVIDERS_NEEDED
from app.market.price_index import Group, Quote

FRESH = timedelta(hours=36)
"""Only prices that a source confirmed this recently before the end of a day count on that day."""


@dataclass(frozen=True, slots=True)
class Day:
    """A day's sound quotes, one an offer, and how many doubtful ones are left out, by group."""

    quotes: Sequence[Quote]
    left_out: Mapping[Group, int]


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
        doubtful, who = bool(doubts_of(msgspec.json.decode(flags))), (offer_id, via, provider)
        found.append(Quote(*who, accelerator, option, native, currency, each, RANK[kind], doubtful))
    return found


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


def by_provider(quotes: Iterable[Quote]) -> dict[Group, dict[str, list[float]]]:
    """Prices of one accelerator by group and provider."""
    found: dict[Group, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for quote in quotes:
        if quote.usd is not None:
            found[quote.group][quote.provider].append(quote.usd)
    return found


def _bounds(told: Sequence[Quote]) -> tuple[float, float]:
    told_by = by_provider(told)[told[0].group]
    if len(told_by) < PROVIDERS_NEEDED:
        return PLAUSIBLE_USD
    usual = median(median(prices) for prices in told_by.values())
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
