"""Made-up offers for tests of the board and what reads it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec
from sqlalchemy import Engine

from app.catalog import load_catalog
from app.db.engine import make_engine
from app.domain.record import OfferRecord
from app.market import board
from app.market.board import BoardHolder
from app.market.offers import OfferPage
from app.market.query import OfferQuery
from app.market.service import Market

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)

H100 = OfferRecord(
    id="0000000000000001",
    provider="aws",
    provider_name="AWS",
    instance_type="p5.48xlarge",
    accelerator="h100-sxm5-80gb",
    accelerator_label="H100 SXM5 80GB",
    accelerator_status="known",
    accelerator_count=8,
    memory_gib_per_accelerator=79.65,
    region="us-east-1",
    country="US",
    continent="North America",
    purchase_option="on_demand",
    price_usd_per_hour=55.04,
    source="aws price list",
    source_kind="api",
    observed_at=datetime(2026, 11, 29, 12, tzinfo=UTC),
    first_seen=datetime(2026, 6, 1, tzinfo=UTC),
    vcpus=192,
    ram_gib=2048,
    intra_node_link="nvlink4+nvswitch",
    intra_node_gbytes_per_s=900,
    link_domain=8,
    fabric="efa",
    fabric_gbps=3200,
)


def offer(number: int, **changes: Any) -> OfferRecord:
    """The H100 offer with changes and an id made from the number."""
    return msgspec.structs.replace(H100, id=f"{number:016x}", **changes)


ENGINE: Engine = make_engine("sqlite://")


def market_of(*records: OfferRecord) -> Market:
    """A market of these offers, at NOW."""
    return Market(load_catalog(), BoardHolder(board.build(records, load_catalog(), "1")), ENGINE, lambda: NOW)


def ask(market: Market, text: str = "", **options: Any) -> OfferPage:
    """The answer to a query string."""
    return market.list_offers(OfferQuery.parse(text), **options)


def numbers(page: OfferPage) -> list[int]:
    """The numbers of the offers of a page, in order."""
    return [int(row.id, 16) for row in page.rows]
