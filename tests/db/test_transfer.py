"""A backup holds everything and restores on either database."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import Engine, insert

from app.catalog import load_catalog
from app.db.engine import make_engine, writing
from app.db.migrate import upgrade
from app.db.offers import board_version
from app.db.present import read_current
from app.db.tables import scrape_run
from app.db.transfer import copy_all
from app.market.ingest import seed

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def sqlite(folder: Path, name: str) -> Engine:
    engine = make_engine(f"sqlite:///{folder / name}")
    upgrade(engine)
    return engine


def records(engine: Engine) -> list[object]:
    with engine.connect() as connection:
        return list(read_current(connection))


def version(engine: Engine) -> int:
    with engine.connect() as connection:
        return board_version(connection)


def test_a_copy_there_and_back_changes_nothing_but_the_version(tmp_path: Path, engine: Engine) -> None:
    first, last = sqlite(tmp_path, "first"), sqlite(tmp_path, "last")
    seed(first, load_catalog(), NOW)
    before = version(engine)
    there = copy_all(first, engine)
    back = copy_all(engine, last)
    assert there == back
    assert there["offer"] > 4000
    assert there["price_point"] >= there["offer"]
    assert records(first) == records(engine) == records(last)
    assert version(engine) > max(before, version(first))


def test_what_was_there_is_replaced_and_new_numbers_go_on_after_the_copied_ones(
    tmp_path: Path, engine: Engine
) -> None:
    source = sqlite(tmp_path, "source")
    seed(source, load_catalog(), NOW)
    copy_all(source, engine)
    copy_all(source, engine)
    assert records(engine) == records(source)
    values = {"provider": "snapshot", "started_at": NOW, "finished_at": NOW, "outcome": "ok"}
    with writing(engine) as connection:
        new = connection.execute(insert(scrape_run).values(**values).returning(scrape_run.c.id)).scalar_one()
        others = connection.execute(scrape_run.select().where(scrape_run.c.id == new)).all()
    assert len(others) == 1
