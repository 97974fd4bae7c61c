"""Instance types: what is inside, from the topology table, else from a provider's naming rule."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from app.catalog.files import Row, read_table
from app.domain.accelerator import Accelerator

PEERS = ("true", "false", "pairs", "")
TOPOLOGY_COLUMNS = (
    "provider",
    "instance_type",
    "accelerator",
    "count",
    "link",
    "link_gbytes_per_s",
    "link_domain",
    "peer_to_peer",
    "fabric",
    "fabric_gbps",
    "vcpus",
    "ram_gib",
    "local_disk_gb",
    "source",
    "notes",
)
RULE_COLUMNS = ("provider", "pattern", "reads_as", "units_per_card", "source")


@dataclass(frozen=True, slots=True)
class Topology:
    """One instance type as a public source describes it; None = unknown. `count` below 1 is a slice.
    `peer_to_peer` "pairs": only two accelerators each are joined."""

    provider: str
    instance_type: str
    accelerator: str
    count: float
    link: str | None
    link_gbytes_per_s: float | None
    link_domain: int | None
    peer_to_peer: str
    fabric: str | None
    fabric_gbps: float | None
    vcpus: float | None
    ram_gib: float | None
    local_disk_gb: float | None
    source: str
    notes: str

    @property
    def is_pattern(self) -> bool:
        """The type holds a wildcard: `count` is the most that can be attached, not what an offer has."""
        return "*" in self.instance_type


@dataclass(frozen=True, slots=True)
class NamingRule:
    """A provider's way of naming instance types; `reads_as` is an accelerator name (alternatives with `|`)
    that may use the groups of the pattern. Group `count` is accelerators; group `units` over `units_per_card`
    is their share."""

    provider: str
    pattern: re.Pattern[str]
    reads_as: str
    units_per_card: float | None
    source: str


@dataclass(frozen=True, slots=True)
class NamedInstance:
    """What a naming rule says about one instance type."""

    names: tuple[str, ...]
    count: float | None
    source: str


class Instances:
    """Finds instance types by provider and name, without regard to case."""

    def __init__(self, topologies: tuple[Topology, ...], rules: tuple[NamingRule, ...]) -> None:
        self.topologies = topologies
        self._rules = rules
        self._exact = {(t.provider, _plain(t.instance_type)): t for t in topologies if not t.is_pattern}
        self._patterns = tuple(t for t in topologies if t.is_pattern)
        self._anywhere = _unanimous(topologies)

    def topology(self, provider: str | None, instance_type: str) -> Topology | None:
        """The row for this type; without a provider, only where all providers that have it agree."""
        low = _plain(instance_type)
        if provider is None:
            return self._anywhere.get(low)
        found = self._exact.get((provider, low.removeprefix("ml."))) or self._exact.get(
            (provider, f"standard_{low}")
        )
        return found or next(
            (
                t
                for t in self._patterns
                if t.provider == provider and fnmatchcase(low, t.instance_type.lower())
            ),
            None,
        )

    def named(self, provider: str | None, instance_type: str) -> NamedInstance | None:
        """What the provider's naming rules read in this type."""
        low = instance_type.lower().removeprefix("ml.")
        for rule in self._rules:
            if rule.provider != provider:
                continue
            if match := rule.pattern.fullmatch(low) or rule.pattern.fullmatch(_plain(low)):
                groups = {name: value or "" for name, value in match.groupdict().items()}
                names = tuple(rule.reads_as.format(**groups).split("|"))
                return NamedInstance(names, _count(rule, groups), rule.source)
        return None


def read_instances(folder: Path, accelerators: Mapping[str, Accelerator]) -> Instances:
    """Topologies and naming rules.

    Raises:
        CatalogError: malformed, an unknown accelerator, a type twice, a pattern that does not compile.
    """
    seen: set[tuple[str, str]] = set()
    topologies = []
    for row in read_table(folder / "topology.csv", TOPOLOGY_COLUMNS):
        topology = _topology(row, accelerators)
        place = (topology.provider, topology.instance_type.lower())
        if place in seen:
            raise row.fail("instance_type", "is there twice")
        seen.add(place)
        topologies.append(topology)
    rules = tuple(_rule(row) for row in read_table(folder / "instance_rules.csv", RULE_COLUMNS))
    return Instances(tuple(topologies), rules)


def _topology(row: Row, accelerators: Mapping[str, Accelerator]) -> Topology:
    count = row.positive("count")
    domain = row.integer("link_domain")
    if count > 1 and not row.text("link"):
        raise row.fail("link", "must be given for more than one accelerator")
    if domain is not None and domain < 2:
        raise row.fail("link_domain", "must be at least 2")
    return Topology(
        provider=row.required("provider"),
        instance_type=row.required("instance_type"),
        accelerator=row.choice("accelerator", tuple(accelerators)),
        count=count,
        link=row.optional("link"),
        link_gbytes_per_s=row.number("link_gbytes_per_s"),
        link_domain=domain,
        peer_to_peer=row.choice("peer_to_peer", PEERS),
        fabric=row.optional("fabric"),
        fabric_gbps=row.number("fabric_gbps"),
        vcpus=row.number("vcpus"),
        ram_gib=row.number("ram_gib"),
        local_disk_gb=row.number("local_disk_gb"),
        source=row.required("source"),
        notes=row.text("notes"),
    )


def _rule(row: Row) -> NamingRule:
    try:
        pattern = re.compile(row.required("pattern"))
        row.required("reads_as").format(**dict.fromkeys(pattern.groupindex, ""))
    except re.error as error:
        raise row.fail("pattern", str(error)) from None
    except KeyError as error:
        raise row.fail("reads_as", f"uses the group {error}, which the pattern does not have") from None
    units = row.number("units_per_card")
    if (units is not None) != ("units" in pattern.groupindex):
        raise row.fail("units_per_card", "goes with a group `units` in the pattern, and only with it")
    return NamingRule(row.required("provider"), pattern, row.text("reads_as"), units, row.required("source"))


def _plain(instance_type: str) -> str:
    return instance_type.lower().replace("/", "_").replace(" ", "_")


def _count(rule: NamingRule, groups: Mapping[str, str]) -> float | None:
    if rule.units_per_card is not None:
        return float(groups["units"]) / rule.units_per_card
    return float(groups["count"]) if groups.get("count") else None


def _unanimous(topologies: tuple[Topology, ...]) -> dict[str, Topology]:
    by_type: dict[str, list[Topology]] = {}
    for topology in topologies:
        by_type.setdefault(_plain(topology.instance_type), []).append(topology)
    return {
        name: rows[0]
        for name, rows in by_type.items()
        if not rows[0].is_pattern and len({(t.accelerator, t.count) for t in rows}) == 1
    }
