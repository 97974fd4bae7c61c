"""Price histories of offers, accelerators and providers as charts, each with the rows of its table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import pairwise
from urllib.parse import urlencode

from markupsafe import Markup

from app.domain.errors import BadInput, UnknownParameter
from app.domain.offer import PURCHASE_OPTIONS
from app.domain.sentence import none_of
from app.market import history
from app.market.cards import cards_by_slug
from app.market.history import AcceleratorDay, PricePoint, ProviderDay
from app.market.labels import PURCHASE_LABELS
from app.market.price_report import SPANS
from app.market.service import Market
from app.web.language import gettext
from app.web.price_chart import Series, moment_of, price_chart

DEFAULT_SPAN = 90
MOST_ROWS = 100
MOST_LINES = 6
FAR_APART = timedelta(days=30)
"""Nothing is drawn between daily figures that lie further apart: nobody knows what happened there."""
UNLIKE = 2


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a legend: its classes and its name."""

    style: str
    label: str


@dataclass(frozen=True, slots=True)
class OfferHistory:
    """Of one offer: `points` newest first (at most 100), of `total`; `seen` is when a source last confirmed the price."""

    chart: Markup | None
    legend: Sequence[Line]
    points: Sequence[PricePoint]
    total: int
    starts: date | None
    seen: datetime
    sources: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Span:
    """One of several spans of days, as a link."""

    days: int
    href: str
    current: bool


@dataclass(frozen=True, slots=True)
class DayHistory:
    """Of an accelerator: `days` newest first. `starts` is the first day ever recorded, None without any."""

    chart: Markup | None
    legend: Sequence[Line]
    days: Sequence[AcceleratorDay]
    spans: Sequence[Span]
    starts: date | None


@dataclass(frozen=True, slots=True)
class ProviderHistory:
    """Of a provider: its lows per accelerator, `days` newest first, `names` of the accelerators by key."""

    chart: Markup | None
    legend: Sequence[Line]
    days: Sequence[ProviderDay]
    names: Mapping[str, str]
    starts: date | None


def offer_history(points: Sequence[PricePoint], seen: datetime) -> OfferHistory:
    """A line for each source, up to when the price was last confirmed (not to now: an old price is not fresh)."""
    by_source: dict[str, list[tuple[datetime, float]]] = {}
    for point in points:
        if point.usd_per_hour is not None:
            by_source.setdefault(point.via, []).append((point.at, point.usd_per_hour))
    sources = {via: _source_name(via) for via in {point.via for point in points}}
    series = [
        Series(f"p{number}", sources[via], _carried_on(places, seen))
        for number, (via, places) in enumerate(list(by_source.items())[:MOST_LINES], 1)
    ]
    return OfferHistory(
        chart=price_chart(series, gettext("Price of the offer over time; the table below says the same")),
        legend=[Line(line.style, line.label) for line in series] if len(series) > 1 else [],
        points=points[::-1][:MOST_ROWS],
        total=len(points),
        starts=points[0].at.date() if points else None,
        seen=seen,
        sources=sources,
    )


def name_of(market: Market, key: str) -> str:
    """Name of an accelerator; history may know one that the catalog has dropped since."""
    card = market.catalog.accelerators.get(key)
    return card.name if card else key


def span_of(given: Mapping[str, str]) -> int:
    """The days that are asked for.

    Raises:
        BadInput: none of 30, 90 and 365.
        UnknownParameter: another parameter.
    """
    for name in given:
        if name not in ("days", "currency"):
            raise UnknownParameter(name[:60], "there is no such parameter")
    asked, choices = given.get("days", str(DEFAULT_SPAN)), tuple(map(str, SPANS))
    if asked not in choices:
        raise BadInput("days", none_of(asked, choices))
    return int(asked)


