"""Which accelerators an EC2 family has; the price list only counts them, and not always rightly.

Source: providers.md 4 (family table) and instance_topology.csv, 2026-11-30; fractions of g6f/gr6f: behaviour G05, G06.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Family(NamedTuple):
    """Name of one accelerator, its GB, and the count by size; "" = every size not named."""

    name: str
    memory_gb: float
    counts: dict[str, float]


_EIGHT = {"": 8.0}
_ONE_TO_EIGHT = {"": 1.0, "12xlarge": 4.0, "24xlarge": 4.0, "48xlarge": 8.0}
_FAMILIES: dict[str, Family] = {
    "p6-b300": Family("B300 SXM", 288, _EIGHT),
    "p6-b200": Family("B200 SXM", 180, _EIGHT),
    "p6e-gb200": Family("GB200", 186, {"": 4.0}),
    "p5en": Family("H200 SXM", 141, _EIGHT),
    "p5e": Family("H200 SXM", 141, _EIGHT),
    "p5": Family("H100 SXM", 80, {"": 8.0, "4xlarge": 1.0}),
    "p4de": Family("A100 SXM 80GB", 80, _EIGHT),
    "p4d": Family("A100 SXM 40GB", 40, _EIGHT),
    "p3dn": Family("V100 SXM2 32GB", 32, _EIGHT),
    "p3": Family("V100 SXM2 16GB", 16, {"2xlarge": 1.0, "8xlarge": 4.0, "16xlarge": 8.0}),
    "p2": Family("K80", 12, {"xlarge": 1.0, "8xlarge": 8.0, "16xlarge": 16.0}),
    "g7e": Family(
        "RTX PRO 6000 Server Edition", 96, {"": 1.0, "12xlarge": 2.0, "24xlarge": 4.0, "48xlarge": 8.0}
    ),
    "g7": Family("RTX PRO 4500", 32, {"": 1.0, "12xlarge": 2.0, "24xlarge": 4.0, "48xlarge": 8.0}),
    "g6e": Family("L40S", 48, _ONE_TO_EIGHT),
    "g6": Family("L4", 24, _ONE_TO_EIGHT),
    "gr6": Family("L4", 24, {"": 1.0}),
    "g6f": Family("L4", 24, {"large": 0.125, "xlarge": 0.125, "2xlarge": 0.25, "4xlarge": 0.5}),
    "gr6f": Family("L4", 24, {"4xlarge": 0.5}),
    "g5": Family("A10G", 24, _ONE_TO_EIGHT),
    "g5g": Family("T4G", 16, {"": 1.0, "16xlarge": 2.0, "metal": 2.0}),
    "g4dn": Family("T4", 16, {"": 1.0, "12xlarge": 4.0, "metal": 8.0}),
    "g4ad": Family("Radeon Pro V520", 8, {"": 1.0, "8xlarge": 2.0, "16xlarge": 4.0}),
    "g3": Family("M60", 8, {"4xlarge": 1.0, "8xlarge": 2.0, "16xlarge": 4.0}),
    "g3s": Family("M60", 8, {"xlarge": 1.0}),
    "trn1": Family("Trainium1", 32, {"2xlarge": 1.0, "32xlarge": 16.0}),
    "trn1n": Family("Trainium1", 32, {"32xlarge": 16.0}),
    "trn2": Family("Trainium2", 96, {"3xlarge": 1.0, "48xlarge": 16.0}),
    "trn2u": Family("Trainium2", 96, {"48xlarge": 16.0}),
    "dl1": Family("Gaudi", 32, _EIGHT),
}
# A cheap test for one line of a file of hundreds of megabytes.
MENTIONED = re.compile(
    "|".join(rf'"{re.escape(family)}\.' for family in sorted(_FAMILIES, key=len, reverse=True))
)


def accelerators_of(instance_type: str) -> tuple[str, float, float] | None:
    """(name, count, GB of one whole accelerator) of an instance type; None for a family or size without any we know."""
    family, _, size = instance_type.partition(".")
    known = _FAMILIES.get(family)
    if known is None:
        return None
    count = known.counts.get(size, known.counts.get(""))
    return None if count is None else (known.name, count, known.memory_gb)
