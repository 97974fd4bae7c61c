"""Sources made of many files: one that fails leaves the others; when none answers, asking on is no use."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator

from app.domain.errors import ShapeDrift, Unreachable, UpstreamFault
from app.providers._reading import Harvest
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


def every_table(
    harvest: Harvest, payload: Payload, needed: Iterable[str], provider_of: Callable[[Part], str]
) -> Iterator[tuple[Part, list[dict[str, str]]]]:
    """The parts that are tables with rows; of the others the harvest notes which provider they leave silent.

    Raises:
        ShapeDrift: no part is.
    """
    readable = 0
    for part in payload.parts:
        try:
            rows = harvest.csv_rows(part, needed)
        except ShapeDrift as drift:
            harvest.silent(provider_of(part), str(drift))
            continue
        if rows:
            readable += 1
            yield part, rows
        else:
            harvest.silent(provider_of(part), f"{part.name}: a file without rows")
    if payload.parts and not readable:
        raise ShapeDrift("no file holds a row")
