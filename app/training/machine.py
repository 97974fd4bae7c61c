"""Machines: what the time of a step needs to know of hardware, as one struct of arrays.

Rates are *effective* ones: vendor figures times the share that large collectives reach (assumptions
`link_share.*`, `fabric_share.*`). Rates are per accelerator and one way, in bytes per second.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from app.domain.accelerator import Accelerator
from app.domain.hardware import Cluster, Fabric, IntraNodeLink
from app.domain.units import GB, TFLOP, gbytes_per_s_from_gbps
from app.training.assumptions_time import FAMILIES, value_of

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

PRECISIONS = ("bf16", "fp16", "fp32", "fp8", "mxfp8", "fp4", "fp8+fp4")
PCIE_GBYTES_PER_S = {1: 4.0, 2: 8.0, 3: 15.75, 4: 31.5, 5: 63.0, 6: 126.0}
SLOWEST_FABRIC_GBPS = 10.0
_KNOWN_SHARES = ("nvlink3", "nvlink4", "nvlink5", "xgmi")


@dataclass(frozen=True, slots=True)
class Machines:
    """Clusters as equal-length arrays, shape (n,); row i goes with row i of the layouts (or n = 1 with all).

    `family` indexes FAMILIES. `flops` has shape (n, len(PRECISIONS)), peak dense FLOP/s; 0 where the
    accelerator cannot. `link` serves `domain` accelerators; `node_link` the rest of a node; `fabric` is one
    accelerator's part of its node's network. `size` = accelerators in all. `*_known` is 0 where a figure stands
    in for an unknown one (taken at the pessimistic end).
    """

    family: IntArray
    flops: FloatArray
    hbm: FloatArray
    link: FloatArray
    node_link: FloatArray
    fabric: FloatArray
    host: FloatArray
    domain: IntArray
    node_size: IntArray
    nodes: IntArray
    link_known: BoolArray
    fabric_known: BoolArray
    tcp: BoolArray

    def __len__(self) -> int:
        return int(self.family.shape[0])

    @property
    def size(self) -> IntArray:
        """Accelerators of each cluster, shape (n,)."""
        return self.node_size * self.nodes

    def take(self, which: npt.NDArray[Any]) -> Machines:
        """The machines at the given indices (repeats allowed) or mask."""
        return replace(self, **{f.name: getattr(self, f.name)[which] for f in fields(self)})


def machines_of(*clusters: Cluster) -> Machines:
    """Arrays from clusters. A slice (count below 1) counts as one accelerator; its rates are the caller's to cut."""
    rows = [_row(cluster) for cluster in clusters]
    columns: dict[str, Any] = {
        f.name: np.asarray([row[f.name] for row in rows], dtype=_dtype(f.name)) for f in fields(Machines)
    }
    columns["flops"] = columns["flops"].reshape(-1, len(PRECISIONS))
    return Machines(**columns)


def peaks_of(accelerator: Accelerator) -> list[float]:
    """Peak dense FLOP/s by PRECISIONS; a format that is missing runs at the next rate up, 0 = no rate is known."""
    fp32 = accelerator.tf32_tflops or accelerator.fp32_tflops or 0.0
    half = accelerator.bf16_tflops or accelerator.fp16_tflops or fp32
    fp16 = accelerator.fp16_tflops or half
    fp8 = accelerator.fp8_tflops or half
    fp4 = accelerator.fp4_tflops or fp8
    return [value * TFLOP for value in (half, fp16, fp32, fp8, fp8, fp4, fp8)]


def family_of(accelerator: Accelerator) -> str:
    """The efficiency family of an accelerator: by architecture, board and whether the part is power-bound.

    An architecture without measured cases falls to the family of its vendor, at low confidence.
    """
    arch, form = accelerator.architecture, accelerator.form_factor
    bandwidth = accelerator.memory_bandwidth_gbytes_per_s or 0.0
    stacked = (accelerator.memory_type or "").upper().startswith("HBM")
    desk = "consumer" if form == "consumer" else "gddr"
    if arch == "ampere":
        return f"ampere-hbm-{'sxm' if form == 'sxm' else 'pcie'}" if stacked else f"ampere-{desk}"
    if arch == "hopper":
        if bandwidth >= 4400:
            return "hopper-sxm-large"
        return "hopper-pcie" if form in ("pcie", "nvl") else "hopper-sxm"
    if arch.startswith("blackwell"):
        return f"{arch}-{form}" if form in ("sxm", "superchip") else f"blackwell-{desk}"
    if arch == "cdna3":
        return "cdna3-large" if bandwidth > 5500 else "cdna3"
    if arch == "ada" and desk == "gddr" and (accelerator.bf16_tflops or 0.0) < 250.0:
        desk = "gddr-half-rate"
    known = {"ada": f"ada-{desk}", "cdna1": "cdna2"}
    return known.get(arch, arch if arch in FAMILIES else "other")


