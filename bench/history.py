"""How long history takes: `python -m bench.history [--rows N] [--postgres]`.

Prints one JSON object of seconds: writing down a first day, a second day linked to it after every price moved, the same
again, tidying up, and the market report of then (first and again).
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from datetime import timedelta

from sqlalchemy import Engine

from app.catalog import load_catalog
from app.market.history import record_day
from app.market.ingest import ingest
from app.market.price_report import PriceQuestion, price_report
from app.market.retention import compact
from app.market.service import Market
from bench.ingest import CARD, NOW, batch, database


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--postgres", action="store_true")
    asked = parser.parse_args()
    with database(asked.postgres) as engine:
        print(json.dumps({"rows": asked.rows, **measure(engine, asked.rows)}))


def measure(engine: Engine, rows: int) -> dict[str, float]:
    """Seconds of each step over so many offers."""
    tomorrow = NOW + timedelta(days=1)
    _scrape(engine, rows, "1", 0)
    found = {"first_day": _timed(lambda: record_day(engine, NOW))}
    _scrape(engine, rows, "1.1", 24)
    found["linked_day"] = _timed(lambda: record_day(engine, tomorrow))
    found["same_day_again"] = _timed(lambda: record_day(engine, tomorrow))
    found["compact"] = _timed(lambda: compact(engine, tomorrow))
    market = Market.open(load_catalog(), engine, lambda: tomorrow)
    found["report"] = _timed(lambda: price_report(market, PriceQuestion()))
    found["report_again"] = _timed(lambda: price_report(market, PriceQuestion()))
    return found


def _scrape(engine: Engine, rows: int, factor: str, hours: int) -> None:
    at = NOW + timedelta(hours=hours)
    ingest(engine, CARD, batch(rows, factor), started_at=at, now=at, catalog=load_catalog())


def _timed(work: Callable[[], object]) -> float:
    before = time.perf_counter()
    work()
    return round(time.perf_counter() - before, 3)


if __name__ == "__main__":
    main()
