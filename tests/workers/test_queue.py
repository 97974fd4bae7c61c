"""Several worker processes on one PostgreSQL: nothing twice at once, nothing lost when one is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine, func, select, text

from app.db.engine import make_engine
from app.db.tables import offer
from app.market.status import status
from tests.postgres import empty, temporary_server
from tests.workers.crew import OFFERS, SOURCES

pytestmark = pytest.mark.postgres
PATIENCE_S = 90
Start = Callable[[str], "subprocess.Popen[bytes]"]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    file = tmp_path / "log"
    file.touch()
    return file


@pytest.fixture
def start(postgres_engine: Engine, postgres_url: str, log: Path) -> Iterator[Start]:
    """Starts a worker process by name; those still running are killed at the end."""
    empty(postgres_engine)
    with postgres_engine.begin() as connection:
        connection.execute(text("TRUNCATE queue.procrastinate_jobs, queue.procrastinate_workers CASCADE"))
    workers: list[subprocess.Popen[bytes]] = []

    def run(name: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "tests.workers.crew", postgres_url, name, str(log)]
        workers.append(subprocess.Popen(command, cwd=Path(__file__).parents[2], stderr=subprocess.DEVNULL))
        return workers[-1]

    yield run
    for worker in workers:
        if worker.poll() is None:
            worker.kill()
            worker.wait()


def test_two_workers_one_of_them_killed_scrape_every_source_and_never_one_at_once(
    start: Start, log: Path, postgres_engine: Engine
) -> None:
    victim, _other = start("victim"), start("other")
    wait_until(lambda: any(line[1:] == ["begin", line[2], "victim"] for line in lines(log)))
    os.kill(victim.pid, signal.SIGKILL)
    wait_until(lambda: count(postgres_engine) == SOURCES * OFFERS)
    interrupted = [slug for slug, spans in by_source(log).items() for worker, end in spans if end is None]
    assert interrupted, "the worker was killed between two scrapes; the test proves nothing"
    assert_no_overlap(log)
    sources = {source.slug: source for source in status(postgres_engine).sources}
    for number in range(SOURCES):
        one = sources[f"source-{number}"]
        assert (one.offers, [run.outcome for run in one.runs]) == (OFFERS, ["ok"])
    wait_until(lambda: unfinished_jobs(postgres_engine) == 0)


def test_worker_that_is_told_to_stop_hands_back_what_it_has_begun(
    start: Start, log: Path, postgres_engine: Engine
) -> None:
    worker = start("first")
    wait_until(lambda: len(lines(log)) > 0)
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(timeout=PATIENCE_S) == 0
    assert lines(log)[-1][1] == "stopped"
    with postgres_engine.connect() as connection:
        assert (
            connection.execute(
                text("SELECT count(*) FROM provider WHERE lease_owner IS NOT NULL")
            ).scalar_one()
            == 0
        )
    start("second")
    wait_until(lambda: count(postgres_engine) == SOURCES * OFFERS)
    assert_no_overlap(log)


def test_workers_outlive_a_restart_of_the_database(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.touch()
    with temporary_server() as server:
        url = server.url("template_rackrate")
        command = [sys.executable, "-m", "tests.workers.crew", url, "only", str(log)]
        worker = subprocess.Popen(command, cwd=Path(__file__).parents[2], stderr=subprocess.DEVNULL)
        try:
            wait_until(lambda: len(lines(log)) > 0)
            server.stop()
            time.sleep(1)
            server.start()
            engine = make_engine(url)
            wait_until(lambda: count(engine) == SOURCES * OFFERS)
            engine.dispose()
        finally:
            worker.kill()
            worker.wait()


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.05)


def lines(log: Path) -> list[list[str]]:
    return [line.split() for line in log.read_text().splitlines()]


def by_source(log: Path) -> dict[str, list[tuple[str, float | None]]]:
    """Source → the spans of work on it: worker and end (None = never ended)."""
    spans: dict[str, list[tuple[str, float | None]]] = defaultdict(list)
    for at, what, slug, worker in lines(log):
        if what == "begin":
            spans[slug].append((worker, None))
        elif what == "end":
            spans[slug][-1] = (worker, float(at))
    return spans


def assert_no_overlap(log: Path) -> None:
    """Work on a source begins only after the former work ended, or after its lease ran out."""
    open_since: dict[str, tuple[str, float]] = {}
    for at, what, slug, worker in lines(log):
        if what == "begin":
            if slug in open_since:
                other, began = open_since[slug]
                assert float(at) - began >= 1.5, f"{worker} and {other} worked on {slug} at once"
            open_since[slug] = (worker, float(at))
        elif what == "end":
            open_since.pop(slug)


def count(engine: Engine) -> int:
    with engine.connect() as connection:
        return int(connection.execute(select(func.count()).select_from(offer)).scalar_one())


def unfinished_jobs(engine: Engine) -> int:
    query = text(
        "SELECT count(*) FROM queue.procrastinate_jobs WHERE status = 'doing' AND task_name = 'work'"
    )
    with engine.connect() as connection:
        return int(connection.execute(query).scalar_one())
