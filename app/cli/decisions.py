"""Commands that help decide: choices among offers, rent or buy, and one's own trial."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any
from urllib.parse import parse_qs

import typer

from app.api.decisions import choices_body, rent_or_buy_body, trial_body
from app.cli.commands import AsJson, cli
from app.cli.printing import print_table
from app.cli.shared import open_market, print_json, read_run
from app.domain.errors import BadInput
from app.market.query import OfferQuery
from app.market.rent_or_buy import PurchaseCase

SHOWN = (
    "accelerator_count",
    "accelerator",
    "provider",
    "purchase_option",
    "region",
    "hours",
    "total_usd",
    "id",
)


@cli.command()
def choices(
    query: Annotated[str, typer.Argument(help="Query string with a training run, as in the page's address")],
    as_json: AsJson = False,
) -> None:
    """List the offers that no other beats in both hours and dollars, the cheapest first; 1 if there are none."""
    question = OfferQuery.parse(query)
    _, market = open_market()
    body = choices_body(market, question)
    if as_json:
        print_json(body)
    else:
        named = {"cheapest": "cheapest", "fastest_within_budget": "fastest within budget",
                 "cheapest_within_deadline": "cheapest within the deadline"}  # fmt: skip
        rows = [(words, body[name]) for name, words in named.items() if body[name]]
        rows += [("front", pick) for pick in body["front"]]
        titles = ("choice", *(name.replace("_", " ") for name in SHOWN))
        print_table(titles, ((words, *(pick[name] for name in SHOWN)) for words, pick in rows))
    if not body["front"]:
        raise typer.Exit(1)


@cli.command("rent-or-buy")
def rent_or_buy(
    case: Annotated[str, typer.Argument(help="Query string: accelerator=h100-sxm5-80gb&utilisation=0.6")],
    as_json: AsJson = False,
) -> None:
    """Compare owning an accelerator with the cheapest live offers."""
    asked = {name: values[-1] for name, values in parse_qs(case, keep_blank_values=True).items()}
    wanted = PurchaseCase.from_fields(asked)
    _, market = open_market()
    body = rent_or_buy_body(market.rent_or_buy(wanted))
    if as_json:
        print_json(body)
        return
    print_table(
        ("rent", "provider", "rented USD/h", "owned USD/h", "months", "price -30 %", "price +30 %", "least use"),
        (
            (
                rent["kind"], rent["provider"], rent["usd_per_hour"], rent["expected"].own_usd_per_hour,
                *(rent[side].break_even_months for side in ("expected", "low", "high")),
                rent["expected"].break_even_utilisation,
            )
            for rent in body["rents"]
        ),
        body["why"],
    )  # fmt: skip


@cli.command()
def trial(
    run: Annotated[
        str, typer.Argument(metavar="RUN.json", help="A run with measured_* fields; - reads stdin")
    ],
    smi: Annotated[
        Path | None, typer.Option("--nvidia-smi", help="Output of nvidia-smi --query-gpu=… --format=csv")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Say what bounded a trial of one's own and what it corrects."""
    given: dict[str, Any] = {"run": read_run(run).to_fields()}
    if smi is not None:
        if not smi.is_file():
            raise BadInput("--nvidia-smi", f"there is no file {smi}")
        given["nvidia_smi"] = smi.read_text(encoding="utf-8", errors="replace")
    _, market = open_market()
    body = trial_body(market, given)
    if as_json:
        print_json(body)
        return
    if body["diagnosis"] is not None:
        print(body["diagnosis"].why)
    print(body["calibration"] or "no measured speed or peak: nothing is corrected")
