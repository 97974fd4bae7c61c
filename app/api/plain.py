"""Values of the house as JSON: sentences as text, unknown as null, times as ISO 8601."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import msgspec
import numpy as np
import orjson
from fastapi import Response
from pydantic import BaseModel

from app.domain.sentence import Sentence


def plain(value: Any) -> Any:
    """The value in JSON's own types. NaN and infinity are unknown."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else None
        case Sentence():
            return str(value)
        case datetime() | date():
            return value.isoformat()
        case Decimal():
            return float(value)
        case np.generic() | np.ndarray():
            return plain(value.tolist())
        case Mapping():
            return {str(name): plain(item) for name, item in value.items()}
        case list() | tuple() | set() | frozenset():
            return [plain(item) for item in value]
        case BaseModel():
            return plain(value.model_dump(exclude_defaults=True))
    return {name: plain(getattr(value, name)) for name in _names(value)}


def _names(value: Any) -> tuple[str, ...]:
    if isinstance(value, msgspec.Struct):
        return value.__struct_fields__
    if is_dataclass(value):
        return tuple(item.name for item in fields(value))
    raise TypeError(f"{type(value).__name__} has no JSON form")


def json_response(value: Any, headers: Mapping[str, str] | None = None) -> Response:
    """An answer in JSON."""
    return Response(orjson.dumps(plain(value)), media_type="application/json", headers=dict(headers or {}))
