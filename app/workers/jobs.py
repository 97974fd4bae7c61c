"""A piece of recurring work, done by one worker at a time: under a lease that is renewed while it runs."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sqlalchemy import Engine

from app.db import leases
from app.domain.errors import LeaseLost

log = logging.getLogger(__name__)

FIRST_WAIT_S = 60
JITTER = 0.1
Clock = Callable[[], datetime]


@dataclass(frozen=True, slots=True)
class Job:
    """`work` gets the fence number of its lease; it records its own failures and raises only for bugs."""

    slug: str
    interval_s: int
    work: Callable[[int], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Foreman:
    """Who works: database, a name that tells workers apart, how long a lease lasts, and the clock."""

    engine: Engine
    owner: str
    lease: timedelta = timedelta(seconds=60)
    clock: Clock = lambda: datetime.now(UTC)

    async def run(self, job: Job, force: bool = False) -> bool:
        """Do a job if it is due (or `force`d) and nobody else does it; says whether it was done.

        When the lease is lost the work is cancelled. When this task is cancelled (the worker stops), the job is due
        again at once for somebody else; when it raises, it is due again in a minute.
        """
        fence = await asyncio.to_thread(
            leases.acquire, self.engine, job.slug, self.owner, self.clock(), self.lease, force
        )
        if fence is None:
            return False
        due = self.clock()
        try:
            await self._work(job, fence)
            failures = await asyncio.to_thread(leases.failures, self.engine, job.slug)
            due = next_due(self.clock(), job.interval_s, failures)
        except Exception:
            due = next_due(self.clock(), job.interval_s, failures=1)
            raise
        finally:
            await asyncio.shield(asyncio.to_thread(leases.give_up, self.engine, job.slug, fence, due))
        return True

    async def _work(self, job: Job, fence: int) -> None:
        work = asyncio.ensure_future(job.work(fence))
        renewal = asyncio.create_task(self._renew(job, fence, work))
        try:
            await work
        except asyncio.CancelledError:
            if not renewal.done():
                raise
            log.warning("%s: another worker has taken over", job.slug)
        except LeaseLost as error:
            log.warning("%s", error)
        finally:
            renewal.cancel()
            work.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await renewal

    async def _renew(self, job: Job, fence: int, work: asyncio.Future[None]) -> None:
        while True:
            await asyncio.sleep(self.lease.total_seconds() / 3)
            held = await asyncio.to_thread(
                leases.renew, self.engine, job.slug, fence, self.clock(), self.lease
            )
            if not held:
                work.cancel()
                return


def next_due(now: datetime, interval_s: int, failures: int, spread: float | None = None) -> datetime:
    """When a job is due again: after its interval; after failures sooner, but each time later (1, 2, 4, … minutes),
    and never later than the interval. Spread by up to ±10 % so that workers do not march in step.

    Args:
        spread: position in that band from -1 to 1; random by default.
    """
    wait = float(interval_s)
    if failures:
        wait = min(wait, FIRST_WAIT_S * 2.0 ** min(failures - 1, 20))
    place = random.uniform(-1, 1) if spread is None else spread
    return now + timedelta(seconds=wait * (1 + JITTER * place))


async def pause(stop: asyncio.Event, seconds: float) -> None:
    """Wait, but not longer than until `stop` is set."""
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(stop.wait(), seconds)
