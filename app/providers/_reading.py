"""What every reader shares: rows that add up, careful numbers, one place that refuses a senseless offer."""

from __future__ import annotations

import csv
import io
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

import orjson

from app.domain.errors import ShapeDrift
from app.domain.offer import Parsed, Reject, ScrapedOffer
from app.domain.units import HOURS_PER_MONTH
from app.providers.port import Part, Payload

# Per whole accelerator and hour, in USD or EUR. Outside the inner range a row is marked for review; outside the outer
# range it is a test listing, a sentinel or another denominator, and never a price (providers.md §2.4, lessons.md).
SUSPICIOUS_BELOW, SUSPICIOUS_ABOVE = Decimal("0.03"), Decimal(60)
SENSELESS_BELOW, SENSELESS_ABOVE = Decimal("0.001"), Decimal(250)
_BOUNDED_CURRENCIES = frozenset({"USD", "EUR", "GBP", "CHF"})
# A gaming card above this is a host's joke: "GTX 1070 Ti at 55.83" (behaviour P19), "$100 for a 3060".
CONSUMER_ABOVE = Decimal(10)
_CONSUMER = re.compile(
    r"\bgtx|geforce|\b(?:rtx[ _-]*)?[2-5]0[5-9]0(?: ?ti| ?super| ?d)?\b|rtx[2-5]0[5-9]0", re.IGNORECASE
)
_NAMELESS = re.compile(
    r"^\W*(?:\d+|cpu|gpu|none|null|n/?a|unknown|gpu \(unspecified\)|unspecified)?\W*$", re.IGNORECASE
)
_CURRENCY, _COUNTRY = re.compile(r"[A-Z]{3}$"), re.compile(r"[A-Z]{2}$")
_THOUSANDS = re.compile(r"-?\d{1,3}(?:,\d{3})+(?:\.\d*)?$")
_LONGEST = 200
FAULTS = (
    *(KeyError, IndexError, TypeError, ValueError, AttributeError, ArithmeticError),
    *(csv.Error, RecursionError),
)


class Refused(ValueError):
    """A row that names no usable offer; the message is the reason, short and without figures."""


