"""A small market of made-up offers and the pages over it."""

from __future__ import annotations

from pathlib import Path

from fastapi import FastAPI

from app.catalog import load_catalog
from app.db.engine import make_engine
from app.db.migrate import upgrade
from app.domain.offer import ScrapedOffer
from app.main import create_app
from app.market.service import Market
from app.settings import Settings
from tests.scraped import MARKET, NOON, scraped, take_in

MACHINES = (
    ("lambda", "gpu_8x_h100_sxm5", "NVIDIA H100 SXM5 80GB", 8, "23.92"),
    ("lambda", "gpu_1x_h100_sxm5", "NVIDIA H100 SXM5 80GB", 1, "3.29"),
    ("lambda", "gpu_8x_a100_80gb", "NVIDIA A100 SXM4 80GB", 8, "14.32"),
    ("lambda", "gpu_8x_b200_sxm6", "NVIDIA B200 SXM", 8, "39.92"),
    ("vast", "1x_rtx_4090", "NVIDIA GeForce RTX 4090", 1, "0.35"),
    ("vast", "1x_rtx_3090", "NVIDIA GeForce RTX 3090", 1, "0.17"),
    ("vast", "1x_l4", "NVIDIA L4", 1, "0.44"),
    ("vast", "1x_gtx_1080", "GTX 1080", 1, "0.05"),
    ("lambda", "gpu_1x_mystery", "Frobnicator 9000", 1, "1.00"),
    ("lambda", "gpu_1x_unpriced", "NVIDIA H100 SXM5 80GB", 1, None),
)
PLACES = (("us-east-1", "US"), ("eu-central-1", "DE"))


def offers() -> list[ScrapedOffer]:
    """Every machine in every place, on demand and as spot."""
    return [
        scraped(
            price and f"{float(price) * (0.5 if option == 'spot' else 1):.2f}",
            provider=provider,
            instance_type=instance_type,
            accelerator_name=name,
            accelerator_count=float(count),
            region=region,
            country=country,
            purchase_option=option,
            vcpus=26.0 * count,
            ram_gib=225.0 * count,
            source="https://prices.example/<b>list</b>",
            source_url="https://prices.example/list",
        )
        for provider, instance_type, name, count, price in MACHINES
        for region, country in PLACES
        for option in ("on_demand", "spot")
    ]


def make_market(folder: Path) -> Market:
    """A market over a SQLite file in `folder`, its clock at noon."""
    engine = make_engine(f"sqlite:///{folder / 'web.sqlite3'}")
    upgrade(engine)
    take_in(engine, *(offer for offer in offers() if offer.provider == "lambda"))
    take_in(engine, *(offer for offer in offers() if offer.provider == "vast"), card=MARKET)
    return Market.open(load_catalog(), engine, lambda: NOON)


def make_app(market: Market) -> FastAPI:
    """The whole application over a market, without the background work."""
    return create_app(market, Settings(refresh=False))
