"""Grouped offers as a view."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.domain.sentence import N_, Sentence
from app.market.column import Column
from app.market.columns import BY_NAME
from app.market.filters import UNKNOWN
from app.market.groups import PRICE, TOTAL, Group
from app.market.offers import OfferPage
from app.market.query import DEFAULT_SORT, OfferQuery
from app.web import formatting
from app.web.language import gettext, say
from app.web.question import href

TITLES = {
    "accelerator": N_("Accelerator"),
    "provider": N_("Provider"),
    "region": N_("Region"),
    "country": N_("Country"),
}


@dataclass(frozen=True, slots=True)
class GroupRow:
    """One group; texts are None where nothing is known. `href` shows its offers."""

    label: str
    href: str
    offers: str
    providers: str
    accelerators: str
    low: str | None
    median: str | None
    high: str | None
    total: str | None


@dataclass(frozen=True, slots=True)
class GroupsView:
    """The table of groups; `unit` of the prices, `total_unit` of the run's cost where there is a run. `order` says by
    what the groups stand; `sorted` maps the column of amounts that shows it to the value of its `aria-sort`."""

    title: str
    by: str
    unit: Sentence
    notes: tuple[Sentence, ...]
    total_unit: str | Sentence | None
    rows: tuple[GroupRow, ...]
    order: Sentence
    sorted: Mapping[str, str]


def groups_view(page: OfferPage) -> GroupsView:
    """The groups of a page."""
    query, units = page.query, page.units
    price = units.heading(PRICE)
    return GroupsView(
        title=TITLES[query.group],
        by=query.group,
        unit=Sentence(N_("{unit} per accelerator"), {"unit": price.unit}),
        notes=price.notes,
        total_unit=units.heading(TOTAL).unit if query.run is not None else None,
        rows=tuple(_row(group, page) for group in page.shown_groups),
        order=Sentence(_order(query), {"column": Sentence(_label(query))}),
        sorted=_sorted(query),
    )


def _by(query: OfferQuery) -> Column:
    """What the groups are ordered by: prices are those of one accelerator."""
    return PRICE if query.sort == DEFAULT_SORT else BY_NAME[query.sort]


def _label(query: OfferQuery) -> str:
    return BY_NAME[DEFAULT_SORT].each if _by(query) is PRICE else _by(query).label


def _order(query: OfferQuery) -> str:
    if _by(query).kind != "number":
        return N_("Groups stand where their first offer stands, ordered by: {column}.")
    if query.descending:
        return N_("Groups stand in the order of their best offer by: {column}, highest first.")
    return N_("Groups stand in the order of their best offer by: {column}, lowest first.")


def _sorted(query: OfferQuery) -> Mapping[str, str]:
    """The lowest of a group is its first offer in rising order, the highest in falling order."""
    told = "descending" if query.descending else "ascending"
    if _by(query) is PRICE:
        return {"high" if query.descending else "low": told}
    return {"total": told} if query.sort == TOTAL.name and not query.descending else {}


def _row(group: Group, page: OfferPage) -> GroupRow:
    hourly = page.units.price_per == "hour"
    price = formatting.usd_per_hour if hourly else formatting.usd
    link = href(page.query.with_(**{"group": None, page.query.group: [group.value]}))
    return GroupRow(
        label=gettext("unknown") if group.value == UNKNOWN else say(group.label),
        href=link,
        offers=formatting.integer(group.offers) or "",
        providers=formatting.integer(group.providers) or "",
        accelerators=formatting.integer(group.accelerators) or "",
        low=price(group.low),
        median=price(group.median),
        high=price(group.high),
        total=formatting.usd(group.total),
    )