class Harvest:
    """Collects what a payload yields so that every input row is accounted for.

    `read(row)` gives the offers of one row. A row that gives none is counted under `nothing`; a row that raises
    Refused, or is not in the expected shape, becomes a reject. `offer` is the one door that offers pass.
    """

    def __init__(self, provider: str, *, source: str, url: str = "", licence: str = "") -> None:
        self.provider = provider
        self.defaults: dict[str, Any] = {"source": source, "source_url": url, "licence": licence}
        self._offers: list[ScrapedOffer] = []
        self._rejects: list[Reject] = []
        self._ignored: Counter[str] = Counter()
        self._seen: dict[tuple[object, ...], tuple[Decimal | None, Decimal | None]] = {}
        self._unanswered: list[str] = []
        self._rows_read = 0
        self._rows_used = 0
        self._last_raw = ""

    def each(
        self, rows: Iterable[Any], read: Callable[[Any], Iterable[ScrapedOffer] | None], *, nothing: str
    ) -> None:
        """Read every row; see the class."""
        for row in rows:
            self._rows_read += 1
            self._last_raw = extract(row)
            refused_before, offered, taken = len(self._rejects), 0, 0
            try:
                for offer in read(row) or ():
                    offered += 1
                    taken += self._take(offer)
            except Refused as refusal:
                self.reject(str(refusal))
            except FAULTS as fault:
                self._misshapen(fault)
            if taken:
                self._rows_used += 1
            elif len(self._rejects) == refused_before:
                self._ignored["the same offer again" if offered else nothing] += 1

    def sift(self, rows: Iterable[Any], keep: Callable[[Any], object], reason: str) -> list[Any]:
        """The rows that are to be read: the others are counted under `reason`, those in another shape are rejects."""
        return self.unfold(rows, lambda row: (row,) if keep(row) else (), reason)

    def unfold(
        self, rows: Iterable[Any], inner: Callable[[Any], Iterable[Any]], nothing: str | None = None
    ) -> list[Any]:
        """What the rows hold. A row that holds none is counted under `nothing` (None: it only helps to read others, as
        a list of stock does); one in another shape is a reject and takes no other row with it."""
        found = []
        for row in rows:
            try:
                held = list(inner(row))
            except FAULTS as fault:
                self._rows_read, self._last_raw = self._rows_read + 1, extract(row)
                self._misshapen(fault)
                continue
            if not held and nothing is not None:
                self.ignore(nothing)
            found += held
        return found

    def _misshapen(self, fault: Exception) -> None:
        self.reject("not in the shape we know", f"{type(fault).__name__}: {fault}")

    def _take(self, offer: ScrapedOffer) -> bool:
        """Keep an offer unless its identity (design §5) is taken; at another price that is a reject."""
        identity = (
            *(offer.provider, offer.instance_type, offer.region, offer.zone, offer.purchase_option),
            *(offer.term_months, offer.upfront_option, offer.tier, offer.native_id),
        )
        price = (offer.price_per_hour, offer.upfront)
        if identity not in self._seen:
            self._seen[identity] = price
            self._offers.append(offer)
            return True
        if self._seen[identity] != price:
            self.reject("the same offer at another price", f"{price[0]} beside {self._seen[identity][0]}")
        return False

    def csv_rows(self, part: Part, needed: Iterable[str], *, delimiter: str = ",") -> list[dict[str, str]]:
        """The rows of a CSV with a header.

        Raises:
            ShapeDrift: a needed column is missing (an error page has none of them), it is no CSV, or its last row has
                no line end: then it was cut short, and what is missing is not gone.
        """
        reader = csv.DictReader(io.StringIO(part.text), delimiter=delimiter)
        try:
            missing = set(needed) - set(reader.fieldnames or ())
            rows = list(reader)
        except csv.Error as fault:
            raise ShapeDrift(f"{part.name}: no CSV ({fault})") from None
        if missing:
            raise ShapeDrift(f"{part.name}: no column {', '.join(sorted(missing))}")
        if not part.text.endswith("\n"):
            raise ShapeDrift(f"{part.name}: cut short after {len(rows)} rows")
        return rows

    def silent(self, provider: str, reason: str) -> None:
        """A provider of which the answer says nothing usable: its stored rows stay."""
        self._unanswered.append(provider)
        self._rejects.append(Reject(provider=provider, reason="no usable answer", detail=reason))

    def ignore(self, reason: str, count: int = 1) -> None:
        """Rows left out before reading, on purpose."""
        if count:
            self._rows_read += count
            self._ignored[reason] += count

    def reject(self, reason: str, detail: str = "") -> None:
        """Refuse (a part of) the row in hand."""
        self._rejects.append(
            Reject(provider=self.provider, reason=reason, detail=detail or reason, raw=self._last_raw)
        )

    def offer(self, **fields: Any) -> ScrapedOffer:
        """An offer with the source's defaults.

        Raises:
            Refused: no accelerator name, no count, a price of zero or less, or one that no accelerator costs.
        """
        fields = {"provider": self.provider, "raw": self._last_raw, **self.defaults, **fields}
        name, count = str(fields["accelerator_name"] or "").strip(), float(fields["accelerator_count"] or 0)
        _refuse_odd(fields, name, count)
        if not _COUNTRY.match(fields.get("country") or ""):
            fields["country"] = None
        flags = (*fields.pop("flags", ()), *_price_flags(fields, name, count))
        fields |= {"accelerator_name": name, "accelerator_count": count, "flags": flags}
        return ScrapedOffer(**fields)

    @property
    def offers(self) -> tuple[ScrapedOffer, ...]:
        """What was taken so far."""
        return tuple(self._offers)

    def parsed(self, payload: Payload | None = None) -> Parsed:
        """The account of the whole payload.

        Raises:
            ShapeDrift: there were rows, none gave an offer, and most were refused.
        """
        if self._rows_read and not self._rows_used and 2 * len(self._rejects) > self._rows_read:
            first = self._rejects[0]
            raise ShapeDrift(f"none of {self._rows_read} rows could be read: {first.reason} ({first.detail})")
        return Parsed(
            offers=tuple(self._offers),
            rejects=tuple(self._rejects),
            ignored=dict(self._ignored),
            rows_read=self._rows_read,
            rows_used=self._rows_used,
            unanswered=(*(payload.unanswered if payload else ()), *self._unanswered),
        )


