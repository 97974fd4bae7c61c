"""The whole application over the seeded snapshot, without a network."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient

from app.catalog import load_catalog
from app.db.engine import make_engine
from app.db.migrate import upgrade
from app.main import create_app
from app.market.ingest import seed
from app.market.service import Market
from app.settings import Settings
from tests.market.samples import NOW


@pytest.fixture(scope="session")
def market(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Market]:
    """The bundled offers on SQLite, at a fixed time."""
    engine = make_engine(f"sqlite:///{tmp_path_factory.mktemp('api') / 'rackrate.sqlite3'}")
    upgrade(engine)
    seed(engine, load_catalog(), NOW)
    yield Market.open(load_catalog(), engine, lambda: NOW)
    engine.dispose()


@pytest.fixture(scope="session")
def client(market: Market) -> TestClient:
    """A client of the application; nothing runs in the background."""
    return TestClient(create_app(market, Settings(refresh=False)), raise_server_exceptions=False)
