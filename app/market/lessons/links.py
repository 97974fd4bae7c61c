"""The lesson on links: one run, laid out in one way, on machines that differ in how their accelerators are joined."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.market.estimating import Estimates
from app.market.lessons.basis import FULL_8B, Basis, estimates_of, fit_query, question, rows_of
from app.training.fit import Verdict

if TYPE_CHECKING:
    from app.market.service import Market
    from app.market.shapes import HardwareShape

SHARDED = {
    "sharding": "full", "tensor_parallel": "1", "pipeline_parallel": "1", "context_parallel": "1",
    "micro_batch_size": "1",
}  # fmt: skip
"""Laid out the same everywhere, so that only the link differs: the search would avoid a slow one."""
IN_NODE: Mapping[str, str] = {**FULL_8B, **SHARDED}
BETWEEN: Mapping[str, str] = {**FULL_8B, **SHARDED, "model": "llama-3.1-70b", "max_nodes": "8"}
CARD = "h100-sxm5-80gb"
CARDS_IN_NODE = 8


@dataclass(frozen=True, slots=True)
class LinkRow:
    """One machine. `link` is the link or network in the words of the table, `rate` its GB/s both ways or Gb/s.
    `waiting` = share of a step that waits for communication; `tokens_per_s` of one accelerator; `freed` the same with
    the layout left to the search, None where that holds nothing."""

    machine: str
    link: str
    rate: float | None
    nodes: int
    waiting: float
    tokens_per_s: float
    verdict: str
    freed: float | None
    basis: Basis


@dataclass(frozen=True, slots=True)
class LinkLesson:
    """`inside`: by link of a node of eight; `between`: by network of eight H100; both empty where nothing of the kind is
    on offer. The queries ask the fit page about the two runs."""

    inside: tuple[LinkRow, ...]
    between: tuple[LinkRow, ...]
    card: str
    inside_model: str
    between_model: str
    inside_query: str
    between_query: str


def link_lesson(market: Market) -> LinkLesson:
    """The same run on fast and slow links."""
    models = market.catalog.models
    return LinkLesson(
        inside=_inside(market),
        between=_between(market),
        card=market.catalog.accelerator(CARD).name,
        inside_model=models[IN_NODE["model"]].name,
        between_model=models[BETWEEN["model"]].name,
        inside_query=fit_query(**IN_NODE),
        between_query=fit_query(**BETWEEN),
    )


def _inside(market: Market) -> tuple[LinkRow, ...]:
    """For every kind of link the machine of eight with most offers that this layout runs on."""
    table, free = estimates_of(market, **IN_NODE), estimates_of(market, **FULL_8B)
    found = _commonest(market, table, lambda shape: shape.cluster and shape.cluster.node.link.kind)
    rows = []
    for kind, index in found.items():
        node = table.hardware.shapes[index].cluster.node  # type: ignore[union-attr]
        asked: dict[str, object] = {"accelerator": node.accelerator.key, "intra_node_link": kind}
        rows.append(
            _row(market, (table, free), index, (str(kind), node.link.gbytes_per_s), {**IN_NODE, **asked})
        )
    return tuple(sorted(rows, key=lambda row: row.waiting))


def _between(market: Market) -> tuple[LinkRow, ...]:
    """For every known network of eight H100 what the run does on as many nodes as it takes."""
    table, free = estimates_of(market, **BETWEEN), estimates_of(market, **_unsharded(BETWEEN))
    found = _commonest(market, table, _network, CARD)
    rows = []
    for index in found.values():
        fabric = table.hardware.shapes[index].cluster.fabric  # type: ignore[union-attr]
        asked: dict[str, object] = {"accelerator": CARD, "fabric": fabric.kind}
        if fabric.gbps_per_node is not None:
            asked["fabric_gbps"] = f"{fabric.gbps_per_node:g}"
        rows.append(
            _row(market, (table, free), index, (str(fabric.kind), fabric.gbps_per_node), {**BETWEEN, **asked})
        )
    return tuple(sorted(rows, key=lambda row: row.waiting))


def _network(shape: HardwareShape) -> Hashable:
    fabric = shape.cluster.fabric if shape.cluster else None
    if fabric is None or fabric.kind in (None, "none"):
        return None
    return fabric.kind, fabric.gbps_per_node


def _unsharded(asked: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in asked.items() if name not in SHARDED}


def _commonest(
    market: Market, table: Estimates, kind_of: Callable[[HardwareShape], Hashable], key: str | None = None
) -> dict[Hashable, int]:
    """Kind of link → the whole machine of CARDS_IN_NODE with most offers of which a time is known."""
    offers = Counter(table.hardware.of_row.tolist())
    best: dict[Hashable, int] = {}
    for index, shape in enumerate(table.hardware.shapes):
        node = shape.cluster.node if shape.cluster else None
        kind = kind_of(shape)
        if node is None or not kind or node.count != CARDS_IN_NODE or shape.assumed:
            continue
        if table.verdicts[index].time is None or (key and node.accelerator.key != key):
            continue
        if kind not in best or offers[index] > offers[best[kind]]:
            best[kind] = index
    return best


def _row(
    market: Market,
    tables: tuple[Estimates, Estimates],
    index: int,
    link: tuple[str, float | None],
    asked: Mapping[str, object],
) -> LinkRow:
    shape, verdict = tables[0].hardware.shapes[index], tables[0].verdicts[index]
    assert verdict.time is not None
    query = question(**asked, accelerator_count=CARDS_IN_NODE, show_hidden=1)
    return LinkRow(
        machine=shape.label,
        link=link[0],
        rate=link[1],
        nodes=verdict.nodes,
        waiting=verdict.time["exposed_communication_s"] / verdict.time["step_s"],
        tokens_per_s=verdict.time["tokens_per_s_per_accelerator"],
        verdict=verdict.verdict,
        freed=_freed(tables[1].verdicts[index]),
        basis=Basis.over(market, rows_of(market, query), query),
    )


def _freed(verdict: Verdict) -> float | None:
    return verdict.time["tokens_per_s_per_accelerator"] if verdict.time and verdict.holds else None
