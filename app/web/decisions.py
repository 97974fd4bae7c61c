"""Pages beside the comparison: rent or buy, and one's own trial. Both are forms whose address is their whole state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from app.domain.errors import BadInput, NotFound
from app.market.service import Market
from app.web import errors, rent_or_buy, trial
from app.web.models import near, resolve_model
from app.web.negotiation import PARAMETER


class PageMaker(Protocol):
    """What makes a page with what every page needs."""

    market: Market

    def page(self, request: Request, template: str, status: int = 200, **view: object) -> HTMLResponse:
        """A page around its own view."""


class Decisions:
    """The views."""

    def __init__(self, pages: PageMaker) -> None:
        self.pages, self.market = pages, pages.market

    def rent_or_buy(self, request: Request) -> Response:
        """`/rent-or-buy`: break-even of one accelerator against live offers."""
        asked = asked_once(request)
        if "" in request.query_params.values():
            return RedirectResponse(f"/rent-or-buy?{urlencode(asked)}" if asked else "/rent-or-buy", 303)
        try:
            view = rent_or_buy.rent_or_buy_view(self.market, asked)
        except BadInput as error:
            refused = rent_or_buy.refused_view(self.market, asked, error)
            return self.pages.page(request, "rent_or_buy.html", 422, view=refused)
        return self.pages.page(request, "rent_or_buy.html", view=view)

    def trial(self, request: Request) -> Response:
        """`/trial`: what a trial tells."""
        asked = self._asked(asked_once(request))
        try:
            return self.pages.page(request, "trial.html", view=trial.trial_view(self.market, asked))
        except (BadInput, NotFound) as error:
            return self._refused(request, asked, errors.as_bad_input(error))

    async def take_trial(self, request: Request) -> Response:
        """`POST /trial`: the form with its paste; the answer is an address that holds the averages."""
        asked = self._asked(trial.sent((await request.body()).decode("utf-8", "replace")))
        try:
            return RedirectResponse(trial.address_of(asked), 303)
        except BadInput as error:
            return self._refused(request, asked, error)

    def _asked(self, asked: Mapping[str, str]) -> dict[str, str]:
        found = resolve_model(self.market, {name: [value] for name, value in asked.items()})
        return {name: values[0] for name, values in found.items()}

    def _refused(self, request: Request, asked: Mapping[str, str], error: BadInput) -> Response:
        hints = near(self.market, {name: [value] for name, value in asked.items()}, error)
        return self.pages.page(request, "trial.html", 422, view=trial.refused_view(asked, error), near=hints)


def asked_once(request: Request) -> dict[str, str]:
    """The parameters as given, the last of each, but for the language; blanks are no parameters."""
    given = request.query_params.multi_items()
    return {name: value for name, value in given if value.strip() and name != PARAMETER}


def add_decisions(router: APIRouter, pages: PageMaker) -> None:
    """The routes of these pages."""
    views, read = Decisions(pages), ["GET", "HEAD"]
    add = router.add_api_route
    add(
        "/rent-or-buy", views.rent_or_buy, methods=read, response_class=HTMLResponse, name="page /rent-or-buy"
    )
    add("/trial", views.trial, methods=read, response_class=HTMLResponse, name="page /trial")
    add("/trial", views.take_trial, methods=["POST"], response_class=HTMLResponse, name="take /trial")
