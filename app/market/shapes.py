"""The distinct hardware shapes behind the offers: thousands of offers are a few hundred machines (design rule 7)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from app.domain.accelerator import RATES, Accelerator
from app.domain.figures import plain
from app.domain.hardware import Cluster, Fabric, Host, IntraNodeLink, Node
from app.domain.record import OfferRecord
from app.domain.sentence import N_, Sentence
from app.market.board import Board, per_board
from app.training.machine import SLOWEST_FABRIC_GBPS

if TYPE_CHECKING:
    from app.catalog import Catalog

CHECKED_VENDORS = frozenset({"nvidia", "amd"})
UNKNOWN_HOST = Host(None, None, None)
ALONE = Fabric("none", None, 1, "a part of a card is rented alone")


@dataclass(frozen=True, slots=True)
class HardwareShape:
    """One distinct machine. `cluster` (one node, its fabric) is None where it cannot be judged, and `trouble` is
    then the reason code and `why` its sentence. Host figures are left out: they are joined per offer."""

    cluster: Cluster | None
    label: str
    trouble: str = ""
    why: Sentence | None = None
    assumed: tuple[str | Sentence, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class HardwareIndex:
    """`shapes` and for every row of the board the index of its shape, (n,)."""

    shapes: tuple[HardwareShape, ...]
    of_row: npt.NDArray[np.int64]


@per_board(2)
def hardware_index(board: Board, catalog: Catalog) -> HardwareIndex:
    """The distinct shapes of a board, in order of first appearance."""
    shapes = (shape_of_record(board.records[row], catalog) for row in board.machines.firsts)
    return HardwareIndex(tuple(shapes), board.machines.of_row)


def shape_of_record(record: OfferRecord, catalog: Catalog) -> HardwareShape:
    """The machine behind one offer. An ambiguous name is computed with its lowest candidate, marked as assumed."""
    label = _label(record)
    keys = (record.accelerator,) if record.accelerator else record.candidates
    cards = [catalog.accelerator(key) for key in keys if key]
    if not cards:
        why = Sentence(
            N_("nothing is known about an accelerator called {name}"), {"name": record.accelerator_label}
        )
        return HardwareShape(None, label, "accelerator_unknown", why)
    card, assumed = cards[0], tuple[str | Sentence, ...]()
    if len(cards) > 1:
        card, assumed = catalog.lowest_of(record.candidates, record.accelerator_label)
    if card.vendor not in CHECKED_VENDORS:
        why = Sentence(
            N_("the formulas are checked on NVIDIA and AMD accelerators; {name} is neither"),
            {"name": card.name},
        )
        return HardwareShape(None, label, "accelerator_unknown", why)
    if record.accelerator_count < 1 or record.accelerator_status == "slice":
        return _slice(record, card, label)
    node = Node(card, record.accelerator_count, _link(record), UNKNOWN_HOST, assumed)
    return HardwareShape(Cluster(node, 1, _fabric(record)), label, assumed=assumed)


def assumed_links(cluster: Cluster) -> tuple[Sentence, ...]:
    """Which links stand in for unknown ones in the time of a step, in words."""
    found = []
    if cluster.node.count > 1 and cluster.node.link.kind is None:
        found.append(Sentence(N_("PCIe without peer-to-peer between the accelerators")))
    if cluster.nodes > 1 and cluster.fabric.gbps_per_node is None:
        rate = {"rate": plain(SLOWEST_FABRIC_GBPS)}
        found.append(Sentence("a plain {rate} Gbit/s network between the nodes", rate))
    return tuple(found)


def _slice(record: OfferRecord, card: Accelerator, label: str) -> HardwareShape:
    """A part of a card as a small card of its own: its memory, and its share of compute and bandwidth."""
    share, memory = record.accelerator_count, record.memory_gib_per_accelerator
    if memory is None or not 0 < share < 1:
        why = Sentence(N_("a part of a {name}; how much memory it has is not known"), {"name": card.name})
        return HardwareShape(None, label, "slice", why)
    rates = {name: value * share for name in RATES if (value := getattr(card, name)) is not None}
    part = replace(card, name=f"{plain(share, 3)} of a {card.name}", memory_gib=memory, **rates)
    assumed = (Sentence("{share} of the card's rate", {"share": plain(share, 3)}),)
    node = Node(part, 1, IntraNodeLink("none", None, 1, None), UNKNOWN_HOST, assumed)
    return HardwareShape(Cluster(node, 1, ALONE), label, assumed=assumed)


def _label(record: OfferRecord) -> str:
    if record.accelerator_status == "slice" and record.accelerator_count < 1:
        return record.accelerator_label  # says the share itself
    return f"{plain(record.accelerator_count, 3)}× {record.accelerator_label}"


def _link(record: OfferRecord) -> IntraNodeLink:
    if record.accelerator_count == 1:
        return IntraNodeLink("none", None, max(record.link_domain, 1), None)
    return IntraNodeLink(
        record.intra_node_link,
        record.intra_node_gbytes_per_s,
        max(record.link_domain, 1),
        record.peer_to_peer,
    )


def _fabric(record: OfferRecord) -> Fabric:
    return Fabric(record.fabric, record.fabric_gbps, record.max_nodes)
