"""The few offers worth looking at, as a view: named choices, the front of hours against cost as plot and table,
and the neighbours of one offer on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from markupsafe import Markup

from app.domain.figures import plain
from app.domain.record import OfferRecord
from app.domain.sentence import N_, Sentence, joined
from app.market.choices import Choices, counts_flagged
from app.market.costs import commitment_words
from app.market.labels import PURCHASE_LABELS
from app.market.query import OfferQuery
from app.market.service import Market
from app.market.units import Units
from app.web import formatting
from app.web.language import gettext, say
from app.web.plot import Axis, Frame, Point, scatter
from app.web.question import href, run_query

MOST_POINTS = 40
REACH = 3.0
"""How many times beyond the slowest and the dearest point of the front the picture reaches."""
DOLLARS = Units()
NAMED = {
    "cheapest": N_("Cheapest"),
    "fastest_within_budget": N_("Fastest within budget"),
    "cheapest_within_deadline": N_("Cheapest within the deadline"),
    "fastest": N_("Fastest"),
}
BESIDE = {
    "better": N_("Neither slower nor dearer"),
    "faster": N_("One dearer, faster"),
    "cheaper": N_("One cheaper, slower"),
}
BESIDE_TABLE = "offers/"
"""Relative, so that the absolute links to offers on the comparison page are its rows, in their order."""


@dataclass(frozen=True, slots=True)
class Pick:
    """One offer under the words it was picked for; money of the whole run in the currency of its view. `seen` is when its price was told,
    `commitment` what of it the run leaves unused."""

    id: str
    title: str
    name: str
    href: str
    hours: float
    total: float
    low: float | None
    high: float | None
    seen: datetime
    commitment: Sentence | None = None


@dataclass(frozen=True, slots=True)
class Picture:
    """The drawing; `outside` offers are left out of it because they take more than `hours` or cost more than `total`,
    far more than the slowest and the dearest that no other beats."""

    drawn: Markup
    outside: int = 0
    hours: float = 0.0
    total: float = 0.0


@dataclass(frozen=True, slots=True)
class ChoicesView:
    """`picks` are the named choices, `front` every point of the front from the cheapest to the fastest (at most
    MOST_POINTS), drawn as `plot` among `compared` offers. `left_out` offers have a flagged price; `flagged_href`
    counts them in or, where they are, leaves them out again."""

    picks: tuple[Pick, ...]
    front: tuple[Pick, ...]
    plot: Picture
    compared: int
    left_out: int
    flagged_href: str
    counts_flagged: bool
    calibration: Sentence | None
    currency: str = "USD"


def choices_view(market: Market, query: OfferQuery, units: Units | None = None) -> ChoicesView | None:
    """The choices among the offers that answer a question, in the currency of `units`; None without a run."""
    found = market.choices(query)
    if found is None:
        return None
    writer = _Writer(market, query, BESIDE_TABLE, units or DOLLARS)
    titles = _titles(query, found)
    picks = tuple(writer.pick(row, title) for title, row in titles.items())
    named = {row: title for title, row in titles.items()}
    front = tuple(writer.pick(row, named.get(row, "")) for row in found.front[:MOST_POINTS])
    asks = counts_flagged(query)
    return ChoicesView(
        picks=picks,
        front=front,
        plot=_plot(writer, found, front),
        compared=len(found.rows),
        left_out=found.left_out,
        flagged_href=href(query.with_(choices=None if asks else "flagged")),
        counts_flagged=asks,
        calibration=writer.estimates.question.calibration,
        currency=writer.units.currency,
    )


def cheapest_on_demand(market: Market, query: OfferQuery) -> tuple[Pick, ...]:
    """The cheapest of the same offers that nobody takes away again, as one pick; empty where there is none."""
    asked = query.with_(purchase_option="on_demand")
    found = market.choices(asked)
    if found is None or found.cheapest is None:
        return ()
    return (_Writer(market, query).pick(found.cheapest, N_("Cheapest on demand")),)


def neighbour_picks(
    market: Market, query: OfferQuery, beside: Mapping[str, str | None], units: Units = DOLLARS
) -> tuple[Pick, ...]:
    """The neighbours of an offer on the front, by the words for each, in the currency of `units`."""
    writer = _Writer(market, query, units=units)
    wanted = ((BESIDE[name], beside.get(name)) for name in BESIDE)
    return tuple(writer.pick(market.board.row_of(key), title) for title, key in wanted if key is not None)


class _Writer:
    """Rows of the board as picks."""

    def __init__(
        self, market: Market, query: OfferQuery, path: str = "/offers/", units: Units = DOLLARS
    ) -> None:
        frame = market.frame(query.run)
        self.records: Sequence[OfferRecord] = frame.board.records
        self.estimates: Any = frame.estimates
        run = run_query(query)
        self.path, self.suffix = path, f"?{run}" if run else ""
        self.units = units

    def totals(self, amounts: Any) -> Any:
        """Amounts of the run in USD, in the currency of the view."""
        return amounts / self.units.usd_per_unit

    def pick(self, row: int, title: str) -> Pick:
        """The offer of a row."""
        table = self.estimates
        return Pick(
            id=self.records[row].id,
            title=title,
            name=words_of(self.records[row]),
            href=f"{self.path}{self.records[row].id}{self.suffix}",
            hours=float(table.hours[row]),
            total=float(self.totals(table.total_usd[row])),
            low=_known(self.totals(table.total_usd_low[row])),
            high=_known(self.totals(table.total_usd_high[row])),
            seen=self.records[row].observed_at,
            commitment=commitment_words(table.costs, row),
        )


def words_of(record: OfferRecord) -> str:
    """An offer in a few words: hardware, provider, how it is bought, where."""
    count = {"count": plain(record.accelerator_count, 3), "what": record.accelerator_label}
    bought = PURCHASE_LABELS[record.purchase_option]
    parts = (Sentence("{count}× {what}", count), record.provider_name, bought, record.region)
    return say(joined([part for part in parts if part], N_("{first}, {next}")))


def _titles(query: OfferQuery, found: Choices) -> Mapping[str, int]:
    """Title → row; a budget or deadline that nobody set picks nothing of its own."""
    run = query.run
    rows = {"cheapest": found.cheapest, "fastest": found.front[-1] if found.front else None}
    if run is not None and run.budget_usd is not None:
        rows = {"cheapest": found.cheapest, "fastest_within_budget": found.fastest_within_budget}
    if run is not None and run.deadline_hours is not None:
        rows["cheapest_within_deadline"] = found.cheapest_within_deadline
    return {NAMED[name]: row for name, row in rows.items() if row is not None}


def _plot(writer: _Writer, found: Choices, front: Sequence[Pick]) -> Picture:
    """Everything near the front. What is far slower or dearer (the whole term of a reservation for a run of hours) is
    counted instead: it would press all that one may choose into a corner."""
    currency = writer.units.currency
    points = [
        Point(p.hours, p.total, p.href, _words(p, currency), bool(p.title)) for p in front if p.total > 0
    ]
    if not points:
        return Picture(Markup(""))
    table = writer.estimates
    totals = writer.totals(table.total_usd[found.rows]).tolist()
    cloud = list(zip(table.hours[found.rows].tolist(), totals, strict=True))
    cloud = [(hours, total) for hours, total in cloud if hours > 0 and total > 0]
    most = REACH * max(point.x for point in points), REACH * max(point.y for point in points)
    near = [(hours, total) for hours, total in cloud if hours <= most[0] and total <= most[1]]
    frame = Frame(
        Axis.over([hours for hours, _ in near]),
        Axis.over([total for _, total in near]),
        lambda value: formatting.number(value) or "",
        lambda value: formatting.compact(value) or "",
    )
    label = gettext("Hours (across) against total cost (up), both logarithmic; the table says the same")
    return Picture(scatter(frame, near, points, label), len(cloud) - len(near), *most)


def _words(pick: Pick, currency: str) -> str:
    text = Sentence(
        N_("{name}: {total} {currency}, {hours} h"),
        {
            "name": pick.name,
            "total": formatting.usd(pick.total) or "?",
            "currency": currency,
            "hours": formatting.hours(pick.hours) or "?",
        },
    )
    return say(text)


def _known(value: float) -> float | None:
    return float(value) if value == value else None
