"""The market page as a view: levels of now, index, movers, spread and discounts, each with links into the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from markupsafe import Markup

from app.domain.sentence import N_, Sentence
from app.market.cards import cards_by_slug
from app.market.labels import PURCHASE_LABELS
from app.market.movers import Mover
from app.market.price_index import IndexPoint
from app.market.price_levels import Level
from app.market.price_report import METHOD, SPANS, PriceQuestion, PriceReport, price_report
from app.market.service import Market
from app.market.units import Units
from app.web.histories import name_of
from app.web.language import gettext
from app.web.price_chart import Series, moment_of, price_chart

MOST_LINES = 6
FALLING = frozenset({"offers", "providers", "ratio"})
"""Columns that begin with the largest when they are chosen."""
HEADER = (
    ("accelerator", N_("Accelerator"), ""),
    ("low", N_("Lowest"), N_("{currency}/h")),
    ("median", N_("Median"), N_("{currency}/h")),
    ("high", N_("Highest"), N_("{currency}/h")),
    ("offers", N_("Offers"), ""),
    ("providers", N_("Providers"), ""),
    ("gib", N_("Per memory"), N_("{currency}/GiB·h")),
    ("tflops", N_("Per BF16 rate"), N_("{currency}/TFLOPS·h")),
)


@dataclass(frozen=True, slots=True)
class Head:
    """A sortable heading: `sorted` is the value of `aria-sort`, empty where the table is not sorted by it."""

    name: str
    label: str
    unit: Sentence | str
    href: str
    sorted: str


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several answers to the same question, as a link."""

    label: str
    href: str
    current: bool
    count: int | None = None


@dataclass(frozen=True, slots=True)
class IndexRow:
    """An accelerator's index: its name, its points, and whether and how it is drawn."""

    key: str
    name: str
    points: Sequence[IndexPoint]
    style: str = ""

    @property
    def last(self) -> IndexPoint:
        """The newest point."""
        return self.points[-1]

    @property
    def change(self) -> float:
        """Change since the first day, as a share."""
        return self.last.value / self.points[0].value - 1


@dataclass(frozen=True, slots=True)
class MoverRow:
    """A mover with the name of the source that said both prices."""

    mover: Mover
    source: str


@dataclass(frozen=True, slots=True)
class MarketView:
    """What `market.html` shows."""

    report: PriceReport
    money: Units
    option: str
    options: Sequence[Choice]
    spans: Sequence[Choice]
    header: Sequence[Head]
    levels: Sequence[tuple[Level, str]]
    spread: Sequence[tuple[Level, str]]
    index: Sequence[IndexRow]
    chart: Markup | None
    movers: Sequence[MoverRow]
    starts: object
    method: str
    api: str


def market_view(market: Market, given: Mapping[str, str]) -> MarketView:
    """The page.

    Raises:
        BadInput: a parameter that is none, or a value that none of its choices is.
    """
    question = PriceQuestion.parse(given)
    report = price_report(market, question)
    index = _index_rows(market, report)
    money = Units.in_currency(question.currency, market.board)
    linked = [(level, offers_href(level.card.key, question)) for level in report.levels]
    spread = [pair for pair in linked if pair[0].ratio is not None]
    return MarketView(
        report=report,
        money=money,
        option=PURCHASE_LABELS[question.option],
        options=_options(report),
        spans=[Choice(str(days), address(question, days=days), days == question.days) for days in SPANS],
        header=[_head(question, money, *column) for column in HEADER],
        levels=linked,
        spread=sorted(spread, key=lambda pair: -(pair[0].ratio or 0.0)),
        index=index,
        chart=_chart(index),
        movers=[MoverRow(mover, _source(mover)) for mover in report.movers.largest],
        starts=report.starts,
        method=METHOD,
        api="/api/v1" + address(question, currency="USD"),
    )


def address(question: PriceQuestion, **changes: object) -> str:
    """The page's address for a question with some of it changed."""
    params = question.to_params(**changes)
    return "/market" + (f"?{urlencode(params)}" if params else "")


def offers_href(accelerator: str, question: PriceQuestion) -> str:
    """The offers behind a figure, cheapest first: unflagged ones of whole cards."""
    asked = {
        "accelerator": accelerator,
        "purchase_option": question.option,
        "flagged": "no",
        "sort": "accelerator_price",
        **({"currency": question.currency} if question.currency != "USD" else {}),
    }
    return f"/?{urlencode(asked)}"


def _options(report: PriceReport) -> list[Choice]:
    question = report.question
    names = {**report.options, question.option: report.options.get(question.option, 0)}
    return [
        Choice(label, address(question, purchase_option=name), name == question.option, names[name])
        for name, label in PURCHASE_LABELS.items()
        if name in names
    ]


def _head(question: PriceQuestion, money: Units, name: str, label: str, unit: str) -> Head:
    current = name == question.sort
    falling = not question.descending if current else name in FALLING
    href = address(question, sort=name, order="desc" if falling else "asc")
    told = ("descending" if question.descending else "ascending") if current else ""
    shown = Sentence(unit, {"currency": money.currency}) if unit else ""
    return Head(name, label, shown, href + "#now", told)


def _index_rows(market: Market, report: PriceReport) -> list[IndexRow]:
    """By name; the accelerators with the most offers in their last link are drawn."""
    drawn = sorted(report.index, key=lambda key: (-report.index[key][-1].offers, key))[:MOST_LINES]
    rows = [
        IndexRow(key, name_of(market, key), points, _style(drawn, key))
        for key, points in report.index.items()
    ]
    return sorted(rows, key=lambda row: row.name)


def _style(drawn: Sequence[str], key: str) -> str:
    return f"p{drawn.index(key) + 1}" if key in drawn else ""


def _chart(rows: Sequence[IndexRow]) -> Markup | None:
    series = [
        Series(row.style, row.name, [(moment_of(point.day), point.value) for point in row.points])
        for row in rows
        if row.style
    ]
    return price_chart(series, gettext("Price index over time; the table below says the same"), zero=False)


def _source(mover: Mover) -> str:
    card = cards_by_slug().get(mover.via)
    return card.name if card else mover.via
