"""Rent or buy one accelerator: the person's figures, dated defaults for the rest, against the cheapest live offers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from statistics import median
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from app.domain.accelerator import Accelerator, Confidence
from app.domain.coded import CodeArray, FloatArray, RowArray
from app.domain.errors import BadInput, UnknownParameter
from app.domain.figures import plain, ungrouped
from app.domain.offer import PurchaseOption
from app.domain.record import OfferRecord
from app.domain.run import bad_input
from app.domain.sentence import N_, Sentence
from app.market.board import Board
from app.market.price_levels import PRICE
from app.training.rent_or_buy import ASSUMPTIONS, Ownership, RentOrBuy, compare, ownership_of

if TYPE_CHECKING:
    from app.market.service import Market

DATED = "2026-10"
"""Month of the reference data that the defaults come from; purchase prices are remembered, not quoted."""
CAPEX_BAND = 0.3
"""Purchase prices are uncertain by this share both ways (docs/throughput_model.md §7)."""
MONTHS_PER_YEAR = 12.0
SHARES = tuple(share / 100 for share in range(5, 101, 5))
LIVE: tuple[PurchaseOption, ...] = ("on_demand", "spot", "reserved", "savings_plan")
_SHARE: dict[str, Any] = {"ge": 0, "le": 1}


class PurchaseCase(BaseModel):
    """What the person says about owning; None = take the dated default. Shares are fractions of 1."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    accelerator: str = Field("", max_length=100, description="Catalog key of the accelerator")
    utilisation: float = Field(0.7, gt=0, le=1, description="Share of all hours in which it would train")
    purchase_usd: float | None = Field(None, gt=0, le=1e7, description="Price of one accelerator")
    host_share: float | None = Field(
        None, ge=0, le=10, description="What host and network add, as a share of that price"
    )
    kilowatts: float | None = Field(
        None, gt=0, le=100, description="Power at the wall under load, host included, of one accelerator"
    )
    pue: float | None = Field(None, ge=1, le=5, description="Power of the building per power of the machine")
    usd_per_kwh: float | None = Field(None, ge=0, le=10, description="Electricity price")
    idle_power: float | None = Field(None, **_SHARE, description="Idle power as a share of full power")
    upkeep_rate: float | None = Field(
        None, **_SHARE, description="Maintenance and space, of the purchase per year"
    )
    years: float | None = Field(None, ge=0.1, le=50, description="Years until it is written off")
    residual: float | None = Field(None, **_SHARE, description="Resale value, of the purchase")
    capital_rate: float | None = Field(None, **_SHARE, description="Cost of money per year")
    rent_usd_per_hour: float | None = Field(
        None, gt=0, le=1e6, description="Your own rent of one accelerator, beside the live offers"
    )

    @classmethod
    def from_fields(cls, fields: Mapping[str, Any]) -> Self:
        """A case from loose fields; empty strings mean "not given".

        Raises:
            UnknownParameter: a field that does not exist.
            BadInput: a value out of its range; names the field.
        """
        given = {
            name: ungrouped(value) if isinstance(value, str) else value
            for name, value in fields.items()
            if value not in ("", None)
        }
        for name in given:
            if name not in cls.model_fields:
                raise UnknownParameter(str(name)[:60], "there is no such field of rent or buy")
        try:
            return cls.model_validate(given)
        except ValidationError as error:
            raise bad_input(error) from None


@dataclass(frozen=True, slots=True)
class Assumed:
    """One figure that the answer rests on: `given` by the person, else a default with range, source and date."""

    name: str
    value: float
    unit: str
    given: bool
    low: float | None
    high: float | None
    source: str | Sentence
    confidence: Confidence
    dated: str = DATED


@dataclass(frozen=True, slots=True)
class Rent:
    """One rent to compare with: `kind` a purchase option, `usual` on demand, or `yours`. `record` is the
    offer where one stands behind it, `seen` when the price was told (of the usual one: the oldest that counts), None of
    yours. `low`, `expected`, `high` are at the purchase price less 30 %, as it is, plus 30 %."""

    kind: str
    usd_per_hour: float
    record: OfferRecord | None
    low: RentOrBuy
    expected: RentOrBuy
    high: RentOrBuy
    seen: datetime | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """The answer. `curve` holds (utilisation, owned USD per hour of use at −30 %, 0, +30 % of the purchase price)."""

    case: PurchaseCase
    card: Accelerator
    own: Ownership
    assumed: tuple[Assumed, ...]
    rents: tuple[Rent, ...]
    why: Sentence
    curve: tuple[tuple[float, float, float, float], ...]


def decide(market: Market, case: PurchaseCase) -> Decision:
    """Owned against rented.

    Raises:
        BadInput: no such accelerator, or neither the person nor the catalog knows its price or power.
    """
    card = market.catalog.accelerators.get(case.accelerator)
    if card is None:
        raise BadInput("accelerator", "give an accelerator of the catalog, such as h100-sxm5-80gb")
    own = _ownership(card, case)
    rents = tuple(_rents(market, case, own))
    return Decision(
        case=case,
        card=card,
        own=own,
        assumed=_assumed(card, case, own),
        rents=rents,
        why=_sentence(rents, case, own),
        curve=tuple((share, *_owned(own, share)) for share in SHARES),
    )


def _ownership(card: Accelerator, case: PurchaseCase) -> Ownership:
    powered = card if card.tdp_watts is not None or case.kilowatts is None else replace(card, tdp_watts=0.0)
    own = ownership_of(powered, case.purchase_usd)
    names = [name for name in Ownership.__dataclass_fields__ if name not in ("price_usd",)]
    given = {name: value for name in names if (value := getattr(case, name)) is not None}
    return replace(own, **given)


