"""The command that takes in dated files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from tests.market.test_dated import SKYPILOT, daily, write
from tests.test_cli import Said, database, rackrate

__all__ = ["database", "rackrate"]


def test_backfill_says_what_each_file_gave_and_leaves_the_offers(
    rackrate: Callable[..., Said], tmp_path: Path
) -> None:
    before = rackrate("offers", "per_page=5", "--json")[1]
    files = [write(tmp_path, "s.json", daily("2026-08-16")), write(tmp_path / "lambda", "vms.csv", SKYPILOT)]
    code, out, _ = rackrate("backfill", *files, "--date", "2026-05-20", "--json")
    reports = json.loads(out)
    assert code == 0
    assert [(report["source"], report["days"], report["points"]) for report in reports] == [
        ("skypilot", ["2026-05-20"], 1), ("gpurentalprices", ["2026-08-16"], 1),
    ]  # fmt: skip
    assert rackrate("offers", "per_page=5", "--json")[1] == before
    code, out, _ = rackrate("backfill", *files, "--date", "2026-05-20")
    assert code == 0
    assert "2026-08-16" in out


def test_backfill_refuses_a_file_that_it_does_not_know_in_one_line(
    rackrate: Callable[..., Said], tmp_path: Path
) -> None:
    code, out, err = rackrate("backfill", write(tmp_path, "x_2026-01-01.txt", "hello"))
    assert (code, out) == (2, "")
    assert err.startswith("rackrate: FILE: ")
    assert err.count("\n") == 1
