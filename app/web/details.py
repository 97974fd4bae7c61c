"""What unfolds under a row: everything that is known of an offer, by group, in the units of the table."""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.errors import NotFound
from app.domain.sentence import Sentence
from app.market.column import GROUPS
from app.market.columns import COLUMNS
from app.market.offers import OfferRow
from app.market.query import OfferQuery
from app.market.service import Market
from app.market.units import Heading, Units
from app.web.cells import as_quoted, shown_text
from app.web.question import run_query

SAID_ELSEWHERE = {
    "id",
    "accelerator",
    "provider_name",
    "accelerator_label",
    "provider",
    "why",
    "source",
    "instance_type",
}


@dataclass(frozen=True, slots=True)
class Known:
    """One column and its value as text."""

    heading: Heading
    text: str


@dataclass(frozen=True, slots=True)
class DetailsView:
    """An offer in a few lines; `why` is the verdict as a sentence, with a run. `address` is its own page."""

    row: OfferRow
    groups: tuple[tuple[str, tuple[Known, ...]], ...]
    why: Sentence | None
    address: str
    money: Units
    quoted: str | None


def details_view(market: Market, offer_id: str, query: OfferQuery) -> DetailsView:
    """The details of an offer under the run and units of a question.

    Raises:
        NotFound: there is no such offer now.
    """
    alone = OfferQuery(draft=query.draft, view=query.view).with_(id=offer_id, show_hidden=1)
    page = market.list_offers(alone)
    if not page.rows:
        raise NotFound("offer", offer_id)
    row, now = page.rows[0], market.clock()
    groups = []
    for name, title in GROUPS.items():
        columns = (
            c for c in COLUMNS if c.group == name and c.name in row.cells and c.name not in SAID_ELSEWHERE
        )
        told = ((page.units.heading(column), shown_text(column, row, page.units, now)) for column in columns)
        known = tuple(Known(heading, text) for heading, text in told if text is not None)
        if known:
            groups.append((title, known))
    run = run_query(query)
    address = f"/offers/{offer_id}" + (f"?{run}" if run else "")
    return DetailsView(
        row, tuple(groups), row.why if query.run else None, address, page.units, as_quoted(row)
    )
