"""The assembled service: a real process that serves, follows the database and stops; settings; errors."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import httpx2
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, insert, select

from app.db.engine import writing
from app.db.offers import raise_version
from app.db.tables import offer
from app.domain.offer import Parsed, ScrapedOffer
from app.main import create_app, follow_database, found_ahead
from app.market import lessons
from app.market.ingest import ingest
from app.market.lessons import LESSONS
from app.market.service import Market
from app.providers.card import ProviderCard
from app.settings import Settings

CARD = ProviderCard("testcloud", "Test Cloud", "api", "list_price", homepage="")


@pytest.fixture
def market(tmp_path: Path) -> Iterator[Market]:
    market = Market.at(f"sqlite:///{tmp_path / 'rackrate.sqlite3'}")
    yield market
    market.engine.dispose()


def one_offer(market: Market, price: str) -> None:
    scraped = ScrapedOffer(
        provider="testcloud",
        instance_type="h100x8",
        accelerator_name="NVIDIA H100 SXM5 80GB",
        accelerator_count=8,
        region="us-east-1",
        purchase_option="on_demand",
        price_per_hour=Decimal(price),
    )
    now = datetime.now(UTC)
    parsed = Parsed(offers=(scraped,))
    ingest(
        market.engine, CARD, parsed, started_at=now - timedelta(seconds=1), now=now, catalog=market.catalog
    )


def test_new_prices_reach_the_board_without_a_restart(market: Market) -> None:
    async def follow() -> None:
        stop = asyncio.Event()
        following = asyncio.create_task(follow_database(market, 0.05, stop))
        before = market.board
        await asyncio.to_thread(one_offer, market, "20")
        for _ in range(200):
            if market.board is not before:
                break
            await asyncio.sleep(0.05)
        stop.set()
        await following

    asyncio.run(follow())
    (row,) = [record for record in market.board.records if record.provider == "testcloud"]
    assert row.price_usd_per_hour == 20.0


def test_what_readers_would_wait_for_is_found_while_the_board_stands_and_a_fault_stops_nothing(
    market: Market,
) -> None:
    def broken() -> None:
        raise ArithmeticError

    async def follow() -> int:
        assert await found_ahead(iter([broken]))
        assert not await found_ahead(iter([]))
        stop, found = asyncio.Event(), 0
        following = asyncio.create_task(follow_database(market, 0.01, stop))
        for _ in range(600):
            if (found := pieces_kept(market)) >= len(LESSONS):
                break
            await asyncio.sleep(0.05)
        stop.set()
        await following
        return found

    assert asyncio.run(follow()) == len(LESSONS)


def pieces_kept(market: Market) -> int:
    """Lessons that are worked out for the present board."""
    kept = market.board.kept.get(lessons._kept.__wrapped__)  # type: ignore[attr-defined]
    return kept.cache_info().currsize if kept else 0  # type: ignore[attr-defined]


def test_the_board_is_left_alone_while_nothing_changes(market: Market) -> None:
    before = market.board
    assert not market.refresh_board()
    assert market.board is before
    one_offer(market, "20")
    assert market.refresh_board()
    assert len(market.board) == len(before) + 1


def test_pages_fail_as_pages_and_the_api_as_json(market: Market) -> None:
    client = TestClient(create_app(market, Settings(refresh=False)), raise_server_exceptions=False)
    assert client.get("/?colour=red").headers["content-type"].startswith("text/html")
    assert client.get("/nothing").headers["content-type"].startswith("text/html")
    assert client.get("/api/v1/offers?colour=red").headers["content-type"] == "application/json"


def test_settings_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RACKRATE_PORT", "9123")
    monkeypatch.setenv("RACKRATE_REFRESH", "off")
    settings = Settings()
    assert (settings.port, settings.refresh) == (9123, False)
    assert settings.database_url.startswith("sqlite:///")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_serve_answers_from_an_empty_folder_and_stops_when_asked(tmp_path: Path) -> None:
    port, url = free_port(), f"sqlite:///{tmp_path / 'new' / 'rackrate.sqlite3'}"
    environment = {**os.environ, "RACKRATE_DATABASE_URL": url, "RACKRATE_REFRESH": "0"}
    command = [sys.executable, "-c", "from app.cli import main; main()", "serve", "--port", str(port)]
    process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE)
    try:
        health = wait_for(f"http://127.0.0.1:{port}/api/v1/health")
        assert health["offers"] > 4000
        again = subprocess.run(command, env=environment, capture_output=True, timeout=120, check=False)
        assert again.returncode == 2
        assert f"port: cannot listen on 127.0.0.1:{port}".encode() in again.stderr
        assert b"offers on the board" not in again.stderr  # said before anything slow
    finally:
        process.send_signal(signal.SIGTERM)
    assert process.wait(20) in (0, -signal.SIGTERM)
    said = process.stderr.read() if process.stderr else b""
    assert b"Traceback" not in said
    assert f"answers at http://127.0.0.1:{port}".encode() in said


def test_requests_are_answered_while_a_large_board_is_read_anew(market: Market) -> None:
    """Rebuilt off the request path: the old board answers meanwhile, and nobody waits for most of the rebuild."""
    multiply_offers(market, 60_000)
    port, rebuilds = free_port(), 2
    environment = {**os.environ, "RACKRATE_DATABASE_URL": market.engine.url.render_as_string(False)}
    environment |= {"RACKRATE_REFRESH": "0", "RACKRATE_BOARD_POLL_S": "0.05"}
    command = [sys.executable, "-c", "from app.cli import main; main()", "serve", "--port", str(port)]
    process = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
    try:
        first = wait_for(f"http://127.0.0.1:{port}/api/v1/health")["board"]
        waits: dict[int, list[float]] = {}
        begun = time.monotonic()
        with httpx2.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
            for number in range(rebuilds):
                with writing(market.engine) as connection:
                    raise_version(connection)
                while (shown := int(client.get("/api/v1/health").json()["board"]) - int(first)) <= number:
                    asked = time.monotonic()
                    answer = client.get("/api/v1/offers?per_page=5&price_max=30&q=h100")
                    assert answer.status_code == 200
                    waits.setdefault(shown, []).append(time.monotonic() - asked)
        rebuild_s = (time.monotonic() - begun) / rebuilds
    finally:
        process.terminate()
        process.wait(20)
    assert all(len(waits[number]) >= 5 for number in range(rebuilds)), (
        "the old board did not answer meanwhile"
    )
    assert max(map(max, waits.values())) < rebuild_s / 2


def multiply_offers(market: Market, least: int) -> None:
    """The snapshot's offers over and over, under new ids."""
    columns = [column for column in offer.c if column is not offer.c.id]
    copies = select(func.lower(func.hex(func.randomblob(8))), *columns)
    with writing(market.engine) as connection:
        while connection.execute(select(func.count()).select_from(offer)).scalar_one() < least:
            connection.execute(insert(offer).from_select(["id", *(c.name for c in columns)], copies))
        raise_version(connection)


def wait_for(url: str) -> dict[str, int]:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        try:
            return dict(httpx2.get(url).json())
        except httpx2.TransportError:
            time.sleep(0.3)
    raise AssertionError(f"{url} never answered")
