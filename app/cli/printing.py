"""Answers as tables for a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from rich.console import Console
from rich.table import Table

from app.cli.shared import say
from app.market.offers import OfferPage

SHOWN_ROWS = 40
PIPED_WIDTH = 320
OF_A_ROW = ("id", "predicted", "measured", "error", "low", "high", "quality", "outcome", "verdict")
OF_A_GROUP = ("rows", "median_abs_error", "p90_abs_error", "bias", "within_10", "within_20")


def print_table(titles: Iterable[str], rows: Iterable[Iterable[Any]], above: str = "") -> None:
    """A table on stdout, as wide as the terminal; wide enough for everything when piped."""
    table = Table(*titles)
    for row in rows:
        table.add_row(*map(_cell, row))
    console = Console(width=None if sys.stdout.isatty() else PIPED_WIDTH)
    console.print(*([above] if above else []), table, sep="\n", markup=False)


def print_offers(page: OfferPage) -> None:
    """The first rows of a page and what the run hides."""
    titles = [column.label + (f" ({column.unit})" if column.unit else "") for column in page.columns]
    rows = ([row.cells[column.name] for column in page.columns] for row in page.rows[:SHOWN_ROWS])
    print_table(titles, rows, str(page.caption))
    if page.total > SHOWN_ROWS:
        say(f"{min(SHOWN_ROWS, len(page.rows))} of {page.total} offers; --csv and --json print more")
    if page.hidden:
        say("hidden: " + ", ".join(f"{count} {reason}" for reason, count in page.hidden.items()))


def print_fit(body: Mapping[str, Any]) -> None:
    """The answer for a run, the cheapest offer of each hardware, and what else would do."""
    held = [answer for answer in body["hardware"] if answer.offer]
    told = {(answer.label, str(answer.plan)): answer for answer in reversed(held)}
    shown = [answer for answer in held if told[answer.label, str(answer.plan)] is answer][:SHOWN_ROWS]
    print_table(
        ("hardware", "fit", "plan", "tokens/s", "hours", "USD", "cheapest offer", "doubts"),
        (
            (
                answer.label, answer.verdict, answer.plan, (answer.time or {}).get("tokens_per_s"),
                answer.cost["hours"], answer.cost["total_usd"], answer.offer, ", ".join(answer.doubts),
            )
            for answer in shown
        ),
        body["why"],
    )  # fmt: skip
    if len(shown) < len(held):
        say(f"{len(shown)} of {len(held)} kinds of hardware; --json prints all")
    for lever in body["levers"]:
        print(f"- {lever.text}" + ("" if lever.fit == "does_not_fit" else f" ({lever.fit})"))


def print_accuracy(scored: Mapping[str, Any]) -> None:
    """Row by row, group by group, what was not taken and why, and at the end the whole."""
    rows = scored.get("predictions", ())
    if rows:
        print_table(OF_A_ROW, ([_figure(name, row.get(name)) for name in OF_A_ROW] for row in rows))
    groups = scored.get("groups", {})
    if groups:
        print_table(
            ("group", *OF_A_GROUP),
            ((name, *(_figure(one, told.get(one)) for one in OF_A_GROUP)) for name, told in groups.items()),
        )
    for mistake in scored.get("mistakes", ()):
        print("wrong: " + ", ".join(f"{name} {value}" for name, value in mistake.items()))
    for row, reason in scored.get("not_scored", {}).items():
        print(f"not taken: {row}: {reason}")
    whole = ((name, value) for name, value in scored.items() if not isinstance(value, list | Mapping))
    print_table(("figure", "value"), ((name, _figure(name, value)) for name, value in whole))


def _figure(name: str, value: Any) -> Any:
    """A share or an error in percent, anything else as it is."""
    share = any(word in name for word in ("error", "bias", "within", "coverage"))
    return f"{value:.1%}" if share and isinstance(value, float) else value


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
    return value.strftime("%Y-%m-%d") if isinstance(value, datetime) else str(value)
