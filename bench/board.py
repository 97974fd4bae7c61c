"""How fast the board answers: `python -m bench.board [ROWS]`. Made-up offers from the bundled snapshot, many times over.

Prints milliseconds (median of repeats) to build the board, and to filter, sort and cut a page, with and without live
counts and with a training run (its estimates cached, as for the second question about a run).
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial

import msgspec
from sqlalchemy import Engine

from app.catalog import load_catalog
from app.db.engine import make_engine
from app.db.migrate import upgrade
from app.db.present import read_current
from app.domain.record import OfferRecord
from app.market import board
from app.market.board import BoardHolder
from app.market.ingest import seed
from app.market.query import OfferQuery
from app.market.service import Market

NOW = datetime.now(UTC)
QUESTIONS = {
    "everything": "",
    "filters and sort": "memory_gib_min=40&price_max=30&purchase_option=on_demand,spot&sort=price_usd_per_accelerator_hour",
    "free text": "q=8xh100+us+<60",
    "with a run": "model=llama-3.1-8b&method=full",
    "with a run, sorted": "model=llama-3.1-8b&method=full&sort=hours&order=desc&continent=Europe",
}


def main(rows: int) -> None:
    """Measure and print."""
    engine = make_engine("sqlite:////tmp/rackrate-bench.sqlite3")
    upgrade(engine)
    seed(engine, load_catalog(), NOW)
    records = many(engine, rows)
    started = time.perf_counter()
    built = board.build(records, load_catalog(), "bench")
    print(f"{'build the board':32}{(time.perf_counter() - started) * 1e3:10.1f} ms   {len(built):,} offers")
    market = Market(load_catalog(), BoardHolder(built), engine, lambda: NOW)
    for name, text in QUESTIONS.items():
        query = OfferQuery.parse(text)
        total = market.list_offers(query).total
        plain = timed(partial(market.list_offers, query))
        counted = timed(partial(market.list_offers, query, facets=True))
        print(f"{name:32}{plain:10.2f} ms   with counts {counted:8.2f} ms   {total:,} found")


def many(engine: Engine, rows: int) -> list[OfferRecord]:
    """The snapshot, repeated under new ids and slightly different prices."""
    with engine.connect() as connection:
        base = read_current(connection)
    return [
        msgspec.structs.replace(
            base[n % len(base)],
            id=f"{n:016x}",
            price_usd_per_hour=(base[n % len(base)].price_usd_per_hour or 1) * (1 + n / rows),
        )
        for n in range(rows)
    ]


def timed(work: Callable[[], object], repeats: int = 15) -> float:
    """Median milliseconds."""
    times = []
    for _ in range(repeats):
        started = time.perf_counter()
        work()
        times.append((time.perf_counter() - started) * 1e3)
    return statistics.median(times)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200_000)
