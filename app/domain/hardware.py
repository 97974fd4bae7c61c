"""Hardware shapes: a node (accelerators + intra-node link + host) and a cluster (nodes + fabric)."""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.accelerator import Accelerator
from app.domain.sentence import Sentence


@dataclass(frozen=True, slots=True)
class IntraNodeLink:
    """How accelerators of one node reach each other.

    `kind`: `none` (one accelerator), `nvlink2…nvlink5+nvswitch`, `nvlink-bridge-2way`, `nvlink2`,
    `infinity-fabric`, `pcie3…pcie6`, `ici`, `neuronlink`, `roce-on-chip`; None = unknown.
    `gbytes_per_s` per accelerator, both directions. `domain_size` = accelerators joined at that rate
    (8 on an HGX board, 72 in NVL72, 2 for a bridged pair). `peer_to_peer` None = unknown.
    """

    kind: str | None
    gbytes_per_s: float | None
    domain_size: int
    peer_to_peer: bool | None
    source: str = ""


@dataclass(frozen=True, slots=True)
class Fabric:
    """Node-to-node network. `kind`: `efa`, `infiniband-*`, `roce`, `gpudirect-tcpx`, `ethernet`, `none`;
    None = unknown. `gbps_per_node` is gigabit per second of the accelerator fabric, one direction.
    `max_nodes` = the most nodes sold as one cluster (1 = no cluster, None = unknown)."""

    kind: str | None
    gbps_per_node: float | None
    max_nodes: int | None
    source: str = ""

    @property
    def proven(self) -> bool:
        """Both type and rate are known."""
        return self.kind is not None and self.gbps_per_node is not None


@dataclass(frozen=True, slots=True)
class Host:
    """CPU side of a node; None = unknown."""

    vcpus: float | None
    ram_gib: float | None
    local_disk_gb: float | None


@dataclass(frozen=True, slots=True)
class Node:
    """One rentable instance as hardware. `count` below 1 is a slice and never passes for a whole card.
    `assumed` lists figures that stand for an ambiguous accelerator (the lowest candidate was taken)."""

    accelerator: Accelerator
    count: float
    link: IntraNodeLink
    host: Host
    assumed: tuple[str | Sentence, ...] = ()


@dataclass(frozen=True, slots=True)
class Cluster:
    """`nodes` equal nodes joined by `fabric`."""

    node: Node
    nodes: int
    fabric: Fabric

    @property
    def world_size(self) -> int:
        """Accelerators in the cluster."""
        return int(self.node.count) * self.nodes
