"""Assembles the service: database, catalog, market, pages, API, and what runs beside them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from importlib.metadata import version

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from sqlalchemy import Engine
from starlette.exceptions import HTTPException

from app import log as logs
from app.api import errors as api_errors
from app.api.middleware import BodyLimit, Compress, HeadAsGet, SecurityHeaders
from app.api.routes import make_router as api_router
from app.catalog import Catalog
from app.db.engine import is_postgresql
from app.domain.errors import RackrateError
from app.market.ahead import ahead
from app.market.retention import Retention
from app.market.service import Market
from app.settings import Settings, provider_keys
from app.web import errors as web_errors
from app.web.negotiation import Speak
from app.web.routes import make_router as web_router
from app.workers.entry import Workshop, refresh_in_background
from app.workers.manners import Manners

log = logging.getLogger(__name__)

SUMMARY = "Rentable GPU instances for training: what holds a run, how long it takes and what it costs in all."


def from_environment() -> FastAPI:
    """What `rackrate serve` runs, and what any other ASGI server can: `app.main:from_environment` as a factory.

    Raises:
        BadInput: the database cannot be used.
    """
    settings = Settings()
    logs.configure(settings.log_level, settings.log_json)
    market = Market.at(settings.database_url)
    log.info("%d offers on the board", len(market.board))
    return create_app(market, settings)


def create_app(market: Market, settings: Settings) -> FastAPI:
    """The web application over a market; while it runs, the board follows the database, and prices are refreshed."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        stop = asyncio.Event()
        tasks = [asyncio.create_task(follow_database(market, settings.board_poll_s, stop))]
        if settings.refresh and not is_postgresql(market.engine):
            shop = workshop(settings, market.engine, market.catalog)
            tasks.append(asyncio.create_task(refresh_in_background(shop, stop)))
        yield
        stop.set()
        for task in tasks:
            with suppress(asyncio.CancelledError):
                await task

    app = FastAPI(
        title="Rackrate",
        version=version("rackrate"),
        summary=SUMMARY,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
    )
    app.add_middleware(Speak)
    app.add_middleware(BodyLimit, most=settings.max_body_bytes)
    app.add_middleware(Compress)
    app.add_middleware(SecurityHeaders)
    app.add_middleware(HeadAsGet)
    app.include_router(api_router(market))
    app.include_router(web_router(market))
    for kind in (RackrateError, RequestValidationError, HTTPException, Exception):
        app.add_exception_handler(kind, answer_error)
    return app


def answer_error(request: Request, error: Exception) -> Response:
    """JSON for the API, a page for everybody else."""
    if request.url.path.startswith("/api/") or request.url.path == "/openapi.json":
        return api_errors.answer(request, error)
    if isinstance(error, HTTPException):
        return web_errors.plain_error(request, error.status_code)
    return web_errors.error_page(request, error)


async def follow_database(market: Market, every_s: float, stop: asyncio.Event) -> None:
    """Swap in a new board whenever the database has moved on, off the request path. While it stays where it is, what
    the next readers would wait for is found one piece after the other."""
    board, pieces = None, ahead(market)
    while not stop.is_set():
        try:
            if await asyncio.to_thread(market.refresh_board):
                log.info("board %s: %d offers", market.board.version, len(market.board))
        except Exception:  # a database that is away for a while must not end the following
            log.exception("the board could not be read; the old one stays")
        if market.board is not board:
            board, pieces = market.board, ahead(market)
        elif await found_ahead(pieces):
            continue
        with suppress(TimeoutError):
            await asyncio.wait_for(stop.wait(), every_s)


async def found_ahead(pieces: Iterator[Callable[[], object]]) -> bool:
    """Find the next piece; says whether there was one."""
    piece = next(pieces, None)
    if piece is None:
        return False
    try:
        await asyncio.to_thread(piece)
    except Exception:  # whoever asks for it sees the error; all else is still found
        log.exception("a figure could not be found ahead")
    return True


def workshop(settings: Settings, engine: Engine, catalog: Catalog) -> Workshop:
    """What work on prices needs."""
    manners = Manners(contact=settings.contact, via=settings.via)
    keep = Retention.of_days(**settings.keep_days)
    return Workshop(engine, catalog, provider_keys(), manners, settings.http_cache, keep, settings.off)
