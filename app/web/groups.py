"""Grouped offers as a view."""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.sentence import N_, Sentence
from app.market.filters import UNKNOWN
from app.market.groups import PRICE, TOTAL, Group
from app.market.offers import OfferPage
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
    """The table of groups; `unit` of the prices, `total_unit` of the run's cost where there is a run."""

    title: str
    by: str
    unit: Sentence
    notes: tuple[Sentence, ...]
    total_unit: str | Sentence | None
    rows: tuple[GroupRow, ...]


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
    )


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
