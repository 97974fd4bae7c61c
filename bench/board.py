"""How fast a large board is read and asked: `python -m bench.board [--rows N] [--postgres]`.

The bundled snapshot's offers under new ids until there are N; every third is told by a second source too. Each figure
stands beside a named baseline in the same run: one SQLAlchemy row and one record an offer, and the same question
asked of the database. Milliseconds are medians; "first" questions are asked once, of a run nobody asked before.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import time
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from functools import partial
from typing import Any, NamedTuple

from sqlalchemy import Engine, Text, cast, func, insert, literal, select
from sqlalchemy.sql.elements import ColumnElement

from app.catalog import load_catalog
from app.db.engine import is_postgresql, writing
from app.db.offers import raise_version
from app.db.tables import instance_type, offer, scrape_run
from app.domain.record import OfferRecord
from app.market.ingest import seed
from app.market.query import OfferQuery
from app.market.service import Market, read_board
from bench.ingest import database

NOW = datetime.now(UTC)
PER_CARD = offer.c.price_per_hour / instance_type.c.accelerator_count
QUESTIONS: dict[str, tuple[str, list[ColumnElement[bool]], ColumnElement[Any]]] = {
    "everything, cheapest first": ("", [], offer.c.price_per_hour),
    "filters and sort": (
        "memory_gib_min=40&price_max=30&purchase_option=on_demand,spot&sort=price_usd_per_accelerator_hour",
        [
            instance_type.c.memory_gib_per_accelerator >= 40 * 0.93,
            offer.c.price_per_hour <= Decimal(30),
            offer.c.purchase_option.in_(("on_demand", "spot")),
        ],
        PER_CARD,
    ),
    "free text": (
        "q=h100+us",
        [instance_type.c.accelerator_label.icontains("h100"), offer.c.country == "US"],
        offer.c.price_per_hour,
    ),
}
RUNS = ("model=llama-3.1-8b&method=full", "model=qwen2.5-14b&method=lora&budget_usd=500&deadline_hours=100")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--postgres", action="store_true")
    chosen = parser.parse_args()
    with database(chosen.postgres) as engine:
        fill(engine, chosen.rows)
        catalog, empty = load_catalog(), rss_mib()
        first = once(lambda: read_board(engine, catalog))
        market = Market.open(catalog, engine, lambda: NOW)
        print(f"{len(market.board):,} offers; {rss_mib() - empty:,.0f} MiB at the peak of reading them")
        again = timed(lambda: change_and_refresh(market), 3)
        show("read the board, first", first)
        show("read it again after a change", again, "a row and a record each", once(lambda: plain(engine)))
        for name, (text, where, order) in QUESTIONS.items():
            query = OfferQuery.parse(text)
            ours = timed(partial(market.list_offers, query))
            show(name, ours, "SQL", timed(partial(asked_of_sql, engine, where, order), 3))
            show(f"{name}, with counts", timed(partial(market.list_offers, query, facets=True)))
        for text in RUNS:
            query = OfferQuery.parse(text)
            show(f"first: {text}", once(lambda query=query: market.list_offers(query, facets=True)))  # type: ignore[misc]
            show("the same again", timed(partial(market.list_offers, query, facets=True)))
        print(f"{rss_mib():,.0f} MiB at the peak of the process")


def fill(engine: Engine, rows: int) -> None:
    """Copies of the snapshot's offers under new ids; of every third copy a second source tells too."""
    seed(engine, load_catalog(), NOW)
    digest = func.md5(cast(func.random(), Text)) if is_postgresql(engine) else func.hex(func.randomblob(8))
    rest = [column for column in offer.c if column.name not in ("id", "via")]
    names = ["id", "via", *(column.name for column in rest)]
    with writing(engine) as connection:
        count = select(func.count()).select_from(offer)
        told = 0
        while (found := connection.execute(count).scalar_one()) < rows:
            copied = select(func.substr(func.lower(digest), 1, 16), offer.c.via, *rest).limit(rows - found)
            connection.execute(insert(offer).from_select(names, copied))
            told = found
        again = select(offer.c.id, literal("second"), *rest).where(offer.c.via != "second").limit(told // 3)
        connection.execute(insert(offer).from_select(names, again))
        raise_version(connection)


def change_and_refresh(market: Market) -> None:
    """Something changed: the board is read anew and swapped in."""
    with writing(market.engine) as connection:
        raise_version(connection)
    assert market.refresh_board()


def plain(engine: Engine) -> list[OfferRecord]:
    """The baseline of reading: one row of the joined tables and one record an offer, nothing merged or worked out."""
    names = [name for name in OfferRecord.__struct_fields__ if name in offer.c and name not in ("flags",)]
    machine = [
        name for name in OfferRecord.__struct_fields__ if name in instance_type.c and name not in offer.c
    ]
    joined = offer.join(instance_type, instance_type.c.id == offer.c.instance_type_id).join(
        scrape_run, scrape_run.c.id == offer.c.run_id
    )
    columns = [*(offer.c[name] for name in names), *(instance_type.c[name] for name in machine)]
    query = select(*columns, instance_type.c.name.label("instance_type"), scrape_run.c.started_at)
    keys = (*names, *machine, "instance_type", "observed_at")
    with engine.connect() as connection:
        return [
            OfferRecord(**dict(zip(keys, row, strict=True)))
            for row in connection.execute(query.select_from(joined))
        ]


def asked_of_sql(engine: Engine, where: list[ColumnElement[bool]], order: ColumnElement[Any]) -> None:
    """The baseline of a question: how many, and the first hundred."""
    joined = offer.join(instance_type, instance_type.c.id == offer.c.instance_type_id)
    with engine.connect() as connection:
        connection.execute(select(func.count()).select_from(joined).where(*where)).scalar_one()
        page = select(offer, instance_type).select_from(joined).where(*where)
        connection.execute(page.order_by(order.is_(None), order, offer.c.id).limit(100)).all()


def show(name: str, took: Took, baseline: str = "", plain: Took | None = None) -> None:
    """One line; the ratio says how many times faster than the baseline."""
    beside = f"   {baseline}: {plain.ms:,.1f} ms, {plain.ms / took.ms:.1f}×" if plain else ""
    print(f"{name:72}{took.ms:10,.1f} ms  cpu {took.cpu_ms:8,.1f}{beside}", flush=True)


class Took(NamedTuple):
    """Milliseconds on the clock, and of this process's processor time: on a busy machine the second says more."""

    ms: float
    cpu_ms: float


def once(work: Callable[[], object]) -> Took:
    """What it took the only time."""
    return timed(work, 1)


def timed(work: Callable[[], object], repeats: int = 9) -> Took:
    """What it took, median."""
    times = []
    for _ in range(repeats):
        started = time.perf_counter(), time.process_time()
        work()
        times.append((time.perf_counter() - started[0], time.process_time() - started[1]))
    return Took(*(statistics.median(column) * 1e3 for column in zip(*times, strict=True)))


def rss_mib() -> float:
    """The most memory that the process has had so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
