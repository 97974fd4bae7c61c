"""Name cards of all sources, for what shows or lists them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from app.providers import discover
from app.providers.card import ProviderCard


@cache
def cards_by_slug() -> Mapping[str, ProviderCard]:
    """Slug → card of every source that exists."""
    return {slug: provider.card for slug, provider in discover().items()}
