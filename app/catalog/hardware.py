"""From an instance type to its links, node network and host: each fact from the strongest source, and said so.

The order: what the offer itself states, the topology table, the table of fabrics, then a rule by accelerator.
What nobody states stays unknown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from app.catalog.accelerators import CONFIDENCES
from app.catalog.files import Row, read_table
from app.catalog.instances import Instances, Topology
from app.catalog.resolution import Resolution
from app.domain.accelerator import Accelerator
from app.domain.hardware import Fabric, Host, IntraNodeLink
from app.domain.offer import ScrapedOffer

RACK_DOMAIN = 72
"""Accelerators of one NVLink domain in GB200 and GB300 racks (36 or 72 are sold; accelerators.md 5.3)."""
PCIE_RATES = {"pcie3": 32.0, "pcie4": 64.0, "pcie5": 128.0, "pcie6": 256.0}
"""GB/s of a slot of 16 lanes, both directions, nominal."""
FABRIC_COLUMNS = (
    "provider",
    "instance_pattern",
    "accelerators",
    "fabric",
    "fabric_gbps",
    "nics",
    "link_domain",
    "max_nodes",
    "source",
    "confidence",
)
_UNKNOWN_LINK = IntraNodeLink(None, None, 1, None)
_ALONE = IntraNodeLink("none", None, 1, None, "rule: one accelerator")


@dataclass(frozen=True, slots=True)
class FabricRule:
    """The node network of a provider's product line; `nics` = adapters of one node that carry it."""

    provider: str
    pattern: str
    accelerators: tuple[str, ...]
    fabric: Fabric
    nics: int | None


@dataclass(frozen=True, slots=True)
class Hardware:
    """What an offer's instance is made of beside its accelerators; every part carries its source."""

    link: IntraNodeLink
    fabric: Fabric
    host: Host


def read_fabrics(folder: Path, accelerators: Mapping[str, Accelerator]) -> tuple[FabricRule, ...]:
    """Node networks by provider and instance type.

    Raises:
        CatalogError: malformed, or an unknown accelerator.
    """
    return tuple(
        _fabric_rule(row, accelerators) for row in read_table(folder / "fabrics.csv", FABRIC_COLUMNS)
    )


def _fabric_rule(row: Row, accelerators: Mapping[str, Accelerator]) -> FabricRule:
    row.choice("confidence", CONFIDENCES)
    for key in row.words("accelerators"):
        if key not in accelerators:
            raise row.fail("accelerators", f"there is no accelerator {key}")
    fabric = Fabric(
        row.required("fabric"), row.number("fabric_gbps"), row.integer("max_nodes"), row.required("source")
    )
    return FabricRule(
        provider=row.required("provider"),
        pattern=row.required("instance_pattern"),
        accelerators=row.words("accelerators"),
        fabric=fabric,
        nics=row.integer("nics"),
    )


class HardwareFinder:
    """Looks hardware up; holds the tables."""

    def __init__(
        self,
        accelerators: Mapping[str, Accelerator],
        instances: Instances,
        fabrics: Sequence[FabricRule],
        clusters: Mapping[str, str | None],
    ) -> None:
        self._accelerators = accelerators
        self._instances = instances
        self._fabrics = fabrics
        self._clusters = clusters

    def find(self, provider: str, offer: ScrapedOffer, resolution: Resolution) -> Hardware:
        """Link, fabric and host of an offer; `provider` is the slug whose hardware it is."""
        row = self._instances.topology(provider, offer.instance_type)
        if row is not None and row.accelerator != resolution.key:
            row = None
        return Hardware(
            link=self._link(offer, resolution, row),
            fabric=self._fabric(provider, offer, resolution, row),
            host=_host(offer, row),
        )

    def _link(self, offer: ScrapedOffer, resolution: Resolution, row: Topology | None) -> IntraNodeLink:
        count = resolution.count if resolution.count is not None else offer.accelerator_count
        keys = (resolution.key,) if resolution.key else resolution.candidates
        cards = [self._accelerators[key] for key in keys if key]
        if row is not None and not row.is_pattern:
            return link_of_topology(row, count)
        by_rule = {link_by_rule(card, count) for card in cards} or {
            _ALONE if 0 < count <= 1 else _UNKNOWN_LINK
        }
        rule = by_rule.pop() if len(by_rule) == 1 else _UNKNOWN_LINK
        if offer.intra_node_link is None or count <= 1:
            return rule
        return _stated_link(offer, rule, count)

    def _fabric(
        self, provider: str, offer: ScrapedOffer, resolution: Resolution, row: Topology | None
    ) -> Fabric:
        found = self._known_fabric(provider, offer, resolution, row)
        most = offer.max_nodes if offer.max_nodes is not None else found.max_nodes
        if most is None and (found.kind == "none" or self._clusters.get(provider) == "no"):
            most = 1
        if offer.fabric is not None:
            rate = offer.fabric_gbps if offer.fabric_gbps is not None else _rate_if_same(found, offer.fabric)
            return Fabric(offer.fabric, rate, most, "the offer itself")
        if offer.fabric_gbps is not None and found.gbps_per_node is None:
            return Fabric(found.kind, offer.fabric_gbps, most, "the offer itself")
        return Fabric(found.kind, found.gbps_per_node, most, found.source)

    def _known_fabric(
        self, provider: str, offer: ScrapedOffer, resolution: Resolution, row: Topology | None
    ) -> Fabric:
        if row is not None and row.fabric is not None:
            return Fabric(row.fabric, row.fabric_gbps, None, row.source)
        low = offer.instance_type.lower()
        for rule in self._fabrics:
            fits = not rule.accelerators or resolution.key in rule.accelerators
            if rule.provider == provider and fits and fnmatchcase(low, rule.pattern):
                return rule.fabric
        return Fabric(None, None, None)


