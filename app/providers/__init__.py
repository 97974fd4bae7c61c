"""Sources of offers, one file each: a card, `fetch` (all I/O) and `parse` (pure). Discovered, never listed."""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module
from types import MappingProxyType

from app.providers.port import Provider

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
        found[module.CARD.slug] = Provider(module.CARD, module.fetch, module.parse)
    return MappingProxyType(dict(sorted(found.items())))