def _refuse_odd(fields: Mapping[str, Any], name: str, count: float) -> None:
    if _NAMELESS.match(name):
        raise Refused("no accelerator name")
    if not math.isfinite(count) or not 0 < count <= 1024:
        raise Refused("no accelerator count")
    if not _CURRENCY.match(fields.get("currency", "USD")):
        raise Refused("no currency")
    if max(len(name), len(str(fields["instance_type"])), len(str(fields["region"]))) > _LONGEST:
        raise Refused("a name longer than any")


def _hourly(fields: Mapping[str, Any]) -> Decimal | None:
    """What the offer comes to per hour, an upfront payment spread over its term."""
    hourly: Decimal | None = fields["price_per_hour"]
    upfront: Decimal | None = fields.get("upfront")
    if upfront is None:
        return hourly
    return (hourly or Decimal(0)) + upfront / (Decimal(fields["term_months"]) * Decimal(HOURS_PER_MONTH))


def _price_flags(fields: Mapping[str, Any], name: str, count: float) -> tuple[str, ...]:
    price = _hourly(fields)
    if price is None:
        return ()
    parts = (fields["price_per_hour"], fields.get("upfront"))
    if not price.is_finite() or price <= 0 or any(part is not None and part < 0 for part in parts):
        raise Refused("price of zero or less")
    if fields.get("currency", "USD") not in _BOUNDED_CURRENCIES:
        return ()
    each = price / Decimal(str(count))
    if not SENSELESS_BELOW <= each <= SENSELESS_ABOVE:
        raise Refused("price that no accelerator costs")
    if each > CONSUMER_ABOVE and _CONSUMER.search(name):
        raise Refused("outlier: data-centre price for a gaming card")
    return () if SUSPICIOUS_BELOW <= each <= SUSPICIOUS_ABOVE else ("price_implausible",)


def decimal_of(value: object) -> Decimal | None:
    """A number as a source writes it ("26.00", 3.49, "42,066.5"); None for null, blank and "N/A".

    Raises:
        Refused: something else, a decimal comma among it ("1,5" is neither 15 nor known to be 1.5).
    """
    if value is None or isinstance(value, bool):
        return None
    text = str(value).strip()
    text = text.replace(",", "") if _THOUSANDS.match(text) else text
    if text == "" or text.upper().startswith("N/A") or text.lower() in ("none", "null", "-"):
        return None
    try:
        number = Decimal(text)
    except InvalidOperation:
        raise Refused("a figure that is not a number") from None
    if not number.is_finite():
        raise Refused("a figure that is not a number")
    return number


def some(value: object) -> Decimal | None:
    """A figure whose zero means "not offered" in the source: zero and negative become None."""
    number = decimal_of(value)
    return number if number is not None and number > 0 else None


def figure(value: object) -> float | None:
    """A positive float, or None for anything that does not say (zero included)."""
    number = some(value)
    return None if number is None else float(number)


def rows_at(part: Part, *path: str) -> list[Any]:
    """The list at a path of a JSON answer; its rows may be anything (`Harvest` refuses those in another shape).

    Raises:
        ShapeDrift: the path does not exist or does not end in a list.
    """
    node: Any = part.json()
    for key in path:
        node = node.get(key) if isinstance(node, Mapping) else None
    if not isinstance(node, list):
        raise ShapeDrift(f"{part.name}: no list at {'.'.join(path) or 'the top'}")
    return node


def extract(row: object, limit: int = 400) -> str:
    """A short, printable extract of a raw row."""
    try:
        text = orjson.dumps(row, default=str).decode()
    except (TypeError, ValueError):
        text = str(row)
    return text if len(text) <= limit else text[: limit - 1] + "…"
