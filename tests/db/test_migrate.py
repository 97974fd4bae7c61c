"""One migration history on both databases, safe when several start at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Engine, inspect, text

from app.db import migrate
from app.db.engine import make_engine, writing
from app.db.tables import metadata
from tests.postgres import PostgresServer


def test_migrated_schema_is_the_one_the_tables_declare(engine: Engine) -> None:
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "include_name": _ours})
        assert compare_metadata(context, metadata) == []


def test_upgrade_down_and_up_again_leaves_the_same_tables(sqlite_engine: Engine) -> None:
    before = sorted(inspect(sqlite_engine).get_table_names())
    migrate.downgrade(sqlite_engine, "base")
    assert inspect(sqlite_engine).get_table_names() == ["alembic_version"]
    migrate.upgrade(sqlite_engine)
    assert sorted(inspect(sqlite_engine).get_table_names()) == before


@pytest.mark.postgres
def test_history_runs_down_and_up_on_postgresql(postgres_server: PostgresServer) -> None:
    postgres_server.admin("CREATE DATABASE down_and_up TEMPLATE template_rackrate")
    engine = make_engine(postgres_server.url("down_and_up"))
    before = sorted(inspect(engine).get_table_names())
    migrate.downgrade(engine, "base")
    assert inspect(engine).get_table_names() == ["alembic_version"]
    migrate.upgrade(engine)
    assert sorted(inspect(engine).get_table_names()) == before
    engine.dispose()
    postgres_server.admin("DROP DATABASE down_and_up")


@pytest.mark.postgres
def test_four_upgrades_at_once_on_postgresql_all_succeed(postgres_server: PostgresServer) -> None:
    postgres_server.admin("CREATE DATABASE at_once")
    _upgrade_at_once(postgres_server.url("at_once"))
    postgres_server.admin("DROP DATABASE at_once WITH (FORCE)")


def test_four_upgrades_at_once_on_sqlite_all_succeed(tmp_path: object) -> None:
    _upgrade_at_once(f"sqlite:///{tmp_path}/at_once.sqlite3")


def test_foreign_keys_hold_after_an_upgrade(sqlite_engine: Engine) -> None:
    migrate.upgrade(sqlite_engine)
    with sqlite_engine.connect() as connection:
        assert connection.execute(text("PRAGMA foreign_keys")).scalar_one() == 1


def test_failed_migration_leaves_nothing_behind(sqlite_engine: Engine) -> None:
    with pytest.raises(ZeroDivisionError), writing(sqlite_engine) as connection:
        connection.execute(text("CREATE TABLE half (a INTEGER)"))
        raise ZeroDivisionError
    assert "half" not in inspect(sqlite_engine).get_table_names()


def _upgrade_at_once(url: str) -> None:
    engines = [make_engine(url) for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(migrate.upgrade, engines))
    with engines[0].connect() as connection:
        assert connection.execute(text("SELECT version_num FROM alembic_version")).scalars().all() == [
            migrate.head()
        ]
    for engine in engines:
        engine.dispose()


def _ours(name: str | None, kind: str, _parents: object) -> bool:
    return not (kind == "table" and (name or "").startswith("procrastinate_"))
