"""Choices, rent or buy, and one's own trial in JSON; the command line prints the same bodies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Body, Request, Response

from app.api.plain import json_response
from app.api.schemas import TRIAL_EXAMPLES, offer_parameters
from app.domain.errors import BadInput, UnknownParameter
from app.domain.run import TrainingRun
from app.market.costs import commitment_words
from app.market.query import OfferQuery
from app.market.rent_or_buy import Decision, PurchaseCase, Rent
from app.market.service import Market
from app.market.trial import FIGURES, pasted

NAMED = ("cheapest", "fastest_within_budget", "cheapest_within_deadline")
COSTS = (
    "hours", "low_hours", "high_hours", "committed_usd", "unused_usd", "total_usd", "low_usd", "high_usd", "usd_per_billion_tokens", "interruptions",
    "checkpoint_minutes", "on_time",
)  # fmt: skip
JSON_BODY: dict[int | str, dict[str, Any]] = {
    200: {"content": {"application/json": {"schema": {"type": "object"}}}}
}
TrialBody = Annotated[
    dict[str, Any],
    Body(
        description="`run` (with its `measured_*` fields), averages ("
        + ", ".join(FIGURES)
        + ") or `nvidia_smi`, a paste",
        openapi_examples=TRIAL_EXAMPLES,
    ),
]


def choices_body(market: Market, query: OfferQuery) -> dict[str, Any]:
    """Cheapest, fastest within budget, cheapest within the deadline, and the front of hours against dollars from the
    cheapest to the fastest, among the offers that answer the question.

    Raises:
        BadInput: no training run, or one that cannot be answered.
    """
    found = market.choices(query)
    if found is None:
        raise BadInput("model", "choices need a training run: name a model")

    def pick(row: int | None) -> dict[str, Any] | None:
        return None if row is None else _pick(market, query, row)

    estimates = market.frame(query.run).estimates
    return {
        **{name: pick(getattr(found, name)) for name in NAMED},
        "front": [pick(row) for row in found.front],
        "compared": len(found.rows),
        "left_out_flagged": found.left_out,
        "calibration": estimates.question.calibration,
    }


def _pick(market: Market, query: OfferQuery, row: int) -> dict[str, Any]:
    frame = market.frame(query.run)
    record, table = frame.board.records[row], frame.estimates
    names = (
        "id",
        "provider",
        "instance_type",
        "accelerator",
        "accelerator_count",
        "region",
        "purchase_option",
    )
    return {
        **{name: getattr(record, name) for name in (*names, "price_usd_per_hour")},
        "nodes": table.nodes[row],
        "plan": table.plan[row],
        "verdict": table.verdict[row],
        **{name: getattr(table.costs, name)[row] for name in COSTS},
        "warnings": [words] if (words := commitment_words(table.costs, row)) is not None else [],
    }


def rent_or_buy_body(decision: Decision) -> dict[str, Any]:
    """Owned against rented, with every figure that it rests on."""
    return {
        "accelerator": decision.card.key,
        "utilisation": decision.case.utilisation,
        "why": str(decision.why),
        "rents": [_rent(rent) for rent in decision.rents],
        "assumed": decision.assumed,
        "curve": [
            dict(zip(("utilisation", "low", "expected", "high"), row, strict=True)) for row in decision.curve
        ],
    }


def _rent(rent: Rent) -> dict[str, Any]:
    record = rent.record
    return {
        "kind": rent.kind,
        "usd_per_hour": rent.usd_per_hour,
        "offer": None if record is None else record.id,
        "provider": None if record is None else record.provider,
        "seen": rent.seen,
        **{name: getattr(rent, name) for name in ("low", "expected", "high")},
    }


def trial_body(market: Market, given: Mapping[str, Any]) -> dict[str, Any]:
    """What a trial tells: its bound, and what it corrects.

    Raises:
        BadInput: a figure that cannot be, or a trial that cannot have been this run; names the field.
    """
    for name in given:
        if name not in (*FIGURES, "run", "nvidia_smi"):
            raise UnknownParameter(str(name)[:60], "there is no such field of a trial")
    fields = given.get("run") or {}
    if not isinstance(fields, dict):
        raise BadInput("run", "is not a JSON object")
    figures = {name: str(given[name]) for name in FIGURES if given.get(name) is not None}
    if given.get("nvidia_smi"):
        figures |= pasted(str(given["nvidia_smi"]))
    peak = figures.pop("measured_peak_gib", None)
    if peak is not None and "measured_on" in fields:
        fields = {"measured_peak_gib": float(peak), **fields}
    run = TrainingRun.from_fields(fields) if fields else None
    told = market.trial(run, figures)
    compared = told.compared
    return {
        "diagnosis": told.diagnosis,
        "calibration": None if compared is None else str(compared.words),
        "correction": None if compared is None else compared.correction,
        "predicted_tokens_per_s": None if compared is None else compared.predicted_tokens_per_s,
        "predicted_peak_gib": None if compared is None else compared.predicted_peak_gib,
        "run": run,
    }


class DecisionsApi:
    """The routes."""

    def __init__(self, market: Market) -> None:
        self.market = market

    def choices(self, request: Request) -> Response:
        """The few offers worth looking at among those that answer the question; it needs a training run."""
        given: dict[str, list[str]] = {}
        for name, value in request.query_params.multi_items():
            given.setdefault(name, []).append(value)
        return json_response(choices_body(self.market, OfferQuery.parse(given)))

    def rent_or_buy(self, request: Request) -> Response:
        """Break-even of one accelerator: what owning it costs an hour, against the cheapest live offers."""
        case = PurchaseCase.from_fields(dict(request.query_params))
        return json_response(rent_or_buy_body(self.market.rent_or_buy(case)))

    def trial(self, given: TrialBody) -> Response:
        """What one's own short trial tells: what bounded it, and what it corrects in every other estimate."""
        return json_response(trial_body(self.market, given))


def add_decisions(router: APIRouter, market: Market) -> None:
    """The routes of this module."""
    api, add = DecisionsApi(market), router.add_api_route
    question = {"parameters": offer_parameters()}
    case = {"parameters": purchase_parameters()}
    add(
        "/choices",
        api.choices,
        methods=["GET"],
        responses=JSON_BODY,
        tags=["estimates"],
        openapi_extra=question,
    )
    add(
        "/rent-or-buy",
        api.rent_or_buy,
        methods=["GET"],
        responses=JSON_BODY,
        tags=["estimates"],
        openapi_extra=case,
    )
    add("/trial", api.trial, methods=["POST"], responses=JSON_BODY, tags=["estimates"])


def purchase_parameters() -> list[dict[str, Any]]:
    """OpenAPI parameters of rent or buy, read off the case."""
    return [
        {
            "name": name,
            "in": "query",
            "required": name == "accelerator",
            "description": field.description,
            "schema": {"type": "string" if name == "accelerator" else "number"},
        }
        for name, field in PurchaseCase.model_fields.items()
    ]
