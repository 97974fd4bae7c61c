"""One engine for either database, with transactions that mean the same on both."""

from __future__ import annotations

import gc
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from app.domain.errors import BadInput

BUSY_TIMEOUT_MS = 30_000
_RETRY_S = 0.05


def make_engine(url: str) -> Engine:
    """An engine for `sqlite:///file` or `postgresql://…`.

    SQLite runs in WAL mode: readers never wait, writers queue for up to 30 s.

    Raises:
        BadInput: an address that is neither, or cannot be read.
    """
    try:
        parsed = make_url(url)
    except ArgumentError:
        raise BadInput(
            "RACKRATE_DATABASE_URL", "give sqlite:///file or postgresql://user@host/name"
        ) from None
    match parsed.get_backend_name():
        case "sqlite":
            return _sqlite(parsed)
        case "postgresql" | "postgres":
            return _postgresql(parsed)
        case other:
            raise BadInput("RACKRATE_DATABASE_URL", f"{other} is not supported; use sqlite or postgresql")


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """A transaction that will write: SQLite takes the write lock at once, so it waits instead of failing midway."""
    with engine.execution_options(rackrate_write=True).begin() as connection:
        yield connection


@contextmanager
def no_garbage() -> Iterator[None]:
    """For work on very many small objects without cycles: looking for cycles among them again and again would cost a
    quarter of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def is_postgresql(connectable: Engine | Connection) -> bool:
    """Whether this is PostgreSQL (else it is SQLite)."""
    return connectable.dialect.name == "postgresql"


def _postgresql(url: URL) -> Engine:
    return create_engine(
        url.set(drivername="postgresql+psycopg"),
        pool_pre_ping=True,
        pool_size=5,
        connect_args={"options": "-c timezone=UTC"},
    )


def _sqlite(url: URL) -> Engine:
    if url.database and url.database != ":memory:":
        Path(url.database).expanduser().absolute().parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(url, connect_args={"check_same_thread": False, "timeout": BUSY_TIMEOUT_MS / 1000})
    event.listen(engine, "connect", _configure_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _configure_sqlite(raw: Any, _record: object) -> None:
    raw.isolation_level = (
        None  # the driver would open transactions at the wrong moments; we emit BEGIN ourselves
    )
    for pragma in (f"busy_timeout={BUSY_TIMEOUT_MS}", "synchronous=NORMAL", "foreign_keys=ON"):
        raw.execute(f"PRAGMA {pragma}")
    _write_ahead(raw)


def _write_ahead(raw: Any) -> None:
    """WAL mode. Where several processes open a new file at once, SQLite refuses this one change instead of waiting."""
    until = time.monotonic() + BUSY_TIMEOUT_MS / 1000
    while True:
        try:
            raw.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > until:
                raise
            time.sleep(_RETRY_S)


def _begin_sqlite(connection: Connection) -> None:
    write = connection.get_execution_options().get("rackrate_write")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")
