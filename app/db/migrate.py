"""Brings a database to the newest schema: one history for SQLite and PostgreSQL, safe to call from many at once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, text

from app.db.engine import is_postgresql

MIGRATIONS = Path(__file__).resolve().parents[2] / "migrations"
_ADVISORY_KEY = 7_262_019_117


def upgrade(engine: Engine, revision: str = "head") -> None:
    """Run every migration that is missing; the second of two callers waits and then finds nothing to do."""
    with locked(engine) as connection:
        command.upgrade(_config(connection), revision)


def downgrade(engine: Engine, revision: str) -> None:
    """Step back to a revision (`base` = empty)."""
    with locked(engine) as connection:
        command.downgrade(_config(connection), revision)


def head() -> str:
    """The newest revision that this program knows."""
    return str(ScriptDirectory(str(MIGRATIONS)).get_current_head())


@contextmanager
def locked(engine: Engine) -> Iterator[Connection]:
    """One transaction that excludes other upgrades: SQLite's write lock, or an advisory lock on PostgreSQL."""
    writer = engine.execution_options(rackrate_write=True)
    with writer.connect() as connection, _without_foreign_keys(connection), connection.begin():
        if is_postgresql(connection):
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _ADVISORY_KEY})
        yield connection


@contextmanager
def _without_foreign_keys(connection: Connection) -> Iterator[None]:
    """SQLite rebuilds a table to alter it; with foreign keys on, that silently deletes the rows of its children.
    The switch works only outside a transaction, hence on the driver's own connection."""
    if is_postgresql(connection):
        yield
        return
    driver: Any = connection.connection.dbapi_connection
    driver.execute("PRAGMA foreign_keys=OFF")
    try:
        yield
    finally:
        driver.execute("PRAGMA foreign_keys=ON")


def _config(connection: Connection) -> Config:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.attributes["connection"] = connection
    return config