def link_of_topology(row: Topology, count: float) -> IntraNodeLink:
    """The link of a described instance type."""
    joined = {"true": True, "pairs": True, "false": False, "": None}[row.peer_to_peer]
    if row.peer_to_peer == "pairs" and (row.link or "").startswith("pcie"):
        joined = False  # most of the pairs of such a host have no path of their own
    domain = row.link_domain or (max(1, int(count)))
    return IntraNodeLink(row.link, row.link_gbytes_per_s, domain, joined, row.source)


def link_by_rule(card: Accelerator, count: float | None) -> IntraNodeLink:
    """What follows from the accelerator where no source describes the instance type.

    SXM, OAM and superchip parts keep their board link, also where a part of a board is rented (accelerators.md
    5.3); a bridge is never assumed; stock GeForce drivers have no peer-to-peer over PCIe.
    """
    if count is None:
        return _UNKNOWN_LINK
    if count <= 1:
        return _ALONE
    kind = card.link or ""
    if kind == "nvlink-c2c":
        return _UNKNOWN_LINK
    if card.form_factor in ("sxm", "oam", "superchip", "chip", "apu-sh5"):
        domain = RACK_DOMAIN if card.form_factor == "superchip" else int(count)
        return IntraNodeLink(
            kind or None, card.link_gbytes_per_s, domain, True, "rule: the accelerator's own link"
        )
    if card.pcie_generation is None:
        return _UNKNOWN_LINK
    joined = False if "GeForce" in card.name else None
    why = "rule: PCIe card, a bridge is not assumed"
    return IntraNodeLink(f"pcie{card.pcie_generation}", card.pcie_gbytes_per_s, int(count), joined, why)


def _stated_link(offer: ScrapedOffer, rule: IntraNodeLink, count: float) -> IntraNodeLink:
    kind = offer.intra_node_link
    rate = offer.intra_node_gbytes_per_s
    if kind == rule.kind:
        return IntraNodeLink(
            kind, rate or rule.gbytes_per_s, rule.domain_size, rule.peer_to_peer, "the offer itself"
        )
    if rate is None and kind in PCIE_RATES:
        slow = rule.kind in PCIE_RATES and rule.gbytes_per_s is not None
        rate = min(PCIE_RATES[kind], rule.gbytes_per_s or 0.0) if slow else PCIE_RATES[kind]
    domain = 2 if kind == "nvlink-bridge-2way" else int(count)
    joined = True if kind and not kind.startswith(("pcie", "none")) else rule.peer_to_peer
    return IntraNodeLink(kind, rate, domain, joined, "the offer itself")


def _rate_if_same(found: Fabric, stated: str) -> float | None:
    return found.gbps_per_node if (found.kind or "").split("-")[0] == stated.split("-")[0] else None


def _host(offer: ScrapedOffer, row: Topology | None) -> Host:
    if row is None or row.is_pattern:
        return Host(offer.vcpus, offer.ram_gib, offer.local_disk_gb)
    return Host(
        offer.vcpus if offer.vcpus is not None else row.vcpus,
        offer.ram_gib if offer.ram_gib is not None else row.ram_gib,
        offer.local_disk_gb if offer.local_disk_gb is not None else row.local_disk_gb,
    )
