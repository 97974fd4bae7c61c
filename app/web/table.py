"""What belongs to the comparison table beside its page: column chooser, details of a row, the table as Markdown and as
a feed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from fastapi import APIRouter, Request
from fastapi.responses import PlainTextResponse, RedirectResponse, Response

from app.domain.errors import BadInput, NotFound
from app.market.query import OfferQuery
from app.web.chooser import chooser_view
from app.web.details import details_view
from app.web.feed import ENTRIES, feed_of
from app.web.markdown import markdown_of
from app.web.models import resolve_model
from app.web.question import href, run_query
from app.web.templating import HEADERS, target_of

if TYPE_CHECKING:
    from app.web.routes import Pages

RESULTS, LISTING = "results", "listing"


def add_table(router: APIRouter, pages: Pages) -> None:
    """The routes of the table."""
    table = Table(pages)
    views: dict[str, Callable[..., Response]] = {
        "/columns": table.columns,
        "/offers.md": table.markdown,
        "/offers.atom": table.feed,
        "/offers/{offer_id}/row": table.details,
    }
    for path, view in views.items():
        router.add_api_route(path, view, methods=["GET", "HEAD"], name=f"page {path}")


class Table:
    """The views of the table."""

    def __init__(self, pages: Pages) -> None:
        self.pages = pages

    def columns(self, request: Request) -> Response:
        """`/columns`: choose the table's columns."""
        return self.pages.page(request, "columns.html", view=chooser_view(self._asked(request)))

    def markdown(self, request: Request) -> Response:
        """`/offers.md`: the page of the table as Markdown."""
        market = self.pages.market
        text = markdown_of(market.list_offers(self._asked(request)), market.clock())
        return PlainTextResponse(text, headers=HEADERS, media_type="text/markdown")

    def feed(self, request: Request) -> Response:
        """`/offers.atom`: the first offers of the question as a feed."""
        market, query = self.pages.market, self._asked(request)
        first = query.with_(group=None, page=None, per_page=min(query.per_page or ENTRIES, ENTRIES))
        text = feed_of(market.list_offers(first), str(request.base_url).rstrip("/"), market.clock())
        return Response(text, headers=HEADERS, media_type="application/atom+xml")

    def details(self, request: Request, offer_id: str) -> Response:
        """`/offers/{id}/row`: what unfolds under a row; by itself it is the page of the offer."""
        query = self._asked(request)
        if target_of(request) != "details":
            run = run_query(query)
            return RedirectResponse(f"/offers/{offer_id}" + (f"?{run}" if run else ""), status_code=303)
        return self.pages.page(
            request, "_details.html", view=details_view(self.pages.market, offer_id, query)
        )

    def _asked(self, request: Request) -> OfferQuery:
        given: dict[str, list[str]] = {}
        for name, value in request.query_params.multi_items():
            given.setdefault(name, []).append(value)
        return OfferQuery.parse(resolve_model(self.pages.market, given))


def block_for(request: Request, address: str) -> str:
    """The block that an htmx request gets. Where the answer is for the question that the page already asks (another
    order, page, unit or choice of columns), the form stays as it is: to redraw it would cost more than the table."""
    target = target_of(request)
    current = urlsplit(request.headers.get("hx-current-url", ""))
    if target != RESULTS or current.path != urlsplit(address).path:
        return target
    try:
        same = _asks(OfferQuery.parse(current.query)) == _asks(OfferQuery.parse(urlsplit(address).query))
    except (BadInput, NotFound):
        return target
    return LISTING if same else target


def _asks(query: OfferQuery) -> object:
    return query.filters, query.q, query.draft, query.show_hidden, dict(query.view).get("lang", "")


def details_href(offer_id: str, query: OfferQuery) -> str:
    """The address of a row's details: the run and the units of the table."""
    return href(query, f"/offers/{offer_id}/row")
