"""The same jobs on any number of machines: procrastinate on PostgreSQL hands them out, leases keep them apart.

The queue only says "look at this source now". What is due stands in the table `provider`, and so does the back-off:
procrastinate's own retry can leave a job in `doing` for ever (its issues 1446, 1432, 1543). A task therefore always
succeeds; a job whose worker died is finished as failed, and its source, once the lease has run out, is due again.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

import procrastinate
from procrastinate import exceptions, jobs
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError

from app.db import leases
from app.workers.jobs import Foreman, Job, pause

log = logging.getLogger(__name__)

SCHEMA = "queue"
FIRST_WAIT_S = 0.5
LONGEST_WAIT_S = 30.0


@dataclass(frozen=True, slots=True)
class Pace:
    """How often workers look and how patient they are, in seconds. `stop_s` = how long a stopping worker lets its jobs
    run on; `dead_s` = silence after which a worker counts as dead."""

    dispatch_s: int = 5
    poll_s: float = 5.0
    heartbeat_s: float = 5.0
    dead_s: float = 20.0
    stop_s: float = 20.0
    at_once: int = 4


async def run_worker(
    url: str, foreman: Foreman, work: Mapping[str, Job], stop: asyncio.Event, pace: Pace | None = None
) -> None:
    """Work until `stop` is set; then take nothing new, let running jobs end, and hand back those that do not. A
    database that goes away is waited for.

    Args:
        url: the PostgreSQL database, migrated.
        work: every recurring job by slug; the same on all workers.
    """
    chosen = pace or Pace()
    wait = FIRST_WAIT_S
    while not stop.is_set():
        begun = time.monotonic()
        try:
            await asyncio.to_thread(leases.register, foreman.engine, work)
            await _work_until(stop, make_app(url, foreman, work, chosen), foreman.owner, chosen)
        except (DBAPIError, exceptions.ConnectorException) as error:
            log.warning("the database does not answer (%s)", type(error).__name__)
        wait = FIRST_WAIT_S if time.monotonic() - begun > LONGEST_WAIT_S else min(LONGEST_WAIT_S, 2 * wait)
        await pause(stop, wait)


async def _work_until(stop: asyncio.Event, app: procrastinate.App, name: str, pace: Pace) -> None:
    """Run procrastinate's worker; it also returns by itself when it has lost the database."""
    async with app.open_async():
        worker = asyncio.create_task(
            app.run_worker_async(
                name=name,
                concurrency=pace.at_once,
                fetch_job_polling_interval=pace.poll_s,
                update_heartbeat_interval=pace.heartbeat_s,
                stalled_worker_timeout=pace.dead_s,
                shutdown_graceful_timeout=pace.stop_s,
                delete_jobs=jobs.DeleteJobCondition.SUCCESSFUL,
                install_signal_handlers=False,
            )
        )
        stopped = asyncio.create_task(stop.wait())
        await asyncio.wait((worker, stopped), return_when=asyncio.FIRST_COMPLETED)
        stopped.cancel()
        if not worker.done():
            worker.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await worker


def make_app(url: str, foreman: Foreman, work: Mapping[str, Job], pace: Pace) -> procrastinate.App:
    """The queue's tasks: `dispatch` every few seconds on one worker, `work` for each source that is due."""
    connector = procrastinate.PsycopgConnector(
        conninfo=_conninfo(url), kwargs={"options": f"-c search_path={SCHEMA}"}
    )
    app = procrastinate.App(connector=connector)

    @app.task(name="work")
    async def do_work(slug: str) -> None:
        job = work.get(slug)
        if job is None:
            log.warning("%s: this worker does not know that source", slug)
            return
        try:
            await foreman.run(job)
        except Exception:  # a task always succeeds; the source is due again by our own table
            log.exception("%s: the job failed", slug)

    @app.periodic(cron=f"* * * * * */{pace.dispatch_s}")
    @app.task(name="dispatch", queueing_lock="dispatch", pass_context=False)
    async def dispatch(timestamp: int) -> None:
        await bury_dead(app, pace)
        for slug in await asyncio.to_thread(leases.due, foreman.engine, work, foreman.clock()):
            try:
                await do_work.configure(queueing_lock=slug).defer_async(slug=slug)
            except exceptions.AlreadyEnqueued:
                log.debug("%s: waits in the queue already", slug)

    return app


async def bury_dead(app: procrastinate.App, pace: Pace) -> None:
    """Finish the jobs of workers that died as failed, so that the queue's history tells the truth."""
    manager = app.job_manager
    for job in await manager.get_stalled_jobs(seconds_since_heartbeat=pace.dead_s):
        log.warning(
            "%s: its worker died; handed out again when the lease has run out", job.task_kwargs.get("slug")
        )
        await manager.finish_job(job, status=jobs.Status.FAILED, delete_job=False)
    await manager.delete_old_jobs(nb_hours=72, include_failed=True, include_aborted=True)


def lease_for(pace: Pace) -> timedelta:
    """A lease that outlives two missed heartbeats and ends about when a dead worker is noticed."""
    return timedelta(seconds=pace.dead_s)


def _conninfo(url: str) -> str:
    return make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