def _at(own: Ownership, share: float) -> Ownership:
    return replace(own, price_usd=own.price_usd * (1.0 + share))


def _owned(own: Ownership, utilisation: float) -> tuple[float, float, float]:
    return tuple(  # type: ignore[return-value]
        compare(_at(own, share), 0.0, utilisation).own_usd_per_hour
        for share in (-CAPEX_BAND, 0.0, CAPEX_BAND)
    )


def _rents(market: Market, case: PurchaseCase, own: Ownership) -> Sequence[Rent]:
    """Your own rent, then the cheapest live offer of each purchase option and the usual on-demand price. Parts of a
    card and flagged prices take no part."""
    board, found = market.board, _priced(market.board, case.accelerator)
    prices, bought = board.numbers[PRICE], board.texts["purchase_option"]
    rents: list[Rent] = []

    def add(kind: str, price: float, record: OfferRecord | None, seen: datetime | None) -> None:
        rents.append(replace(_rent(kind, price, record, own, case.utilisation), seen=seen))

    if case.rent_usd_per_hour is not None:
        add("yours", case.rent_usd_per_hour, None, None)
    for option in LIVE:
        rows = found[bought.where(option.__eq__)[found]]
        if len(rows):
            row = int(rows[np.lexsort((board.texts["id"].codes[rows], prices[rows]))[0]])
            add(option, float(prices[row]), board.records[row], board.records[row].observed_at)
        if option == "on_demand" and len(rows):
            oldest = datetime.fromtimestamp(board.numbers["observed_at"][rows].min(), UTC)
            add("usual", _usual(prices[rows], board.texts["provider"].codes[rows]), None, oldest)
    return rents


def _usual(prices: FloatArray, providers: CodeArray) -> float:
    """Median of the providers' medians, so that one long list does not outvote everybody else."""
    return median(float(np.median(prices[providers == one])) for one in np.unique(providers))


def _priced(board: Board, key: str) -> RowArray:
    """Rows of the whole accelerator with a price that nobody doubts."""
    chosen = board.texts["accelerator"].where(lambda name: name == key)
    chosen &= board.texts["accelerator_status"].where(lambda status: status == "known")
    chosen &= (board.numbers["flagged"] == 0) & ~np.isnan(board.numbers[PRICE])
    return np.flatnonzero(chosen)


def _rent(kind: str, price: float, record: OfferRecord | None, own: Ownership, utilisation: float) -> Rent:
    low, expected, high = (
        compare(_at(own, share), price, utilisation) for share in (-CAPEX_BAND, 0.0, CAPEX_BAND)
    )
    return Rent(kind, price, record, low, expected, high)


def _assumed(card: Accelerator, case: PurchaseCase, own: Ownership) -> tuple[Assumed, ...]:
    """Every figure, in the order of the form."""
    band = own.price_usd * (1.0 - CAPEX_BAND), own.price_usd * (1.0 + CAPEX_BAND)
    price = N_("launch list price or a rough street price, from memory") if case.purchase_usd is None else ""
    power: str | Sentence = ""
    if card.tdp_watts is not None:
        power = Sentence("TDP {watts} W and the host's share", {"watts": plain(card.tdp_watts)})
    rows = [
        Assumed("purchase_usd", own.price_usd, "USD", case.purchase_usd is not None, *band, price, "low"),
        Assumed("kilowatts", own.kilowatts, "kW", case.kilowatts is not None, None, None, power, "low"),
    ]
    by_field = {FIELD_OF.get(a.name, a.name.removeprefix("own.")): a for a in ASSUMPTIONS}
    for name in (
        "host_share",
        "pue",
        "usd_per_kwh",
        "idle_power",
        "upkeep_rate",
        "years",
        "residual",
        "capital_rate",
    ):
        a, given = by_field[name], getattr(case, name) is not None
        rows.append(Assumed(name, getattr(own, name), a.unit, given, a.low, a.high, a.source, a.confidence))
    return tuple(rows)


FIELD_OF = {"own.capital": "capital_rate", "own.upkeep": "upkeep_rate"}
"""Assumptions whose name is not the field's."""


def _sentence(rents: Sequence[Rent], case: PurchaseCase, own: Ownership) -> Sentence:
    use = {"use": f"{case.utilisation:.0%}"}
    if not rents:
        return Sentence(
            N_("Nobody rents it out today, so there is nothing to compare with; give a rent of your own.")
        )
    rent = rents[0]
    months = [_months(side) for side in (rent.low, rent.expected, rent.high)]
    values: dict[str, object] = {
        "own": f"{rent.expected.own_usd_per_hour:.2f}",
        "rent": f"{rent.usd_per_hour:.2f}",
        "low": months[0],
        "months": months[1],
        "high": months[2],
    }
    share = rent.expected.break_even_utilisation
    least = Sentence(N_("it would be dearer even if it never stood still"))
    if share is not None:
        least = Sentence(
            N_("over its whole life it is cheaper from {share} of use"), {"share": f"{share:.0%}"}
        )
    months_needed = rent.expected.break_even_months
    if months_needed is None:
        text = N_(
            "At {use} of use owning costs {own} USD an hour and renting {rent}: it never pays back; {least}."
        )
    elif months_needed > MONTHS_PER_YEAR * own.years:
        text = N_(
            "At {use} of use owning costs {own} USD an hour and renting {rent}: it would pay back after {months} months, later than it is written off; {least}."
        )
    else:
        text = N_(
            "At {use} of use owning costs {own} USD an hour and renting {rent}: it pays back after {months} months ({low} to {high} with the purchase price 30 % lower or higher); {least}."
        )
    return Sentence(text, values | use | {"least": least})


def _months(side: RentOrBuy) -> str | Sentence:
    return Sentence(N_("never")) if side.break_even_months is None else f"{side.break_even_months:.0f}"
