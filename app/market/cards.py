"""Name cards of all sources, for what shows or lists them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from app.market.ingest import SNAPSHOT_CARD
from app.providers import discover
from app.providers.card import ProviderCard


@cache
def cards_by_slug() -> Mapping[str, ProviderCard]:
    """Slug → card of every source that exists, the bundled snapshot last."""
    cards = {slug: provider.card for slug, provider in discover().items()}
    return {**cards, SNAPSHOT_CARD.slug: SNAPSHOT_CARD}
