"""A person at a terminal sees how far a refresh is; a file or a pipe gets none of it."""

from __future__ import annotations

import io
import os
import pty
import subprocess
import sys
from pathlib import Path

from rich.console import Console

from app.cli.progress import hearing, megabytes
from tests.providers.internet import served


def test_a_bar_names_source_host_and_bytes() -> None:
    screen = io.StringIO()
    with hearing(2, Console(file=screen, force_terminal=True, width=100)) as bar:
        assert bar is not None
        bar.begin("aws")
        bar.hear("pricing.example", 300_000_000)
        bar.hear("pricing.example", 112_000_000)
        assert bar.progress.tasks[0].description == "aws · pricing.example · 412 MB"
        bar.begin("oci")
        assert (bar.progress.tasks[0].completed, bar.heard) == (1, 0)
    assert "aws" in screen.getvalue() or "oci" in screen.getvalue()


def test_nobody_watching_is_shown_nothing() -> None:
    file = io.StringIO()
    with hearing(2, Console(file=file)) as bar:
        assert bar is None
    assert file.getvalue() == ""


def test_sizes_are_megabytes() -> None:
    assert [megabytes(size) for size in (0, 412_000, 99_950_000, 1_234_567_890)] == [
        "0.0 MB",
        "0.4 MB",
        "100.0 MB",
        "1,235 MB",
    ]


def _refresh(folder: Path, *, terminal: bool) -> str:
    with served("vultr") as internet:
        environment = {
            **os.environ,
            "RACKRATE_VIA": internet.origin,
            "RACKRATE_DATABASE_URL": f"sqlite:///{folder / 'bar.sqlite3'}",
            "TERM": "xterm",
        }
        command = [str(Path(sys.executable).with_name("rackrate")), "refresh", "vultr"]
        if not terminal:
            return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stderr
        master, slave = pty.openpty()
        with subprocess.Popen(command, env=environment, stdout=slave, stderr=slave) as process:
            os.close(slave)
            heard = _all_of(master)
        assert process.returncode == 0
        return heard


def _all_of(master: int) -> str:
    pieces = []
    try:
        while piece := os.read(master, 4096):
            pieces.append(piece)
    except OSError:  # the other end is closed: Linux says so with EIO
        pass
    finally:
        os.close(master)
    return b"".join(pieces).decode(errors="replace")


def test_the_command_draws_a_bar_on_a_terminal_and_none_into_a_pipe(tmp_path: Path) -> None:
    seen = _refresh(tmp_path, terminal=True)
    assert "vultr" in seen and "/1" in seen and "HTTP Request" not in seen
    piped = _refresh(tmp_path, terminal=False)
    assert "━" not in piped and "vultr: ok" in piped
