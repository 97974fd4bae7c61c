"""REST API v1: the same question as the page, the same rows, in JSON and CSV."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, cast

from fastapi import APIRouter, Body, Depends, FastAPI, Request, Response
from fastapi.responses import StreamingResponse

from app.api import bodies
from app.api.compare import add_compare
from app.api.decisions import add_decisions
from app.api.errors import Error
from app.api.market import add_market
from app.api.plain import json_response
from app.api.schemas import RUN_EXAMPLES, ColumnCard, OfferDetail, OfferList, column_card, offer_parameters
from app.domain.errors import UnknownParameter
from app.domain.run import TrainingRun
from app.market.columns import COLUMNS
from app.market.query import OfferQuery
from app.market.service import Market

Run = Annotated[
    TrainingRun,
    Body(description="A training run; only what differs from the defaults", openapi_examples=RUN_EXAMPLES),
]
FAILS: dict[int | str, dict[str, Any]] = {
    404: {"model": Error, "description": "There is no such thing"},
    422: {"model": Error, "description": "The question cannot be answered as asked"},
}
JSON_BODY: dict[int | str, dict[str, Any]] = {
    200: {"content": {"application/json": {"schema": {"type": "object"}}}}
}
JSON_LIST: dict[int | str, dict[str, Any]] = {
    200: {"content": {"application/json": {"schema": {"type": "array", "items": {"type": "object"}}}}}
}
CSV: dict[int | str, dict[str, Any]] = {200: {"content": {"text/csv": {"schema": {"type": "string"}}}}}


class Api:
    """The routes. Each hands the question to the market and the answer to JSON."""

    def __init__(self, market: Market) -> None:
        self.market = market

    def offers(self, request: Request) -> Response:
        """A page of offers; `Accept: text/csv` gives them as CSV. With a training run, what cannot hold it is hidden."""
        if request.headers.get("accept", "").startswith("text/csv"):
            return self.offers_csv(request)
        query = asked(request)
        tag = self.tag(query)
        if tag and request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers=fresh(tag))
        return json_response(bodies.offers_body(self.market.list_offers(query)), fresh(tag))

    def offers_csv(self, request: Request) -> Response:
        """The same rows as CSV: the id and the columns of the view; `per_page=all` takes all pages."""
        lines = self.market.export_csv(asked(request))
        headers = {"content-disposition": 'attachment; filename="rackrate-offers.csv"', **fresh(None)}
        return StreamingResponse(lines, media_type="text/csv", headers=headers)

    def offer(self, offer_id: str) -> Response:
        """One offer with its price history."""
        return json_response(bodies.offer_body(self.market, offer_id))

    def explain(self, offer_id: str, run: Run) -> Response:
        """A training run on one offer, every term kept."""
        return json_response(bodies.explanation_body(self.market, offer_id, run))

    def estimates(self, run: Run) -> Response:
        """A training run on everything on offer: single accelerator, node or cluster, then hardware by hardware."""
        return json_response(bodies.run_body(self.market, run))

    def accelerators(self) -> Response:
        """Every accelerator with its data sheet, sources and cheapest prices."""
        return json_response(bodies.accelerators_body(self.market))

    def models(self, q: str = "") -> Response:
        """Model shapes; `q` searches key, name and family."""
        return json_response(bodies.models_body(self.market, q))

    def providers(self) -> Response:
        """Who rents out what, with billing terms and cheapest prices."""
        return json_response(bodies.providers_body(self.market))

    def columns(self) -> list[ColumnCard]:
        """Every column of the comparison and the parameters that filter it."""
        return [column_card(column) for column in COLUMNS]

    def status(self) -> Response:
        """How fresh everything is: every source, its last success, what was refused and what is held."""
        return json_response({"sources": bodies.cards_body(self.market), "detail": self.market.status()})

    def health(self) -> Response:
        """Whether the service answers, and from which board."""
        board = self.market.board
        return json_response(
            {"status": "ok", "offers": len(board), "board": board.version, "as_of": board.as_of}
        )

    def tag(self, query: OfferQuery) -> str | None:
        """The validator of an answer: the board's version and newest observation. None where the clock matters."""
        if any(item.column.filter == "age" for item in query.filters):
            return None
        board = self.market.board
        seen = f"{board.as_of.timestamp():.0f}" if board.as_of else "0"
        return f'W/"{board.version}-{len(board)}-{seen}"'


def make_router(market: Market) -> APIRouter:
    """All routes over one market."""
    api = Api(market)
    router = APIRouter(prefix="/api/v1", responses=FAILS, dependencies=[Depends(refuse_unknown)])
    question: Mapping[str, Any] = {"openapi_extra": {"parameters": offer_parameters()}}
    add = router.add_api_route
    add("/offers", api.offers, methods=["GET"], response_model=OfferList, tags=["offers"], **question)
    add("/offers.csv", api.offers_csv, methods=["GET"], responses=CSV, tags=["offers"], **question)
    add("/offers/{offer_id}", api.offer, methods=["GET"], response_model=OfferDetail, tags=["offers"])
    add("/offers/{offer_id}/estimate", api.explain, methods=["POST"], responses=JSON_BODY, tags=["estimates"])
    add("/estimates", api.estimates, methods=["POST"], responses=JSON_BODY, tags=["estimates"])
    add_decisions(router, market)
    add_compare(router, market)
    add_market(router, market)
    add("/accelerators", api.accelerators, methods=["GET"], responses=JSON_LIST, tags=["reference"])
    add("/models", api.models, methods=["GET"], responses=JSON_LIST, tags=["reference"])
    add("/providers", api.providers, methods=["GET"], responses=JSON_LIST, tags=["reference"])
    add("/columns", api.columns, methods=["GET"], tags=["reference"])
    add("/status", api.status, methods=["GET"], responses=JSON_BODY, tags=["service"])
    add("/health", api.health, methods=["GET"], responses=JSON_BODY, tags=["service"])
    return router


def refuse_unknown(request: Request) -> None:
    """Every route knows its parameters; one that reads the whole request checks them itself.

    Raises:
        UnknownParameter: a query parameter that the route does not have.
    """
    dependant = request.scope["route"].dependant
    if dependant.request_param_name:
        return
    known = {field.alias for field in dependant.query_params}
    for name in request.query_params:
        if name not in known:
            raise UnknownParameter(name[:60], "there is no such parameter")


def describe() -> dict[str, Any]:
    """The OpenAPI description, without a market: the routes are the same over any."""
    return FastAPI(title="Rackrate", routes=make_router(cast(Market, None)).routes).openapi()


def asked(request: Request) -> OfferQuery:
    """The question of a request's query string."""
    given: dict[str, list[str]] = {}
    for name, value in request.query_params.multi_items():
        given.setdefault(name, []).append(value)
    return OfferQuery.parse(given)


def fresh(tag: str | None) -> dict[str, str]:
    """Caching headers: may be kept, must be asked again."""
    return {"cache-control": "no-cache", **({"etag": tag} if tag else {})}
