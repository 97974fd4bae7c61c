"""Switches above the table that change how it looks: units, grouping, density, page size."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from app.domain.sentence import N_
from app.market.query import DEFAULT_PER_PAGE, GROUPINGS, VIEW_OPTIONS, OfferQuery
from app.web.chooser import kept_inputs

PER_PAGE = (100, 250, 1000, 5000)
LABELS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "price_of": (N_("Price of"), {"instance": N_("the instance"), "accelerator": N_("one accelerator")}),
    "price_per": (
        N_("per"),
        {"hour": N_("hour"), "month": N_("month (730 h)"), "term": N_("whole commitment")},
    ),
    "currency": (N_("in"), {}),
    "group": (
        N_("Group by"),
        {
            "": N_("nothing"),
            "accelerator": N_("accelerator"),
            "provider": N_("provider"),
            "region": N_("region"),
            "country": N_("country"),
        },
    ),
    "density": (
        N_("Rows"),
        {"": N_("normal"), "compact": N_("compact"), "comfortable": N_("roomy")},
    ),
    "per_page": (N_("A page"), {}),
}


@dataclass(frozen=True, slots=True)
class Switch:
    """One select: options are (value, label, disabled); the default's value is blank, so that it leaves no trace."""

    name: str
    label: str
    options: tuple[tuple[str, str, bool], ...]
    chosen: str


@dataclass(frozen=True, slots=True)
class ViewBar:
    """The switches, and the rest of the question as hidden inputs."""

    switches: tuple[Switch, ...]
    kept: tuple[tuple[str, str], ...]


def view_bar(query: OfferQuery, rates: Mapping[str, tuple[date | None, float]]) -> ViewBar:
    """The bar for a question. A currency without a known rate cannot be chosen."""
    view = dict(query.view)
    chosen = {**view, "group": query.group, "per_page": str(query.per_page or "")}
    values = {**VIEW_OPTIONS, "group": GROUPINGS, "per_page": tuple(map(str, PER_PAGE))}
    defaults = {name: options[0] for name, options in values.items()} | {"per_page": str(DEFAULT_PER_PAGE)}
    switches = []
    for name, (label, words) in LABELS.items():
        asked = chosen.get(name, defaults[name])
        known = values[name] if asked in values[name] else (*values[name], asked)
        options = tuple(
            (
                "" if value == defaults[name] else value,
                words.get(value, value),
                name == "currency" and value not in (*rates, "USD", asked),
            )
            for value in known
        )
        switches.append(Switch(name, label, options, "" if asked == defaults[name] else asked))
    return ViewBar(tuple(switches), kept_inputs(query, *LABELS))
