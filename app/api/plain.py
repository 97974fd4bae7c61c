"""Values of the house as JSON: sentences as text, unknown (None, NaN) as null, times as ISO 8601."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import fields, is_dataclass
from decimal import Decimal
from typing import Any

import msgspec
import orjson
from fastapi import Response
from pydantic import BaseModel

from app.domain.sentence import Sentence

OPTIONS = orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_NON_STR_KEYS


def encode(value: Any, indent: bool = False) -> bytes:
    """The value as JSON text."""
    return orjson.dumps(value, default=plain, option=OPTIONS | (orjson.OPT_INDENT_2 if indent else 0))


def plain(value: Any) -> Any:
    """One step towards JSON's own types; what is inside follows when it is met.

    Raises:
        TypeError: the value has no JSON form.
    """
    match value:
        case Sentence():
            return str(value)
        case Decimal():
            return float(value)
        case Mapping():
            return dict(value)
        case Set():
            return sorted(value)
        case BaseModel():
            return value.model_dump(exclude_defaults=True)
    return fields_of(value)


def fields_of(value: Any) -> dict[str, Any]:
    """The fields of a record by name."""
    if isinstance(value, msgspec.Struct):
        return {name: getattr(value, name) for name in value.__struct_fields__}
    if is_dataclass(value):
        return {item.name: getattr(value, item.name) for item in fields(value)}
    raise TypeError(f"{type(value).__name__} has no JSON form")


def json_response(value: Any, headers: Mapping[str, str] | None = None) -> Response:
    """An answer in JSON."""
    return Response(encode(value), media_type="application/json", headers=dict(headers or {}))
