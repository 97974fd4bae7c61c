"""How the polite client behaves: its manners, its pace per host, and how it reads times in headers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from aiolimiter import AsyncLimiter

PRODUCT = "Rackrate"
Gate = Callable[[str], Awaitable[None]]
"""Waits until the host of that name may be asked; several workers can share one."""


@dataclass(frozen=True, slots=True)
class Manners:
    """How the client behaves. Times in seconds, sizes in MiB.

    `via` sends every request to one origin as `{via}/{host}/{path}`: a proxy, or a synthetic internet in tests.
    `heard` is told of every piece that arrives, by host and number of bytes: for a progress bar.
    """

    contact: str = ""
    timeout_s: float = 30.0
    total_s: float = 180.0
    stream_s: float = 3600.0
    attempts: int = 3
    first_wait_s: float = 1.0
    longest_wait_s: float = 60.0
    requests_per_minute: float = 60.0
    concurrency: int = 2
    max_mib: float = 96.0
    via: str | None = None
    heard: Callable[[str, int], object] | None = None

    @property
    def user_agent(self) -> str:
        """Who asks, and whom to write to."""
        return (
            f"{PRODUCT}/0.1 ({'+' + self.contact if self.contact else 'price comparison for GPU training'})"
        )


def own_pace(manners: Manners) -> Gate:
    """A pace per host for one process, with room for a small burst."""
    burst = max(1.0, min(10.0, manners.requests_per_minute / 6))
    limiters: dict[str, AsyncLimiter] = {}

    async def wait(host: str) -> None:
        if host not in limiters:
            limiters[host] = AsyncLimiter(burst, 60.0 * burst / manners.requests_per_minute)
        await limiters[host].acquire()

    return wait


def seconds_asked(header: str | None) -> float | None:
    """Seconds that a Retry-After header asks for, given as seconds or as a date."""
    if not header:
        return None
    if header.strip().isdigit():
        return float(header)
    date = http_date(header)
    return None if date is None else max(0.0, (date - datetime.now(UTC)).total_seconds())


def http_date(header: str | None) -> datetime | None:
    """The moment an HTTP date names; None where it names none."""
    try:
        date = parsedate_to_datetime(header or "")
    except ValueError:
        return None
    return date if date.tzinfo else date.replace(tzinfo=UTC)
