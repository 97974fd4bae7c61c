"""Up to six offers side by side, as a view. The address is the whole comparison: `offer` once for each, and the run."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from markupsafe import Markup

from app.domain.errors import BadInput, NotFound
from app.domain.sentence import N_
from app.market.comparison import MOST, Compared, Comparison, Line, compare
from app.market.query import OfferQuery
from app.market.service import Market
from app.market.units import Units
from app.web import errors, formatting
from app.web.cells import plain_text
from app.web.charts import sparkline
from app.web.choices import DOLLARS, choices_view, words_of
from app.web.decisions import PageMaker
from app.web.language import gettext, say
from app.web.models import near, resolve_model
from app.web.question import CURRENCY, Asked, href, run_alone
from app.web.templating import english

OWN = ("offer", "add", "only")
ONLY = "differences"
_ID = re.compile(r"(?:^|/)([0-9a-f]{16})(?=$|[/?#])")


@dataclass(frozen=True, slots=True)
class Head:
    """The heading of one offer. `since` is the day of the first point of `spark`, None without a price history."""

    compared: Compared
    title: str
    href: str
    without_href: str
    spark: Markup
    since: datetime | None


@dataclass(frozen=True, slots=True)
class Row:
    """One line as people read it: (text or None for unknown, best of the line) for each offer."""

    line: Line
    cells: tuple[tuple[str | None, bool], ...]


@dataclass(frozen=True, slots=True)
class CompareView:
    """What `compare.html` shows; `suggested` are (words, name, address) of offers to put beside these."""

    money: Units = DOLLARS
    heads: tuple[Head, ...] = ()
    groups: tuple[tuple[str, tuple[Row, ...]], ...] = ()
    missing: tuple[str, ...] = ()
    run: Any = None
    kept: tuple[tuple[str, str], ...] = ()
    suggested: tuple[tuple[str, str, str], ...] = ()
    links: Mapping[str, str] | None = None
    only: bool = False
    most: int = MOST
    error: BadInput | None = None


def compare_view(market: Market, asked: Asked) -> CompareView:
    """The comparison for the parameters of the page.

    Raises:
        BadInput: too many offers, or a run that cannot be answered.
    """
    query, ids, only = _question(asked)
    told, money = (
        compare(market, ids, query.run),
        Units.in_currency(dict(query.view).get(CURRENCY), market.board),
    )
    known = [item.id for item in told.offers]
    return CompareView(
        heads=tuple(_head(market, query, known, item, only) for item in told.offers),
        money=money,
        groups=_groups(told, money, market.clock(), only),
        missing=told.missing,
        run=query.run,
        kept=_kept(query, known, only),
        suggested=_suggested(market, query, known, only) if len(known) < MOST else (),
        links={
            "table": href(query),
            "fit": href(query, "/fit"),
            "only": address_of(query, known, not only),
            "without_run": address_of(query.without_run(), known, only),
            "api": f"/api/v1{address_of(query.with_(currency=None), known, False)}",
        },
        only=only,
    )


def refused_view(asked: Asked, error: BadInput) -> CompareView:
    """The page with what is wrong, and a way on: the first offers, or the same without what is wrong."""
    ids = list(asked.get("offer", ()))[:MOST]
    fewer = {name: values for name, values in asked.items() if name != error.field} | {"offer": ids}
    return CompareView(error=error, links={"table": "/", "fewer": f"/compare?{urlencode(fewer, doseq=True)}"})


def address_of(query: OfferQuery, ids: Sequence[str], only: bool) -> str:
    """The address of a comparison."""
    run = run_alone(query).to_params()
    asked = {"offer": list(ids), **run, **({"only": [ONLY]} if only else {})}
    text = urlencode({name: values for name, values in asked.items() if values}, doseq=True)
    return f"/compare?{text}" if text else "/compare"


def added(asked: Asked) -> str | None:
    """Where a form with something in `add` leads: the comparison with that offer; None where nothing is added.

    Raises:
        BadInput: it names no offer.
    """
    text = (asked.get("add") or [""])[0].strip()
    if not text:
        return None
    found = _ID.search(text.lower())
    if found is None:
        raise BadInput("add", "paste the address of an offer's page, or the 16 characters of its id")
    query, ids, only = _question(asked)
    return address_of(query, dict.fromkeys((*ids, found[1])), only)  # type: ignore[arg-type]


def _question(asked: Asked) -> tuple[OfferQuery, list[str], bool]:
    query = OfferQuery.parse({name: list(values) for name, values in asked.items() if name not in OWN})
    ids = [part.strip().lower() for value in asked.get("offer", ()) for part in value.split(",")]
    return run_alone(query), [key for key in ids if key], (asked.get("only") or [""])[0] == ONLY


def _kept(query: OfferQuery, ids: Sequence[str], only: bool) -> tuple[tuple[str, str], ...]:
    """What a form has to carry along."""
    run = [(name, value) for name, values in query.to_params().items() for value in values]
    return (*(("offer", key) for key in ids), *run, *((("only", ONLY),) if only else ()))


def _head(market: Market, query: OfferQuery, ids: Sequence[str], item: Compared, only: bool) -> Head:
    known = [(point.at, point.usd_per_hour) for point in item.points if point.usd_per_hour is not None]
    end = item.withdrawn_at or market.clock()
    prices = [*known, (end, known[-1][1])] if known else []
    return Head(
        compared=item,
        title=words_of(item.record),
        href=href(query, f"/offers/{item.id}"),
        without_href=address_of(query, [key for key in ids if key != item.id], only),
        spark=sparkline(prices) if len(known) > 1 else Markup(""),
        since=known[0][0] if len(known) > 1 else None,
    )


def _groups(
    told: Comparison, money: Units, now: datetime, only: bool
) -> tuple[tuple[str, tuple[Row, ...]], ...]:
    groups = (
        (title, tuple(_row(line, money, now) for line in lines if line.differs or not only))
        for title, lines in told.groups
    )
    return tuple((title, rows) for title, rows in groups if rows)


def _row(line: Line, money: Units, now: datetime) -> Row:
    told = (written(line, value, money, now) for value in line.values)
    return Row(line, tuple((text, at in line.best) for at, text in enumerate(told)))


def written(line: Line, value: Any, money: Units, now: datetime) -> str | None:
    """A value of a line with its unit, as people read it; None for unknown. Amounts are in the currency of `money`."""
    if value is None:
        return None
    unit: object = line.unit
    if line.unit in AMOUNTS:
        value, unit = money.amount(value), AMOUNTS[line.unit](money)
    text = plain_text(line.column, value, now) if line.column is not None else _FORMS[line.form](value)
    if text is None or not line.unit:
        return text
    return f"{text} {say(unit)}"


AMOUNTS: Mapping[str, Callable[[Units], object]] = {
    "USD": lambda money: money.currency,
    "USD/h": lambda money: money.per_hour,
}
"""Units of lines that follow the currency, and what they are then."""
VERDICTS = {
    "fits": N_("fits"),
    "tight": N_("tight"),
    "does_not_fit": N_("does not fit"),
    "link_too_slow": N_("link too slow"),
    "unknown": N_("unknown"),
}
_FORMS: Mapping[str, Callable[[Any], str | None]] = {
    "text": say,
    "quotation": english,
    "words": lambda value: say(str(value).replace("_", " ")),
    "verdict": lambda value: gettext(VERDICTS[value]),
    "flag": lambda value: gettext("yes") if value else gettext("no"),
    "gib": formatting.gib,
    "usd": formatting.usd,
    "hours": formatting.hours,
    "number": formatting.number,
    "integer": formatting.integer,
    "compact": formatting.compact,
    "percent": formatting.percent,
    "duration": formatting.duration,
}


def _suggested(
    market: Market, query: OfferQuery, ids: Sequence[str], only: bool
) -> tuple[tuple[str, str, str], ...]:
    """Offers worth putting beside these: the choices for the run, else the cheapest of the same hardware."""
    found: dict[str, tuple[str, str]] = {}
    choices = choices_view(market, query)
    if choices is not None:
        for pick in choices.picks:
            found.setdefault(pick.id, (pick.title, pick.name))
    elif ids:
        for row in _alike(market, ids[0]):
            found.setdefault(row.id, ("", words_of(row.record)))
    return tuple(
        (title, name, address_of(query, [*ids, key], only))
        for key, (title, name) in found.items()
        if key not in ids
    )[:5]


def _alike(market: Market, key: str) -> Sequence[Any]:
    try:
        record = market.get_offer(key).record
    except NotFound:
        return ()
    if record.accelerator is None:
        return ()
    same = {"accelerator": [record.accelerator], "accelerator_count": [f"{record.accelerator_count:g}"]}
    return market.list_offers(OfferQuery.parse({**same, "per_page": ["6"]})).rows


class ComparePage:
    """The one view."""

    def __init__(self, pages: PageMaker) -> None:
        self.pages, self.market = pages, pages.market

    def show(self, request: Request) -> Response:
        """`/compare`: offers side by side."""
        asked: dict[str, list[str]] = {}
        for name, value in request.query_params.multi_items():
            if value.strip():
                asked.setdefault(name, []).append(value)
        asked = resolve_model(self.market, asked)
        try:
            if (address := added(asked)) is not None:
                return RedirectResponse(address, 303)
            return self.pages.page(request, "compare.html", view=compare_view(self.market, asked))
        except (BadInput, NotFound) as error:
            refusal = errors.as_bad_input(error)
            hints = near(self.market, asked, refusal)
            view = refused_view(asked, refusal)
            return self.pages.page(request, "compare.html", 422, view=view, near=hints)


def add_compare(router: APIRouter, pages: PageMaker) -> None:
    """The route."""
    show = ComparePage(pages).show
    router.add_api_route(
        "/compare", show, methods=["GET", "HEAD"], response_class=HTMLResponse, name="page /compare"
    )
