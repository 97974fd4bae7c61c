"""Constants of cost that are not a provider's own terms; and the terms that stand in where a provider's are unknown."""

from __future__ import annotations

from app.training.assumption import Assumption

_ASSUME = "assume"

ASSUMPTIONS: tuple[Assumption, ...] = (
    Assumption(
        "billing.increment_s", 60.0, "s", 1.0, 3600.0, "assume: between per-second and hourly billing", "low"
    ),
    Assumption("billing.minimum_s", 60.0, "s", 0.0, 3600.0, "assume", "low"),
    Assumption(
        "billing.storage", 0.10, "USD/GB-month", 0.02, 0.25, "assume: network volumes 0.05 to 0.20", "low"
    ),
    Assumption(
        "billing.egress", 0.09, "USD/GB", 0.0, 0.12, "assume: list price of large clouds; many take 0", "low"
    ),
    Assumption(
        "spot.stops",
        0.05,
        "per node and hour",
        0.005,
        0.3,
        "assume: public traces 0.1-1.4, advisor 1e-4",
        "low",
    ),
    Assumption("spot.notice_s", 30.0, "s", 5.0, 120.0, "EC2 120 s, GCP 30 s, others less", "low"),
    Assumption(
        "failure.rate", 2e-5, "per accelerator and hour", 1e-5, 5e-5, "BLOOM 1.6e-5; Llama 3 405B about 2e-5"
    ),
    Assumption(
        "start.single_s", 240.0, "s", 60.0, 900.0, "assume: container 1 min, virtual machine 4 min", "low"
    ),
    Assumption("start.cluster_s", 900.0, "s", 300.0, 3600.0, "assume: several nodes or bare metal", "low"),
    Assumption("start.warm_up_s", 270.0, "s", 60.0, 600.0, "MLPerf 70B LoRA logs: 271 s after model init"),
    Assumption("start.load_rate", 0.5, "GB/s per node", 0.1, 5.0, "assume: object store", "low"),
    Assumption(
        "checkpoint.write_rate", 1.0, "GB/s per node", 0.2, 7.0, "assume: network volume; GPFS 57 GB/s", "low"
    ),
    Assumption(
        "checkpoint.stall",
        0.1,
        "share of the write",
        0.05,
        1.0,
        "assume: asynchronous writing hides most",
        "low",
    ),
    Assumption(
        "checkpoint.bytes", 14.0, "bytes per trained parameter", 12.0, 16.0, "BLOOM 2.3 TB for 176B = 13.1"
    ),
    Assumption("checkpoint.kept", 3.0, "copies", 2.0, 5.0, "assume", "low"),
    Assumption("restart.detect_s", 120.0, "s", 30.0, 1800.0, "assume: detect, get a machine again", "low"),
    Assumption(
        "realised.small",
        0.95,
        "share of the steady rate",
        0.85,
        1.0,
        "assume: under a day on one node",
        "low",
    ),
    Assumption(
        "realised.middle", 0.85, "share of the steady rate", 0.7, 0.95, "assume: days on a few nodes", "low"
    ),
    Assumption(
        "realised.large", 0.8, "share of the steady rate", 0.6, 0.95, "median of 15 published whole runs"
    ),
    Assumption("realised.small_hours", 200.0, "accelerator-hours", 50.0, 500.0, _ASSUME, "low"),
    Assumption("realised.middle_hours", 5e3, "accelerator-hours", 1e3, 2e4, _ASSUME, "low"),
    Assumption("realised.large_hours", 1e5, "accelerator-hours", 2e4, 5e5, _ASSUME, "low"),
)

_BY_NAME = {a.name: a for a in ASSUMPTIONS}


def cost_assumption(name: str) -> Assumption:
    """An assumption by name; raises KeyError for an unknown one."""
    return _BY_NAME[name]
