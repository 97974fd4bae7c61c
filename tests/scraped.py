"""Scraped offers for tests: one plausible row, changed as a test needs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from sqlalchemy import Engine

from app.catalog import load_catalog
from app.db.present import read_current
from app.domain.offer import Parsed, ScrapedOffer
from app.domain.record import OfferRecord
from app.market.ingest import IngestReport, ingest
from app.providers.card import ProviderCard

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
LIST = ProviderCard("lambda", "Lambda", "api", "list_price", homepage="https://lambda.example")
MARKET = ProviderCard("vast", "Vast.ai", "api", "marketplace", homepage="https://vast.example")
RESELLER = ProviderCard(
    "reseller",
    "Reseller",
    "aggregator",
    "aggregator",
    homepage="https://r.example",
    covers=("lambda", "vast"),
)


def scraped(price: str | None = "10.00", **changes: Any) -> ScrapedOffer:
    """An 8× H100 instance of Lambda at 10 USD/h, but for what is given."""
    row = {
        "provider": "lambda",
        "instance_type": "gpu_8x_h100_sxm5",
        "accelerator_name": "NVIDIA H100 SXM5 80GB",
        "accelerator_count": 8.0,
        "region": "us-east-1",
        "purchase_option": "on_demand",
        "price_per_hour": None if price is None else Decimal(price),
    }
    return ScrapedOffer(**(row | changes))


def many(n: int, price: str = "10.00", **changes: Any) -> list[ScrapedOffer]:
    """`n` offers in as many regions."""
    return [scraped(price, region=f"region-{number}", **changes) for number in range(n)]


def take_in(
    engine: Engine, *offers: ScrapedOffer, card: ProviderCard = LIST, hours: float = 0, **parsed: Any
) -> IngestReport:
    """Ingest offers as scraped `hours` after noon."""
    at = NOON + timedelta(hours=hours)
    batch = Parsed(offers=offers, **parsed)
    return ingest(engine, card, batch, started_at=at, now=at + timedelta(seconds=5), catalog=load_catalog())


def current(engine: Engine) -> list[OfferRecord]:
    """The present offers."""
    with engine.connect() as connection:
        return read_current(connection)


def prices(engine: Engine) -> dict[str, float | None]:
    """Region → USD per hour of the present offers."""
    return {record.region: record.price_usd_per_hour for record in current(engine)}
