"""The embedded schedule: for SQLite, inside the web process. Leases keep a second process from doing the same work."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Mapping

from app.db import leases
from app.providers.port import Provider
from app.workers.chores import chores
from app.workers.jobs import Foreman, Job, pause
from app.workers.scrape import Scraper

log = logging.getLogger(__name__)

LOOK_EVERY_S = 5.0
AT_ONCE = 2
"""Jobs at the same time: SQLite has one writer, and the machine is also serving pages."""


def jobs_of(scraper: Scraper, providers: Mapping[str, Provider]) -> dict[str, Job]:
    """Every recurring job by slug: one per source, and the chores."""
    scrapes = [_scrape(scraper, provider) for provider in providers.values()]
    return {job.slug: job for job in (*scrapes, *chores(scraper))}


async def run_embedded(
    foreman: Foreman, jobs: Mapping[str, Job], stop: asyncio.Event, look_every_s: float = LOOK_EVERY_S
) -> None:
    """Do what is due, two jobs at a time, until `stop` is set; then running jobs are cancelled and due again at once.

    A job that raises is a bug: it is logged, and the others go on.
    """
    await asyncio.to_thread(leases.register, foreman.engine, jobs)
    running: dict[str, asyncio.Task[bool]] = {}
    try:
        while not stop.is_set():
            running = {slug: task for slug, task in running.items() if not task.done()}
            for slug in await _due(foreman, jobs, running):
                running[slug] = asyncio.create_task(_guarded(foreman, jobs[slug]), name=f"job {slug}")
            await pause(stop, look_every_s if len(running) < AT_ONCE else 0.2)
    finally:
        for task in running.values():
            task.cancel()
        await asyncio.gather(*running.values(), return_exceptions=True)


async def run_now(
    foreman: Foreman, jobs: Iterable[Job], begin: Callable[[str], object] | None = None
) -> list[str]:
    """Do these jobs one after the other, due or not; the slugs of those that somebody else is doing. `begin` is told
    of each before it starts."""
    chosen, busy = list(jobs), []
    await asyncio.to_thread(leases.register, foreman.engine, [job.slug for job in chosen])
    for job in chosen:
        if begin:
            begin(job.slug)
        if not await foreman.run(job, force=True):
            busy.append(job.slug)
    return busy


async def _due(foreman: Foreman, jobs: Mapping[str, Job], running: Mapping[str, object]) -> list[str]:
    if len(running) >= AT_ONCE:
        return []
    slugs = await asyncio.to_thread(leases.due, foreman.engine, jobs, foreman.clock())
    return [slug for slug in slugs if slug not in running][: AT_ONCE - len(running)]


async def _guarded(foreman: Foreman, job: Job) -> bool:
    try:
        return await foreman.run(job)
    except Exception:  # the schedule of the others must not end because of one job's bug
        log.exception("%s: the job failed", job.slug)
        return False


def _scrape(scraper: Scraper, provider: Provider) -> Job:
    async def work(fence: int) -> None:
        await scraper.scrape_provider(provider, fence)

    return Job(provider.card.slug, provider.card.interval_s, work)
