"""A small board on which every lesson has something to show, and the walk over what a lesson rests on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from app.market.by_hardware import HardwareAnswer
from app.market.lessons.basis import Basis, run_of
from app.market.service import Market
from tests.market.samples import market_of, offer

ALONE = {
    "accelerator_count": 1, "intra_node_link": "none", "intra_node_gbytes_per_s": None, "link_domain": 1,
    "fabric": "none", "fabric_gbps": None, "max_nodes": 1, "vcpus": 26, "ram_gib": 225,
}  # fmt: skip
L40S = {
    "accelerator": "l40s-48gb", "accelerator_label": "NVIDIA L40S", "memory_gib_per_accelerator": 44.99,
    "instance_type": "g6e.48xlarge", "intra_node_link": "pcie4", "intra_node_gbytes_per_s": 32, "link_domain": 1,
    "peer_to_peer": False, "fabric_gbps": 400, "vcpus": 20, "ram_gib": 1536, "local_disk_gb": 100,
}  # fmt: skip
B200 = {
    "accelerator": "b200-sxm-180gb", "accelerator_label": "NVIDIA B200", "memory_gib_per_accelerator": 179.06,
    "intra_node_link": "nvlink5+nvswitch", "intra_node_gbytes_per_s": 1800,
}  # fmt: skip
RTX = {
    "accelerator": "rtx-4090-24gb", "accelerator_label": "NVIDIA GeForce RTX 4090", "provider": "vast",
    "provider_name": "Vast.ai", "memory_gib_per_accelerator": 23.99, "instance_type": "1x_rtx_4090", "fabric": None,
}  # fmt: skip


def lesson_market() -> Market:
    """Nodes with fast and slow links and networks, single cards, spot beside on demand, one flagged price."""
    machines: list[dict[str, Any]] = [
        {},
        {"instance_type": "slow-net", "provider": "lambda", "fabric": "ethernet", "fabric_gbps": 100},
        L40S | {"price_usd_per_hour": 15.0},
        B200 | {"instance_type": "p6-b200.48xlarge", "price_usd_per_hour": 80.0},
        B200 | ALONE | {"instance_type": "1x_b200", "provider": "vultr", "price_usd_per_hour": 6.0},
        ALONE | {"instance_type": "1x_h100", "provider": "lambda", "price_usd_per_hour": 3.0},
        ALONE | RTX | {"price_usd_per_hour": 0.4, "vcpus": 3},
    ]
    records = [
        offer(
            2 * number + spot,
            **machine
            | {"purchase_option": "spot" if spot else "on_demand"}
            | {"price_usd_per_hour": machine.get("price_usd_per_hour", 55.04) * (0.4 if spot else 1.0)},
        )
        for number, machine in enumerate(machines, 1)
        for spot in (0, 1)
    ]
    odd = offer(90, **ALONE, instance_type="odd", price_usd_per_hour=0.01, flags=("far below the others",))
    return market_of(*records, odd)


def bases(told: Any) -> Iterator[Basis]:
    """Every basis that a lesson shows, however deep."""
    if isinstance(told, Basis):
        yield told
    elif isinstance(told, tuple):
        for item in told:
            yield from bases(item)
    elif isinstance(told, dict):
        yield from bases(tuple(told.values()))
    elif is_dataclass(told) and type(told).__module__.startswith("app.market.lessons"):
        for field in fields(told):
            yield from bases(getattr(told, field.name))


def on(market: Market, label: str, **run: Any) -> HardwareAnswer:
    """What the API answers for a run on the machine with this label."""
    return next(answer for answer in market.by_hardware(run_of(**run)) if answer.label == label)