def accelerator_history(market: Market, key: str, days: int, kept: Mapping[str, str]) -> DayHistory:
    """Daily median (line) and low (dots) of every purchase option, over a span that ends with the newest recorded day
    of this accelerator, in USD: the rates of those days are not kept. Links to other spans carry `kept` along."""
    told = history.accelerator_days(market.engine, key)
    since = history.day_before(told[-1].day, days) if told else None
    shown = [day for day in told if since is not None and day.day >= since]
    options = [option for option in PURCHASE_OPTIONS if any(day.purchase_option == option for day in shown)]
    series = [
        line for number, option in enumerate(options, 1) for line in _median_and_low(shown, option, number)
    ]
    label = gettext("Daily median and lowest price by purchase option; the table below says the same")
    return DayHistory(
        chart=price_chart(series, label),
        legend=[Line(f"p{number}", PURCHASE_LABELS[option]) for number, option in enumerate(options, 1)],
        days=shown[::-1],
        spans=[Span(span, f"?{urlencode({**kept, 'days': span})}#history", span == days) for span in SPANS],
        starts=told[0].day if told else None,
    )


def provider_history(market: Market, slug: str) -> ProviderHistory:
    """A provider's daily lows on demand, over the year up to the newest recorded day; drawn are the accelerators with
    the most recorded days."""
    newest = history.newest_day(market.engine)
    since = None if newest is None else history.day_before(newest, SPANS[-1])
    told = history.provider_days(market.engine, slug, since)
    shown = [day for day in told if day.purchase_option == "on_demand"]
    counts: dict[str, int] = {}
    for day in shown:
        counts[day.accelerator] = counts.get(day.accelerator, 0) + 1
    drawn = sorted(counts, key=lambda key: (-counts[key], key))[:MOST_LINES]
    names = {key: name_of(market, key) for key in counts}
    series = [
        _low_series(names[key], [day for day in shown if day.accelerator == key], number)
        for number, key in enumerate(drawn, 1)
    ]
    label = gettext("Daily lowest price by accelerator; the table below says the same")
    return ProviderHistory(
        chart=price_chart(series, label),
        legend=[Line(line.style, line.label) for line in series],
        days=shown[::-1][:MOST_ROWS],
        names=names,
        starts=shown[0].day if shown else None,
    )


def medians_chart(market: Market, keys: Sequence[str]) -> tuple[Markup | None, list[Line]]:
    """Daily median on-demand prices of several accelerators (at most six) over the last recorded year."""
    series = []
    for number, key in enumerate(keys[:MOST_LINES], 1):
        days = history.accelerator_days(market.engine, key)
        since = history.day_before(days[-1].day, SPANS[-1]) if days else None
        told = [d for d in days if d.purchase_option == "on_demand" and since is not None and d.day >= since]
        places = [(moment_of(day.day), day.median_usd) for day in told]
        series.append(Series(f"p{number}", name_of(market, key), places, _unlike(told)))
    label = gettext("Daily median on-demand price by accelerator; each accelerator's own page has the table")
    return price_chart(series, label), [Line(line.style, line.label) for line in series if line.places]


def _median_and_low(days: Sequence[AcceleratorDay], option: str, number: int) -> tuple[Series, Series]:
    ours = [day for day in days if day.purchase_option == option]
    medians = [(moment_of(day.day), day.median_usd) for day in ours]
    lows = [(moment_of(day.day), day.low_usd) for day in ours]
    label = PURCHASE_LABELS[option]
    return (
        Series(f"p{number}", label, medians, _unlike(ours)),
        Series(f"p{number} low", label, lows, _unlike(ours)),
    )


def _low_series(name: str, days: Sequence[ProviderDay], number: int) -> Series:
    breaks = [moment_of(after.day) for before, after in pairwise(days) if after.day - before.day > FAR_APART]
    return Series(f"p{number}", name, [(moment_of(day.day), day.low_usd) for day in days], breaks)


def _unlike(days: Sequence[AcceleratorDay]) -> list[datetime]:
    """Days that are not joined to the one before: too far from it, or of far more or far fewer providers, so that
    another figure may only mean that others were asked."""
    return [
        moment_of(after.day)
        for before, after in pairwise(days)
        if after.day - before.day > FAR_APART
        or max(after.providers, before.providers) > UNLIKE * min(after.providers, before.providers)
    ]


def _carried_on(places: Sequence[tuple[datetime, float]], seen: datetime) -> list[tuple[datetime, float]]:
    last = places[-1]
    return [*places, (seen, last[1])] if seen > last[0] else list(places)


def _source_name(via: str) -> str:
    card = cards_by_slug().get(via)
    return card.name if card else via
