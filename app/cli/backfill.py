"""The command that takes in dated files of past prices."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from app.cli.commands import AsJson, cli
from app.cli.printing import print_table
from app.cli.shared import open_market, print_json
from app.market.backfill import backfill as take_in
from app.market.dated import read_files

SHOWN = ("name", "source", "offers", "refused", "points", "day_rows")


@cli.command()
def backfill(
    files: Annotated[list[Path], typer.Argument(metavar="FILE…", help="Dated files of offers")],
    day: Annotated[
        datetime | None,
        typer.Option("--date", formats=["%Y-%m-%d"], help="The day of files that state none"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Add past prices to the history; present prices and their age stay as they are. Formats: the bundled snapshot's
    own, gpurentalprices.com, SkyPilot catalog, OpenComputePrices, Azure retail prices, Cyclenerd's Google Cloud prices."""
    now = datetime.now(UTC)
    read = read_files(files, day.date() if day else None, now)
    _, market = open_market()
    reports = [take_in(market.engine, dated, now=now, catalog=market.catalog) for dated in read]
    if as_json:
        print_json(reports)
        return
    rows = (
        [getattr(report, name) for name in SHOWN] + [", ".join(map(str, report.days))] for report in reports
    )
    print_table((*(name.replace("_", " ") for name in SHOWN), "days"), rows)
