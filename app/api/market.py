"""The market in JSON: levels, index, movers and discounts for one purchase option."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fastapi import APIRouter, Request, Response

from app.api.plain import json_response
from app.domain.offer import PURCHASE_OPTIONS
from app.market.movers import Mover
from app.market.price_levels import TERMS, Discount, Level
from app.market.price_report import METHOD, SORTS, SPANS, PriceQuestion, PriceReport, price_report
from app.market.service import Market

JSON_BODY: dict[int | str, dict[str, Any]] = {
    200: {"content": {"application/json": {"schema": {"type": "object"}}}}
}
FIELDS = {
    "purchase_option": (PURCHASE_OPTIONS, "For offers bought like this; on_demand by default"),
    "days": (tuple(map(str, SPANS)), "Days of the index, up to the newest recorded one; 90 by default"),
    "sort": (tuple(SORTS), "Order of the levels; accelerator by default"),
    "order": (("asc", "desc"), "asc by default"),
}


def market_body(report: PriceReport) -> dict[str, Any]:
    """Prices are USD per accelerator and hour; None = unknown. Every figure has its n and the age of what it rests on."""
    return {
        "as_of": report.as_of,
        "purchase_option": report.question.option,
        "levels": [_level(level) for level in report.levels],
        "left_out": {"flagged": report.flagged, "ambiguous": report.ambiguous},
        "index": {
            "method": METHOD,
            "since": report.index_since,
            "until": report.newest_day,
            "accelerators": report.index,
        },
        "movers": {
            "since": report.movers.since,
            "until": report.movers.until,
            "moved": report.movers.moved,
            "flagged": report.movers.flagged,
            "largest": [_mover(mover) for mover in report.movers.largest],
        },
        "discounts": [
            {
                "accelerator": one.card.key,
                "spot": _discount(one.spot),
                **{f"reserved_{months}_months": _discount(one.reserved[months]) for months in TERMS},
            }
            for one in report.discounts
        ],
    }


def _level(level: Level) -> dict[str, Any]:
    return {
        "accelerator": level.card.key,
        "low": level.low,
        "median": level.median,
        "high": level.high,
        "offers": level.offers,
        "flagged": level.flagged,
        "unpriced": level.unpriced,
        "oldest": level.oldest,
        "newest": level.newest,
        "usd_per_gib_hour": level.usd_per_gib_hour,
        "usd_per_tflops_hour": level.usd_per_tflops_hour,
        "ratio": level.ratio,
        "providers": [
            {"provider": low.record.provider, "low": low.usd, "offers": low.offers, "offer": low.record.id}
            for low in level.providers
        ],
    }


def _mover(mover: Mover) -> dict[str, Any]:
    record = mover.record
    named = ("provider", "accelerator", "instance_type", "purchase_option", "region")
    figures = ("old", "new", "old_at", "new_at", "change", "offers")
    return {
        "offer": record.id,
        **{name: getattr(record, name) for name in named},
        **{name: getattr(mover, name) for name in figures},
        "source": mover.via,
    }


def _discount(one: Discount) -> dict[str, Any]:
    return {name: getattr(one, name) for name in ("share", "offers", "providers", "oldest", "newest")}


def market_parameters() -> Sequence[dict[str, Any]]:
    """OpenAPI parameters of the market."""
    return [
        {
            "name": name,
            "in": "query",
            "required": False,
            "description": description,
            "schema": {"type": "string", "enum": list(values)},
        }
        for name, (values, description) in FIELDS.items()
    ]


def add_market(router: APIRouter, market: Market) -> None:
    """`GET /market`."""

    def answer(request: Request) -> Response:
        """Price levels, index, movers of the week, spread and discounts."""
        question = PriceQuestion.parse(dict(request.query_params))
        return json_response(market_body(price_report(market, question)))

    router.add_api_route(
        "/market",
        answer,
        methods=["GET"],
        responses=JSON_BODY,
        tags=["market"],
        openapi_extra={"parameters": market_parameters()},
    )
