"""Offers side by side in JSON: the lines of the page, and each offer with its terms, prices and, with a run, every
figure of the answer."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request, Response

from app.api.plain import json_response
from app.api.schemas import offer_parameters
from app.domain.errors import UnknownParameter
from app.domain.run import TrainingRun
from app.domain.sentence import N_
from app.market.comparison import MOST, Compared, Comparison, Line, compare
from app.market.query import OfferQuery
from app.market.service import Market

JSON_BODY: dict[int | str, dict[str, Any]] = {
    200: {"content": {"application/json": {"schema": {"type": "object"}}}}
}


def compare_body(told: Comparison) -> dict[str, Any]:
    """The body of `GET /compare`. `best` are places in `values`, which follow `offers`."""
    return {
        "run": told.run,
        "offers": [_offer(item) for item in told.offers],
        "groups": [
            {"title": title, "lines": [_line(line) for line in lines]} for title, lines in told.groups
        ],
        "missing": told.missing,
    }


def _offer(item: Compared) -> dict[str, Any]:
    told = item.explanation
    return {
        "id": item.id,
        "provider": item.record.provider,
        "instance_type": item.record.instance_type,
        "withdrawn_at": item.withdrawn_at,
        "price_usd_per_hour": item.record.price_usd_per_hour,
        "terms": item.terms,
        "history": [
            {"at": point.at, "price_usd_per_hour": point.usd_per_hour, "source": point.via}
            for point in item.points
        ],
        "verdict": told.verdict if told else None,
        "why": told.why if told else None,
        "memory": told.memory if told else None,
        "time": told.time if told else None,
        "cost": told.cost if told else None,
    }


def _line(line: Line) -> dict[str, Any]:
    return {
        "name": line.name,
        "label": line.label,
        "unit": line.unit,
        "values": line.values,
        "best": sorted(line.best),
        "differs": line.differs,
    }


class CompareApi:
    """The one route."""

    def __init__(self, market: Market) -> None:
        self.market = market

    def compare(self, request: Request) -> Response:
        """Up to six offers side by side, withdrawn ones too; with a training run its memory, time and cost on each."""
        given: dict[str, list[str]] = {"offer": []}
        for name, value in request.query_params.multi_items():
            if name != "offer" and name not in TrainingRun.model_fields:
                raise UnknownParameter(name[:60], N_("there is no such parameter"))
            given.setdefault(name, []).append(value)
        ids = [key.strip().lower() for text in given.pop("offer") for key in text.split(",") if key.strip()]
        query = OfferQuery.parse(given)
        return json_response(compare_body(compare(self.market, ids, query.run)))


def add_compare(router: APIRouter, market: Market) -> None:
    """The route."""
    router.add_api_route(
        "/compare",
        CompareApi(market).compare,
        methods=["GET"],
        responses=JSON_BODY,
        tags=["offers"],
        openapi_extra={"parameters": [OFFER, *run_parameters()]},
    )


OFFER: dict[str, Any] = {
    "name": "offer",
    "in": "query",
    "required": False,
    "description": f"Id of an offer; once for each, at most {MOST}",
    "schema": {"type": "array", "items": {"type": "string"}},
}


def run_parameters() -> list[dict[str, Any]]:
    """The parameters of a training run, as the offers take them."""
    return [item for item in offer_parameters() if item["name"] in TrainingRun.model_fields]