def _row(cluster: Cluster) -> dict[str, Any]:
    node, accelerator = cluster.node, cluster.node.accelerator
    count = max(1, int(node.count))
    link, link_known = _link_rate(node.link, accelerator)
    pcie = _pcie_rate(accelerator, bool(node.link.peer_to_peer))
    domain = max(1, min(node.link.domain_size, count * cluster.nodes)) if link_known else 1
    bus = _is_bus(node.link.kind)
    fabric, fabric_known = _fabric_rate(cluster.fabric)
    return {
        "family": FAMILIES.index(family_of(accelerator)),
        "flops": peaks_of(accelerator),
        "hbm": (accelerator.memory_bandwidth_gbytes_per_s or 200.0) * GB,
        "link": link,
        "node_link": link if bus or domain >= count else min(link, pcie),
        "fabric": fabric / count,
        "host": _pcie_rate(accelerator, True) * value_of("host_copy_share"),
        "domain": count if bus else domain,
        "node_size": count,
        "nodes": cluster.nodes,
        "link_known": link_known,
        "fabric_known": fabric_known,
        "tcp": not _is_rdma(cluster.fabric),
    }


def _is_bus(kind: str | None) -> bool:
    return kind is not None and kind.startswith("pcie")


def _is_rdma(fabric: Fabric) -> bool:
    return fabric.kind is not None and fabric.kind not in ("ethernet", "none")


def _link_rate(link: IntraNodeLink, accelerator: Accelerator) -> tuple[float, bool]:
    """Effective bytes/s per accelerator inside the link domain, and whether the figure is known."""
    kind = link.kind
    if kind is None:
        return _pcie_rate(accelerator, False), False
    if kind == "none":
        return (accelerator.memory_bandwidth_gbytes_per_s or 200.0) * GB, True
    if _is_bus(kind):
        generation = int(kind[4:5]) if kind[4:5].isdigit() else accelerator.pcie_generation
        nominal = link.gbytes_per_s / 2 if link.gbytes_per_s else PCIE_GBYTES_PER_S[generation or 3]
        share = value_of("link_share.pcie_p2p" if link.peer_to_peer else "link_share.pcie_bounced")
        return nominal * share * GB, True
    rate = link.gbytes_per_s or accelerator.link_gbytes_per_s
    if rate is None:
        return _pcie_rate(accelerator, False), False
    name = "xgmi" if kind.startswith("infinity") else kind.split("+")[0]
    share = value_of(f"link_share.{name if name in _KNOWN_SHARES else 'other'}")
    return rate / 2 * share * GB, True


def _pcie_rate(accelerator: Accelerator, peer_to_peer: bool) -> float:
    nominal = PCIE_GBYTES_PER_S[accelerator.pcie_generation or 3]
    return nominal * value_of("link_share.pcie_p2p" if peer_to_peer else "link_share.pcie_bounced") * GB


def _fabric_rate(fabric: Fabric) -> tuple[float, bool]:
    """Effective bytes/s per node and whether it is known. Unknown or absent: a plain 10 Gbit/s network."""
    known = fabric.gbps_per_node is not None
    gbps = fabric.gbps_per_node if fabric.gbps_per_node is not None else SLOWEST_FABRIC_GBPS
    share = value_of("fabric_share.rdma" if _is_rdma(fabric) else "fabric_share.tcp")
    return gbytes_per_s_from_gbps(gbps) * GB * share, known


def _dtype(name: str) -> type:
    if name in ("link_known", "fabric_known", "tcp"):
        return np.bool_
    return np.int64 if name in ("family", "domain", "node_size", "nodes") else np.float64
