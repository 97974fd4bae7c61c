"""Sources of offers, one file each: a card, `fetch` (all I/O) and `parse` (pure). Discovered, never listed."""

from __future__ import annotations

import pkgutil
from collections.abc import Awaitable, Callable
from functools import cache, wraps
from importlib import import_module
from types import MappingProxyType

from app.domain.errors import ShapeDrift
from app.domain.offer import Parsed
from app.providers._reading import FAULTS
from app.providers.port import Http, Payload, Provider, Settings

_NOT_SOURCES = {"card", "port"}


@cache
def discover() -> MappingProxyType[str, Provider]:
    """Every source by slug, in the order of slugs.

    A module of this package is a source unless its name begins with `_`. Raises ValueError when two claim a slug.
    """
    found: dict[str, Provider] = {}
    for module_info in pkgutil.iter_modules(__path__):
        if module_info.name.startswith("_") or module_info.name in _NOT_SOURCES:
            continue
        module = import_module(f"{__name__}.{module_info.name}")
        if module.CARD.slug in found:
            raise ValueError(f"two sources call themselves {module.CARD.slug!r}")
        found[module.CARD.slug] = Provider(
            module.CARD, _guarded_fetch(module.fetch), _guarded_parse(module.parse)
        )
    return MappingProxyType(dict(sorted(found.items())))


def _guarded_fetch(
    fetch: Callable[[Http, Settings], Awaitable[Payload]],
) -> Callable[[Http, Settings], Awaitable[Payload]]:
    """`fetch`, where an answer of another shape is ShapeDrift and nothing else."""

    @wraps(fetch)
    async def guarded(http: Http, settings: Settings) -> Payload:
        try:
            return await fetch(http, settings)
        except FAULTS as fault:
            raise ShapeDrift(f"the answer has another shape: {type(fault).__name__} {fault}") from fault

    return guarded


def _guarded_parse(parse: Callable[[Payload], Parsed]) -> Callable[[Payload], Parsed]:
    """`parse`, where an answer of another shape is ShapeDrift and nothing else."""

    @wraps(parse)
    def guarded(payload: Payload) -> Parsed:
        try:
            return parse(payload)
        except FAULTS as fault:
            raise ShapeDrift(f"the answer has another shape: {type(fault).__name__} {fault}") from fault

    return guarded
