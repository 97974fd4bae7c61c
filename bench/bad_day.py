"""Two workers on PostgreSQL bring the board from empty to complete over a synthetic internet, and through a bad day.

    python -m bench.bad_day

The internet is `tests/providers/internet.py`: self-written answers of every provider in their true shapes, on
loopback. On the bad day every host misbehaves (500, 429, HTML, empty and cut answers, a slow drip, refusals), one
worker is killed with SIGKILL while it works, and the database is restarted. Nothing may be lost, doubled or look fresh.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Engine, create_engine, text
from sqlalchemy.exc import OperationalError

from app.db.present import read_current
from app.domain.record import OfferRecord
from app.providers import discover
from tests.postgres import PostgresServer, temporary_server
from tests.providers.internet import bad_day, payload, served

PATIENCE_S = 300
SLUGS = [slug for slug, source in discover().items() if source.card.source_kind != "hand_kept"]


def main() -> None:
    """Run the three days and print the figures as JSON."""
    with temporary_server() as server, served(*SLUGS) as internet, tempfile.TemporaryDirectory() as cache:
        url = server.url("template_rackrate")
        engine = create_engine(url.replace("postgresql://", "postgresql+psycopg://"), pool_pre_ping=True)
        with _workers(url, internet.origin, cache) as start:
            first, _ = start(), start()
            good_s = _until(lambda: _all_at_rest(engine) and _successes(engine, "epoch") >= len(SLUGS))
            good = _live(engine)
            internet.weather.update(bad_day(SLUGS))
            moment = _make_due(engine)
            _until(lambda: _leased(engine) > 0)
            first.send_signal(signal.SIGKILL)
            start()
            time.sleep(5)
            _restart(server)
            bad_s = _until(lambda: _all_at_rest(engine) and _attempts(engine, moment) >= len(SLUGS))
            bad = _live(engine)
            internet.weather.clear()
            moment = _make_due(engine)
            after_s = _until(lambda: _all_at_rest(engine) and _successes(engine, moment) >= len(SLUGS))
            after = _live(engine)
        engine.dispose()
    report = _compare(good, bad, after)
    report |= {
        "good_day_s": good_s,
        "bad_day_s": bad_s,
        "day_after_s": after_s,
        "requests": len(internet.asked),
    }
    print(json.dumps(report, indent=2))
    sys.exit(0 if not any(report[name] for name in ("lost", "doubled", "wrongly_fresh", "repriced")) else 1)


@contextmanager
def _workers(url: str, origin: str, cache: str) -> Iterator[Callable[[], subprocess.Popen[bytes]]]:
    keys = {name: value for slug in SLUGS for name, value in payload(slug).get("settings", {}).items()}
    environment = os.environ | keys | {
        "RACKRATE_DATABASE_URL": url, "RACKRATE_VIA": origin, "RACKRATE_HTTP_CACHE": cache, "RACKRATE_LOG_LEVEL": "error",
    }  # fmt: skip
    running: list[subprocess.Popen[bytes]] = []

    def start() -> subprocess.Popen[bytes]:
        command = [sys.executable, "-c", "from app.cli import main; main()", "worker"]
        running.append(
            subprocess.Popen(
                command, env=environment, cwd=Path(__file__).parents[1], stderr=subprocess.DEVNULL
            )
        )
        return running[-1]

    try:
        yield start
    finally:
        for process in running:
            process.kill()
            process.wait()


def _restart(server: PostgresServer) -> None:
    server.stop()
    time.sleep(2)
    server.start()


def _until(condition: Callable[[], bool]) -> float:
    """Seconds until it holds; a database that is away counts as "not yet"."""
    begun = time.monotonic()
    while True:
        try:
            if condition():
                return round(time.monotonic() - begun, 1)
        except OperationalError:
            pass
        if time.monotonic() - begun > PATIENCE_S:
            raise TimeoutError("the workers did not get there")
        time.sleep(0.5)


def _count(engine: Engine, where: str, **values: object) -> int:
    statement = text(f"SELECT count(*) FROM provider WHERE slug = ANY(:slugs) AND {where}")
    with engine.connect() as connection:
        return int(connection.execute(statement, {"slugs": SLUGS, **values}).scalar_one())


def _successes(engine: Engine, since: str) -> int:
    return _count(engine, "last_success >= CAST(:since AS timestamptz)", since=since)


def _attempts(engine: Engine, since: str) -> int:
    return _count(engine, "last_attempt >= CAST(:since AS timestamptz)", since=since)


def _leased(engine: Engine) -> int:
    return _count(engine, "lease_owner IS NOT NULL")


def _all_at_rest(engine: Engine) -> bool:
    return _leased(engine) == 0


def _make_due(engine: Engine) -> str:
    with engine.begin() as connection:
        connection.execute(text("UPDATE provider SET next_due = NULL"))
        return str(connection.execute(text("SELECT now()")).scalar_one())


def _live(engine: Engine) -> list[OfferRecord]:
    with engine.connect() as connection:
        return [record for record in read_current(connection) if record.source_kind != "snapshot"]


def _compare(good: list[OfferRecord], bad: list[OfferRecord], after: list[OfferRecord]) -> dict[str, object]:
    first, second, third = ({record.id: record for record in day} for day in (good, bad, after))
    kept = first.keys() & second.keys()
    return {
        "sources": len(SLUGS),
        "providers": len({record.provider for record in good}),
        "offers": len(good),
        "lost": len(first.keys() - second.keys()) + len(first.keys() - third.keys()),
        "doubled": sum(len(day) - len({record.id for record in day}) for day in (good, bad, after)),
        "wrongly_fresh": sum(second[id_].observed_at != first[id_].observed_at for id_ in kept),
        "repriced": sum(second[id_].price_usd_per_hour != first[id_].price_usd_per_hour for id_ in kept),
        "refreshed_after": sum(
            third[id_].observed_at > record.observed_at for id_, record in first.items() if id_ in third
        ),
    }


if __name__ == "__main__":
    main()
