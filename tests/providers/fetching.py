"""Fetch and parse one provider from the synthetic internet, the way a worker does."""

from __future__ import annotations

import asyncio
from functools import cache

from app.domain.offer import Parsed, ScrapedOffer
from app.providers import discover
from app.providers.port import Payload
from app.workers.http import PoliteClient
from app.workers.manners import Manners
from tests.providers.internet import payload, served

FAST = {"timeout_s": 5.0, "first_wait_s": 0.01, "requests_per_minute": 60_000.0}


@cache
def fetched(slug: str) -> Payload:
    """What `fetch` brings home over HTTP."""

    async def fetch() -> Payload:
        with served(slug) as internet:
            async with PoliteClient(Manners(via=internet.origin, **FAST)) as http:
                return await discover()[slug].fetch(http, payload(slug).get("settings", {}))

    return asyncio.run(fetch())


@cache
def parsed(slug: str) -> Parsed:
    """What `parse` makes of it."""
    return discover()[slug].parse(fetched(slug))


def offers(slug: str, **wanted: object) -> list[ScrapedOffer]:
    """The offers whose fields have these values."""
    return [
        offer
        for offer in parsed(slug).offers
        if all(getattr(offer, name) == value for name, value in wanted.items())
    ]


def only(slug: str, **wanted: object) -> ScrapedOffer:
    """The one offer with these values."""
    found = offers(slug, **wanted)
    assert len(found) == 1, f"{len(found)} offers of {slug} with {wanted}"
    return found[0]
