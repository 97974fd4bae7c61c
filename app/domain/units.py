"""The only unit conversions in the house.

A suffix says the unit: `_gib` (2**30 bytes), `_gb` (1e9 bytes), `_mib`, `_tflops` (1e12 FLOP/s),
`_gbps` (gigabit per second), `_gbytes_per_s` (1e9 bytes per second), `_usd_per_hour`.
"""

from __future__ import annotations

MIB = 2**20
GIB = 2**30
GB = 10**9
TFLOP = 10**12
SECONDS_PER_HOUR = 3600.0
HOURS_PER_MONTH = 730.0
HOURS_PER_YEAR = 8760.0


def gib_from_bytes(value: float) -> float:
    """Bytes to GiB."""
    return value / GIB


def gib_from_mib(value: float) -> float:
    """MiB to GiB."""
    return value / 1024.0


def gib_from_gb(value: float) -> float:
    """Decimal GB to GiB."""
    return value * GB / GIB


def gb_from_gib(value: float) -> float:
    """GiB to decimal GB."""
    return value * GIB / GB


def gbytes_per_s_from_gbps(value: float) -> float:
    """Gigabit per second to gigabyte per second."""
    return value / 8.0


def hours_from_seconds(value: float) -> float:
    """Seconds to hours."""
    return value / SECONDS_PER_HOUR
