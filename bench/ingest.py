"""How fast offers are taken in and read back: `python -m bench.ingest [--rows N] [--postgres]`.

Prints one JSON object: offers per second for a first, an unchanged and a wholly repriced scrape (best of three), on the
clock and (`…_cpu`) of this process's processor time; seconds to read the present offers as records; and as named
baseline `executemany`: every row of the batch written again by the driver's executemany with ON CONFLICT DO UPDATE,
without the names, places and checks that an ingest does. `--postgres` starts the server that the tests use.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from sqlalchemy import Engine, select
from sqlalchemy.dialects import postgresql, sqlite

from app.catalog import load_catalog
from app.db.engine import is_postgresql, make_engine, writing
from app.db.migrate import upgrade
from app.db.present import read_current
from app.db.tables import offer
from app.domain.offer import Parsed, PurchaseOption, ScrapedOffer
from app.market.ingest import ingest
from app.providers.card import ProviderCard

CARD = ProviderCard("aws", "AWS", "api", "list_price", homepage="https://aws.amazon.com")
TYPES = (
    "p5.48xlarge",
    "p5en.48xlarge",
    "p4d.24xlarge",
    "p4de.24xlarge",
    "g6.xlarge",
    "g6e.12xlarge",
    "g5.48xlarge",
)
OPTIONS: tuple[tuple[PurchaseOption, int | None], ...] = (
    ("on_demand", None),
    ("spot", None),
    ("reserved", 12),
    ("reserved", 36),
)
NOW = datetime(2026, 11, 30, tzinfo=UTC)


def batch(rows: int, factor: str = "1") -> Parsed:
    """Offers of seven instance types under four purchase options in as many regions as it takes."""
    offers = []
    for number in range(rows):
        kind = TYPES[number % len(TYPES)]
        option, term = OPTIONS[number // len(TYPES) % len(OPTIONS)]
        offers.append(
            ScrapedOffer(
                provider="aws",
                instance_type=kind,
                accelerator_name="NVIDIA",
                accelerator_count=8.0,
                region=f"region-{number // (len(TYPES) * len(OPTIONS))}",
                purchase_option=option,
                term_months=term,
                price_per_hour=Decimal(number % 977 + 1) / 100 * Decimal(factor),
                vcpus=192.0,
                ram_gib=2048.0,
                source="Price List",
                source_url="https://pricing.example/list.json",
            )
        )
    return Parsed(offers=tuple(offers))


def measure(engine: Engine, rows: int) -> dict[str, float]:
    """Offers per second by kind of scrape, and seconds to read them all back."""
    hours = iter(range(1000))

    def take(parsed: Parsed) -> tuple[float, float]:
        at = NOW + timedelta(hours=next(hours))
        begun, worked = time.perf_counter(), time.process_time()
        ingest(engine, CARD, parsed, started_at=at, now=at, catalog=load_catalog())
        return rows / (time.perf_counter() - begun), rows / (time.process_time() - worked)

    took = {
        "first": take(batch(rows)),
        "unchanged": max(take(batch(rows)) for _ in range(3)),
        "repriced": max(take(batch(rows, factor)) for factor in ("1.1", "1.2", "1.3")),
    }
    with engine.connect() as connection:
        begun = time.perf_counter()
        read = len(read_current(connection))
        seconds = time.perf_counter() - begun
    baseline = max(rewritten(engine) for _ in range(3))
    figures = {name: rate for name, (rate, _) in took.items()}
    return (
        {"rows": read, "read_s": seconds, "executemany": baseline, **figures}
        | {f"{name}_cpu": rate for name, (_, rate) in took.items()}
        | {f"{name}_vs_executemany": rate / baseline for name, rate in figures.items()}
    )


def rewritten(engine: Engine) -> float:
    """The baseline: offers per second when every row is written again."""
    with writing(engine) as connection:
        rows = [dict(row) for row in connection.execute(select(offer)).mappings()]
        statement: Any = (postgresql if is_postgresql(engine) else sqlite).insert(offer)
        changes = {name: statement.excluded[name] for name in rows[0] if name not in ("id", "via")}
        begun = time.perf_counter()
        connection.execute(statement.on_conflict_do_update(index_elements=["id", "via"], set_=changes), rows)
        return len(rows) / (time.perf_counter() - begun)


@contextlib.contextmanager
def database(postgres: bool) -> Iterator[Engine]:
    """A migrated, empty database that is gone afterwards."""
    with contextlib.ExitStack() as stack:
        if postgres:
            from tests.postgres import temporary_server

            url = stack.enter_context(temporary_server()).url("template_rackrate")
        else:
            url = f"sqlite:///{stack.enter_context(tempfile.TemporaryDirectory())}/bench.sqlite3"
        engine = make_engine(url)
        stack.callback(engine.dispose)
        upgrade(engine)
        yield engine


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--postgres", action="store_true")
    chosen = parser.parse_args()
    load_catalog()
    with database(chosen.postgres) as engine:
        figures = measure(engine, chosen.rows)
    rounded = {name: round(figure, 2 if figure < 100 else None) for name, figure in figures.items()}
    print(json.dumps({"database": "postgresql" if chosen.postgres else "sqlite"} | rounded, indent=1))


if __name__ == "__main__":
    main()
