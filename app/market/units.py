"""How amounts are shown: of the instance or of one accelerator, per hour, month or term, in which currency.

The switches change numbers, headings and exports together, and the order follows what is shown. They never change
which offers there are: bounds of filters stay in the unit that the column declares (USD per hour of the instance), so
that a link means the same whatever currency its reader looks at, and on the day after the rates moved.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

import numpy as np

from app.domain.errors import BadInput
from app.domain.money import HOURS_PER_MONTH
from app.domain.record import OfferRecord
from app.domain.sentence import N_, Sentence, none_of
from app.market.board import Board, FloatArray
from app.market.column import Column

if TYPE_CHECKING:
    from app.market.frame import Frame

CURRENCIES = (
    "USD", "EUR", "GBP", "CHF", "JPY", "CNY", "AUD", "BRL", "CAD", "CZK", "DKK", "HKD", "HUF", "IDR", "ILS", "INR",
    "ISK", "KRW", "MXN", "MYR", "NOK", "NZD", "PHP", "PLN", "RON", "SEK", "SGD", "THB", "TRY", "ZAR",
)  # fmt: skip
"""Currencies for which the European Central Bank publishes a reference rate, and the euro itself."""

UNIT_OPTIONS: Mapping[str, tuple[str, ...]] = {
    "price_of": ("instance", "accelerator"),
    "price_per": ("hour", "month", "term"),
    "currency": CURRENCIES,
}
"""Parameters that switch units, and their values, the default first."""

_RATE, _AMOUNT = "USD/h", "USD"
_RATES = {"hour": N_("{currency}/h"), "month": N_("{currency}/month"), "term": N_("{currency}/term")}
_NOTES = {
    "month": N_("A month is 730 hours."),
    "term": N_(
        "What the whole commitment costs, upfront payment included; unknown where nothing is committed to."
    ),
}


@dataclass(frozen=True, slots=True)
class Heading:
    """A column as it is shown: `name` heads exports, `unit` is a text or a sentence, `notes` complete the help."""

    column: Column
    name: str
    label: str
    unit: str | Sentence
    notes: tuple[Sentence, ...] = ()


@dataclass(frozen=True, slots=True)
class Units:
    """What amounts are of, per what, and in which currency, one unit of which is worth `usd_per_unit` since `day`.

    `missing` is the currency that was asked for where no rate of it is known; amounts then stay in USD.
    """

    price_of: str = "instance"
    price_per: str = "hour"
    currency: str = "USD"
    usd_per_unit: float = 1.0
    day: date | None = None
    missing: str | None = None

    @classmethod
    def of(cls, view: Mapping[str, str], board: Board) -> Units:
        """The units that a question asks for, as far as the board knows the rates."""
        asked = view.get("currency", "USD")
        day, rate = board.rates.get(asked, (None, None))
        if asked == "USD" or rate is None:
            currency, day, rate = "USD", None, 1.0
        else:
            currency = asked
        missing = None if currency == asked else asked
        kinds = {name: view.get(name, UNIT_OPTIONS[name][0]) for name in UNIT_OPTIONS if name != "currency"}
        return cls(**kinds, currency=currency, usd_per_unit=rate, day=day, missing=missing)

    @classmethod
    def in_currency(cls, asked: str | None, board: Board) -> Units:
        """Amounts as they are kept, of the instance and per hour, in a currency; in USD where none is asked for.

        Raises:
            BadInput: there is no such currency.
        """
        if asked and asked not in CURRENCIES:
            raise BadInput("currency", none_of(asked[:60], CURRENCIES))
        return cls.of({"currency": asked} if asked else {}, board)

    @property
    def query(self) -> str:
        """What a link carries so that its page is told in the same currency: `?currency=EUR`, or nothing."""
        asked = self.missing or self.currency
        return "" if asked == "USD" else f"?currency={asked}"

    @property
    def per_hour(self) -> Sentence:
        """The unit of hourly prices."""
        return Sentence(_RATES["hour"], {"currency": self.currency})

    def amount(self, usd: float | None) -> float | None:
        """An amount in USD in the currency of these units; None is unknown."""
        return None if usd is None else usd / self.usd_per_unit

    @property
    def dated(self) -> Sentence | None:
        """Of which day the rate is; None where there is none."""
        if self.day is None:
            return None
        return Sentence(N_("Reference rate of {day}."), {"day": self.day.isoformat()})

    def change(self, column: Column) -> bool:
        """The column is shown otherwise than it is kept."""
        if column.unit == _AMOUNT:
            return self.currency != "USD" or (bool(column.each) and self.price_of != "instance")
        return column.unit == _RATE and self != Units(missing=self.missing)

    def factor(self, column: Column, count: Any, months: Any) -> Any:
        """What a kept amount is multiplied with; `count` accelerators and `months` of commitment may be arrays, NaN is
        unknown."""
        factor: Any = 1.0 / self.usd_per_unit
        if column.each and self.price_of == "accelerator":
            factor = factor / np.where(np.asarray(count) > 0, count, np.nan)
        if column.unit == _RATE and self.price_per != "hour":
            factor = factor * HOURS_PER_MONTH * (months if self.price_per == "term" else 1.0)
        return factor

    def value(self, column: Column, record: OfferRecord, kept: Any) -> Any:
        """The shown value of a kept one; None is unknown."""
        if kept is None or not self.change(column):
            return kept
        months = np.nan if record.term_months is None else float(record.term_months)
        shown = float(kept * self.factor(column, record.accelerator_count, months))
        return None if np.isnan(shown) else round(shown, 6)

    def numbers(self, frame: Frame, column: Column) -> FloatArray:
        """The shown values of a column, shape (n,), NaN = unknown."""
        kept = frame.numbers(column.name)
        if not self.change(column):
            return kept
        shown: FloatArray = kept * self.factor(
            column, frame.numbers("accelerator_count"), frame.numbers("term_months")
        )
        return shown

    def heading(self, column: Column) -> Heading:
        """The column's heading in these units."""
        if column.unit not in (_AMOUNT, _RATE):
            return Heading(column, column.name, column.label, column.unit)
        each = bool(column.each) and self.price_of == "accelerator"
        unit: str | Sentence = self.currency
        notes: list[Sentence] = []
        if column.unit == _RATE:
            unit = Sentence(_RATES[self.price_per], {"currency": self.currency})
            notes += [Sentence(_NOTES[self.price_per])] if self.price_per in _NOTES else []
        if self.dated is not None:
            notes.append(self.dated)
        return Heading(
            column, self._name(column, each), column.each if each else column.label, unit, tuple(notes)
        )

    def _name(self, column: Column, each: bool) -> str:
        name = column.name.replace("usd", self.currency.lower())
        if each:
            head, per, tail = name.partition("_per_")
            name = f"{head}_per_accelerator" + (f"_{tail}" if per else "")
        return name.replace("hour", self.price_per) if column.unit == _RATE else name
