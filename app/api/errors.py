"""One error shape: `{"error": {"code", "field", "message"}}`, whatever went wrong."""

from __future__ import annotations

from http import HTTPStatus

import orjson
from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from app.domain.errors import BadInput, NotFound, RackrateError, UnknownParameter

CODES = {
    400: "bad_json",
    404: "not_found",
    405: "method_not_allowed",
    406: "not_acceptable",
    413: "too_large",
    500: "internal",
}

NO_OBJECT = ("model_attributes_type", "model_type", "dict_type")
"""Of pydantic's errors, those for a body that is JSON but no object."""


class ErrorBody(BaseModel):
    """What went wrong."""

    code: str = Field(description="A word that programs can branch on")
    field: str | None = Field(description="The parameter or field that is to blame, if one is")
    message: str = Field(description="One sentence for a person")


class Error(BaseModel):
    """Every answer with a status of 400 and above."""

    error: ErrorBody


def problem(status: int, code: str, field: str | None, message: str) -> Response:
    """An error answer in the one shape."""
    body = orjson.dumps({"error": {"code": code, "field": field, "message": message}})
    return Response(body, status_code=status, media_type="application/json")


def describe(error: Exception) -> tuple[int, str, str | None, str]:
    """Status, code, field and sentence of any exception that a route may raise."""
    match error:
        case UnknownParameter():
            return 422, "unknown_parameter", error.field, error.message
        case BadInput():
            return 422, "bad_input", error.field, error.message
        case NotFound():
            return 404, "not_found", error.kind, str(error)
        case RequestValidationError():
            return 422, *_validation(error)
        case HTTPException():
            return error.status_code, CODES.get(error.status_code, "error"), None, str(error.detail)
        case RackrateError():
            return 500, "internal", None, str(error)
    return 500, "internal", None, HTTPStatus(500).phrase


def _validation(error: RequestValidationError) -> tuple[str, str | None, str]:
    first = error.errors()[0]
    if first["type"] == "value_error":
        field, _, message = str(first["msg"]).removeprefix("Value error, ").partition(": ")
        return "bad_input", field, message
    if first["type"] == "json_invalid":
        return "bad_json", None, f"the body is not valid JSON: {first.get('ctx', {}).get('error', '')}"
    path = [str(part) for part in first["loc"] if part != "body"]
    if first["type"] in NO_OBJECT and path:
        return "bad_input", path[0], "must be a JSON object"
    if first["type"] in NO_OBJECT:
        return (
            "bad_json",
            None,
            "the body is not a JSON object, or its content type does not say that it is JSON",
        )
    if first["type"] == "missing" and not path:
        return "bad_json", None, "the body is missing"
    if first["type"] == "extra_forbidden":
        return "unknown_parameter", path[0], "there is no such field of a training run"
    return "bad_input", path[0] if path else None, f"{first['msg'][:1].lower()}{first['msg'][1:]}"


def answer(request: Request, error: Exception) -> Response:
    """Exception handler of the API."""
    return problem(*describe(error))
