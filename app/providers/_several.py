"""Sources made of many files: one that fails leaves the others; when none answers, asking on is no use."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable

from app.domain.errors import Unreachable, UpstreamFault
from app.providers.port import Part, Payload

_PATIENCE = 5

Ask = Callable[[], Awaitable[Part]]


async def every_part(wanted: Iterable[tuple[str, Ask]]) -> Payload:
    """The parts that answered; the others by name in `unanswered`.

    Raises:
        UpstreamFault: none answered, or the first five did not.
    """
    parts: list[Part] = []
    silent: list[str] = []
    for name, ask in wanted:
        try:
            parts.append(await ask())
        except UpstreamFault:
            silent.append(name)
            if not parts and len(silent) == _PATIENCE:
                raise
    if not parts:
        raise Unreachable(f"none of {', '.join(silent)} answered")
    return Payload(tuple(parts), tuple(silent))
