"""Rent or buy as a view: the form with its dated defaults, break-even in words, table and picture."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from markupsafe import Markup

from app.domain.errors import BadInput
from app.domain.figures import plain
from app.domain.sentence import N_
from app.market.labels import PURCHASE_LABELS
from app.market.rent_or_buy import Decision, PurchaseCase, Rent
from app.market.service import Market
from app.web.choices import words_of
from app.web.language import gettext
from app.web.plot import Axis, Curve, Frame, curves
from app.web.run_form import Field

LABELS: Mapping[str, tuple[str, str]] = {
    "accelerator": (N_("Accelerator"), ""),
    "utilisation": (N_("Use"), N_("share of all hours")),
    "purchase_usd": (N_("Purchase price"), "USD"),
    "host_share": (N_("Host and network"), N_("share of the price")),
    "kilowatts": (N_("Power at the wall"), "kW"),
    "pue": (N_("Power of the building"), "PUE"),
    "usd_per_kwh": (N_("Electricity"), "USD/kWh"),
    "idle_power": (N_("Idle power"), N_("share")),
    "upkeep_rate": (N_("Maintenance and space"), N_("share a year")),
    "years": (N_("Written off after"), N_("years")),
    "residual": (N_("Resale value"), N_("share of the price")),
    "capital_rate": (N_("Cost of money"), N_("share a year")),
    "rent_usd_per_hour": (N_("Your own rent"), "USD/h"),
}
FIRST = ("accelerator", "utilisation", "purchase_usd", "rent_usd_per_hour")
KINDS = PURCHASE_LABELS | {"usual": N_("usual on demand"), "yours": N_("your own rent")}
EXAMPLES = ("h100-sxm5-80gb", "a100-sxm4-80gb", "l40s-48gb", "rtx-4090-24gb")


@dataclass(frozen=True, slots=True)
class RentLine:
    """One rent in the table: its words, the offer behind it, and the figures."""

    title: str
    name: str
    href: str | None
    rent: Rent


@dataclass(frozen=True, slots=True)
class RentOrBuyView:
    """What `rent_or_buy.html` shows; `decision` is None until an accelerator is chosen."""

    first: tuple[Field, ...]
    details: tuple[Field, ...]
    details_set: int
    examples: tuple[tuple[str, str], ...]
    decision: Decision | None = None
    lines: tuple[RentLine, ...] = ()
    plot: Markup | None = None
    second: RentLine | None = None
    labels: Mapping[str, tuple[str, str]] | None = None
    api_href: str = ""
    error: BadInput | None = None


def rent_or_buy_view(market: Market, asked: Mapping[str, str]) -> RentOrBuyView:
    """The page for what was asked.

    Raises:
        BadInput: a figure that cannot be; names the field.
    """
    case = PurchaseCase.from_fields(asked)
    decision = market.rent_or_buy(case) if case.accelerator else None
    first, details = _form(market, asked, decision)
    second = second_rent(decision) if decision is not None else None
    return RentOrBuyView(
        first=first,
        second=None if second is None else _line(second),
        details=details,
        details_set=sum(bool(item.value) for item in details),
        examples=_examples(market),
        decision=decision,
        lines=tuple(map(_line, decision.rents)) if decision is not None else (),
        plot=_plot(decision) if decision is not None and decision.rents else None,
        labels=LABELS,
        api_href=f"/api/v1/rent-or-buy?{urlencode(asked)}",
    )


def refused_view(market: Market, asked: Mapping[str, str], error: BadInput) -> RentOrBuyView:
    """The form as it was filled in, and what is wrong."""
    first, details = _form(market, asked, None)
    return RentOrBuyView(first, details, 1, _examples(market), error=error)


def _form(
    market: Market, asked: Mapping[str, str], decision: Decision | None
) -> tuple[tuple[Field, ...], tuple[Field, ...]]:
    defaults = (
        {item.name: plain(item.value).replace(",", "") for item in decision.assumed}
        if decision is not None
        else {}
    )
    defaults |= {"utilisation": "0.7", "rent_usd_per_hour": gettext("from offers")}
    cards = sorted(market.catalog.accelerators.values(), key=lambda card: card.name)
    choices = (("", gettext("choose one")), *((card.key, card.name) for card in cards))
    fields = tuple(
        Field(
            name=name,
            label=label,
            control="select" if name == "accelerator" else "number",
            unit=unit,
            placeholder=defaults.get(name, ""),
            choices=choices if name == "accelerator" else (),
            value=asked.get(name, ""),
        )
        for name, (label, unit) in LABELS.items()
    )
    return tuple(f for f in fields if f.name in FIRST), tuple(f for f in fields if f.name not in FIRST)


def _examples(market: Market) -> tuple[tuple[str, str], ...]:
    cards = market.catalog.accelerators
    return tuple((cards[key].name, f"/rent-or-buy?accelerator={key}") for key in EXAMPLES if key in cards)


def _line(rent: Rent) -> RentLine:
    record = rent.record
    name, link = ("", None) if record is None else (words_of(record), f"/offers/{record.id}")
    return RentLine(KINDS[rent.kind], name, link, rent)


def second_rent(decision: Decision) -> Rent | None:
    """The rent that is drawn beside the first."""
    return next((rent for rent in decision.rents[1:] if rent.kind in ("usual", "spot")), None)


def _plot(decision: Decision) -> Markup:
    """Owned USD per hour over utilisation with its band, and the two cheapest rents as level lines."""
    curve = decision.curve
    second = second_rent(decision)
    rents = [decision.rents[0], *([second] if second is not None else [])]
    lows, highs = [row[1] for row in curve], [row[3] for row in curve]
    seen = [min(lows), *(rent.usd_per_hour for rent in rents)]
    top = min(max(highs), max(max(seen) * 2.5, min(highs) * 3.0))
    frame = Frame(Axis(0.0, 1.0, False), Axis(0.0, top, False), lambda x: f"{x:.0%}", lambda y: plain(y, 3))
    lines = [
        Curve(name, [(row[0], row[place]) for row in curve if row[place] <= top])
        for name, place in (("band", 1), ("own", 2), ("band", 3))
    ]
    levels = [
        Curve(name, [(0.0, rent.usd_per_hour), (1.0, rent.usd_per_hour)])
        for name, rent in zip(("rent", "rent-b"), rents, strict=False)
    ]
    label = gettext(
        "USD per hour of use (up) over the share of hours in use (across); the table says the same"
    )
    return curves(frame, [*lines, *levels], label)
