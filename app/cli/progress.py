"""What a person at a terminal sees of a long refresh: which source, how much was heard, for how long."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)


@dataclass
class Hearing:
    """Counts what arrives. `source` and `host` are those of the moment, `heard` the bytes of that source, decompressed."""

    progress: Progress
    task: TaskID
    source: str = ""
    host: str = ""
    heard: int = 0

    def begin(self, slug: str) -> None:
        """The next source is asked; the one before is done."""
        if self.source:
            self.progress.advance(self.task)
        self.source, self.host, self.heard = slug, "", 0
        self._show()

    def hear(self, host: str, size: int) -> None:
        """`size` bytes came from a host. Fits `Manners.heard`."""
        self.host, self.heard = host, self.heard + size
        self._show()

    def _show(self) -> None:
        told = f"{self.source} · {self.host} · {megabytes(self.heard)}" if self.heard else self.source
        self.progress.update(self.task, description=told)


def megabytes(size: int) -> str:
    """Bytes as a person reads them: 0.4 MB, 412 MB."""
    return f"{size / 1e6:.1f} MB" if size < 100e6 else f"{size / 1e6:,.0f} MB"


@contextmanager
def hearing(sources: int, console: Console | None = None) -> Iterator[Hearing | None]:
    """A bar on stderr while the block runs; None where stderr is no terminal and nobody would see it. Lines that are
    written to `sys.stderr` inside the block stay above the bar."""
    console = console or Console(file=sys.stderr)
    if not console.is_terminal:
        yield None
        return
    columns = (
        SpinnerColumn(),
        BarColumn(24),
        MofNCompleteColumn(),
        TextColumn("{task.description}"),
        TimeElapsedColumn(),
    )
    with Progress(
        *columns, console=console, redirect_stdout=False, refresh_per_second=5, transient=True
    ) as progress:
        yield Hearing(progress, progress.add_task("", total=sources))
