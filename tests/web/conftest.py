"""The pages over a small market: by request, and by browser."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from app.market.service import Market
from tests.browser import browser, open_page, served
from tests.web.site import make_app, make_market

__all__ = ["browser", "open_page"]


@pytest.fixture(scope="session")
def market(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Market]:
    """A market of forty offers."""
    market = make_market(tmp_path_factory.mktemp("web"))
    yield market
    market.engine.dispose()


@pytest.fixture(scope="session")
def application(market: Market) -> FastAPI:
    """The application over that market."""
    return make_app(market)


@pytest.fixture
def client(application: FastAPI) -> TestClient:
    """Requests without a browser, hence without JavaScript. Each test has its own cookies: a language is one."""
    return TestClient(application, follow_redirects=False)


@pytest.fixture(scope="module")
def address(market: Market) -> Iterator[str]:
    """A real server for the browser."""
    with served(make_app(market)) as url:
        yield url
