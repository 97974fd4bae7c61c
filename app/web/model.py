"""One model as a view: its shape, the cheapest machines that hold a sensible run, and what those have cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup

from app.domain.errors import BadInput
from app.domain.model import ModelShape
from app.domain.run import Method, TrainingRun
from app.domain.sentence import N_, Sentence
from app.market.board import Board, per_board
from app.market.offers import OfferRow, Selection, ordered_rows, row_of, select
from app.market.query import OfferQuery
from app.market.service import Market
from app.web.histories import Line, medians_chart
from app.web.question import href

RUNS: tuple[tuple[Method, str], ...] = (
    ("qlora", N_("QLoRA")),
    ("lora", N_("LoRA")),
    ("full", N_("Full fine-tune")),
)
SHOWN: tuple[Method, ...] = ("qlora", "full")
MOST_MACHINES = 5
LOOKED_AT = 1_000
KEPT = 400
DRAWN = 3


@dataclass(frozen=True, slots=True)
class Holding:
    """The cheapest offers that hold a run, one a machine; or in `why_not` what keeps the run from being answered."""

    method: str
    title: str
    href: str
    rows: Sequence[tuple[OfferRow, str]]
    total: int
    why_not: Sentence | str | None = None


@dataclass(frozen=True, slots=True)
class ModelView:
    """What `model.html` shows. `run` has the defaults of the runs that are answered."""

    shape: ModelShape
    runs: Sequence[tuple[str, str]]
    holdings: Sequence[Holding]
    run: TrainingRun
    chart: Markup | None
    legend: Sequence[Line]


def model_view(market: Market, key: str) -> ModelView:
    """One model.

    Raises:
        NotFound: there is none with this key.
    """
    shape = market.catalog.model(key)
    queries = {method: OfferQuery.parse({"model": [key], "method": [method]}) for method, _ in RUNS}
    holdings = [
        _holding(market.board, market, queries[method], method, title)
        for method, title in RUNS
        if method in SHOWN
    ]
    keys = [row.record.accelerator for holding in holdings for row, _ in holding.rows]
    chart, legend = medians_chart(market, [key for key in dict.fromkeys(keys) if key][:DRAWN])
    run = queries[SHOWN[0]].run
    assert run is not None
    return ModelView(
        shape=shape,
        runs=[(method, href(queries[method])) for method, _ in RUNS],
        holdings=holdings,
        run=run,
        chart=chart,
        legend=legend,
    )


@per_board(KEPT)
def _holding(_board: Board, market: Market, query: OfferQuery, method: str, title: str) -> Holding:
    """Flagged prices take no part."""
    asked = query.with_(flagged="no", per_page=LOOKED_AT)
    try:
        selection = select(market, asked)
    except BadInput as error:
        return Holding(method, title, href(query), (), 0, error.sentence)
    linked = [
        (row, href(query, f"/offers/{row.id}"))
        for row in (row_of(selection, place) for place in _one_a_machine(selection, asked))
        if row["total_usd"] is not None
    ]
    return Holding(method, title, href(query), linked, int(np.count_nonzero(selection.chosen)))


def _one_a_machine(selection: Selection, asked: OfferQuery) -> list[int]:
    """Rows of the cheapest offers of different machines."""
    found: dict[int, int] = {}
    for row in ordered_rows(selection, asked):
        found.setdefault(int(selection.frame.board.machines.of_row[row]), row)
    return list(found.values())[:MOST_MACHINES]
