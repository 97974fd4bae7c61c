"""Which accelerators an Azure size has. The price list does not say, the ARM SKU name does.

Source: Microsoft's size pages and names as gathered in providers.md §5 and instance_topology.csv, 2026-11-30; the
fractions of NVads A10 v5 are documented (1/6, 1/3, 1/2 of a card). Newest families first.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import cache


@dataclass(frozen=True, slots=True)
class _Family:
    """Sizes whose name matches `pattern`: `name` and GB of one accelerator; `per` = count by the number of vCPUs."""

    pattern: re.Pattern[str]
    name: str
    memory_gb: float
    counts: dict[int, Fraction]


def _family(pattern: str, name: str, memory_gb: float, **counts: str) -> _Family:
    sizes = {int(vcpus.removeprefix("v")): Fraction(count) for vcpus, count in counts.items()}
    return _Family(re.compile(rf"Standard_{pattern}$"), name, memory_gb, sizes)


_FAMILIES = (
    _family(r"ND(\d+)\w*_GB300_v6", "GB300", 288, v128="4"),
    _family(r"ND(\d+)\w*_GB200_v6", "GB200", 192, v128="4"),
    _family(r"ND(\d+)\w*_H200_v5", "H200 SXM", 141, v96="8"),
    _family(r"ND(\d+)\w*_H100_v5", "H100 SXM5", 80, v96="8"),
    _family(r"ND(\d+)\w*_MI300X_v5", "MI300X", 192, v96="8"),
    _family(r"ND(\d+)am\w*_A100_v4", "A100 SXM4 80GB", 80, v96="8"),
    _family(r"ND(\d+)as\w*_v4", "A100 SXM4 40GB", 40, v96="8"),
    _family(r"ND(\d+)rs_v2", "V100 SXM2 32GB", 32, v40="8"),
    _family(r"ND(\d+)r?s", "P40", 24, v6="1", v12="2", v24="4"),
    _family(r"NC(\d+)\w*_RTXPRO6000BSE_v6", "RTX PRO 6000 Server Edition", 96, v128="1", v256="2", v320="2"),
    _family(r"NCC(\d+)\w*_H100_v5", "H100 NVL", 94, v40="1", v80="2"),
    _family(r"NC(\d+)\w*_H100_v5", "H100 NVL", 94, v40="1", v80="2"),
    _family(r"NC(\d+)ads_A100_v4", "A100 PCIe 80GB", 80, v24="1", v48="2", v96="4"),
    _family(r"NC(\d+)ads_A10_v4", "A10", 24, v8="1", v16="1", v32="2"),
    _family(r"NC(\d+)as_T4_v3", "T4", 16, v4="1", v8="1", v16="1", v64="4"),
    _family(r"NC(\d+)r?s_v3", "V100 PCIe 16GB", 16, v6="1", v12="2", v24="4"),
    _family(r"NC(\d+)r?s_v2", "P100 PCIe", 16, v6="1", v12="2", v24="4"),
    _family(r"NC(\d+)r?", "K80", 12, v6="1", v12="2", v24="4"),
    _family(r"NV(\d+)adm?s_A10_v5", "A10", 24, v6="1/6", v12="1/3", v18="1/2", v36="1", v72="2"),
    _family(r"NV(\d+)as_v4", "Radeon Instinct MI25", 16, v4="1/8", v8="1/4", v16="1/2", v32="1"),
    _family(r"NV(\d+)s_v3", "M60", 8, v12="1", v24="2", v48="4"),
    _family(r"NV(\d+)(?:s_v2)?", "M60", 8, v6="1", v12="2", v24="4"),
    _family(r"NG(\d+)adm?s_V620_v1", "Radeon PRO V620", 32, v8="1/4", v16="1/2", v32="1"),
)
# Sizes newer than the table: the name still says the accelerator, and the count follows from the board.
_NEWER = re.compile(r"Standard_ND(96|128)\w*?_([A-Z]+\d+X?)_v\d+$")


@cache
def accelerators_of(size: str) -> tuple[str, float, float | None] | None:
    """(accelerator name, count, GB of one whole card or None) of an ARM SKU name; None where it names none we know."""
    for family in _FAMILIES:
        match = family.pattern.match(size)
        if match and int(match.group(1)) in family.counts:
            return family.name, float(family.counts[int(match.group(1))]), family.memory_gb
    newer = _NEWER.match(size)
    return (newer.group(2), 8.0 if newer.group(1) == "96" else 4.0, None) if newer else None
