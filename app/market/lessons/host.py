"""Lessons on the machine around the accelerators: storage for data and checkpoints, CPU cores and host memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from app.domain.record import OfferRecord
from app.market.board import FloatArray
from app.market.labels import TIER_LABELS
from app.market.lessons.basis import FULL_8B, LORA_14B, Basis, question, rows_of, run_of
from app.market.question import Question
from app.training.assumption import Assumption
from app.training.assumptions_cost import cost_assumption
from app.training.assumptions_fit import DISK_CHECKPOINTS, VCPUS_PER_ACCELERATOR
from app.training.host import disk_need_gb
from app.training.work import checkpoint_gb

if TYPE_CHECKING:
    from app.market.service import Market

BYTES_PER_TOKEN = 4.0
"""A token as most data loaders keep it: a whole number of four bytes."""
DATASET_GB = 500.0
SAVED: tuple[Mapping[str, str], ...] = (
    {"model": "llama-3.1-8b", "method": "lora"},
    {"model": "llama-3.1-8b", "method": "full"},
    {"model": "llama-3.1-70b", "method": "full"},
)
TROUBLES = ("ok", "few_vcpus", "little_ram", "small_disk", "slow_storage")


@dataclass(frozen=True, slots=True)
class CheckpointRow:
    """What one checkpoint holds, GB, and seconds to write it from one node at the assumed rate and at both ends of its
    range; `disk_gb` for those that are kept, and the offers whose local disk is known to be smaller."""

    model: str
    method: str
    trained: float
    checkpoint_gb: float
    write_s: float
    slow_s: float
    fast_s: float
    disk_gb: float
    small_disks: Basis


@dataclass(frozen=True, slots=True)
class Reading:
    """The fastest offer for a run (None where nothing holds it) and what it reads while it trains: text by the token,
    GB/s, and a data set of `dataset_gb` in one pass."""

    offer: OfferRecord
    tokens_per_s: float
    text_gbytes_per_s: float
    pass_gbytes_per_s: float


@dataclass(frozen=True, slots=True)
class StorageLesson:
    """`bytes_each` of a checkpoint per trained parameter; `write` and `read` rates as assumed, GB/s per node, with range
    and source; `slow` = offers that hold the run with `dataset_gb` but may read too slowly; `disks` = offers whose local
    disk is known."""

    bytes_each: Assumption
    kept: Assumption
    write: Assumption
    read: Assumption
    stall: Assumption
    rows: tuple[CheckpointRow, ...]
    model: str
    dataset_gb: float
    reading: Reading | None
    run_query: str
    slow: Basis
    disks: Basis


def storage_lesson(market: Market) -> StorageLesson:
    """What has to be read and written, against what storage gives."""
    asked = {**LORA_14B, "dataset_gb": f"{DATASET_GB:g}"}
    return StorageLesson(
        bytes_each=cost_assumption("checkpoint.bytes"),
        kept=DISK_CHECKPOINTS,
        write=cost_assumption("checkpoint.write_rate"),
        read=cost_assumption("start.load_rate"),
        stall=cost_assumption("checkpoint.stall"),
        rows=tuple(_checkpoint(market, run) for run in SAVED),
        model=market.catalog.model(LORA_14B["model"]).name,
        dataset_gb=DATASET_GB,
        reading=_reading(market),
        run_query=question(**LORA_14B).to_query_string(),
        slow=Basis.of(market, **asked, host_check="slow_storage"),
        disks=Basis.of(market, local_disk_gb_min=0),
    )


def _checkpoint(market: Market, asked: Mapping[str, str]) -> CheckpointRow:
    found = Question.of(run_of(**asked), market.catalog)
    trained = float(found.recipe.trainable_parameters(found.shape))
    size, rate = checkpoint_gb(trained), cost_assumption("checkpoint.write_rate")
    disk = disk_need_gb(size, 0.0)
    return CheckpointRow(
        model=found.shape.name,
        method=asked["method"],
        trained=trained,
        checkpoint_gb=size,
        write_s=size / rate.value,
        slow_s=size / rate.low,
        fast_s=size / rate.high,
        disk_gb=disk,
        small_disks=Basis.of(market, local_disk_gb_max=f"{disk:.1f}"),
    )


def _reading(market: Market) -> Reading | None:
    rows = market.list_offers(question(**LORA_14B, sort="tokens_per_s", order="desc", per_page=1)).rows
    if not rows:
        return None
    rate, hours = rows[0]["tokens_per_s"], rows[0]["hours"]
    return Reading(
        rows[0].record, rate, rate * BYTES_PER_TOKEN / 1e9, DATASET_GB / (hours * 3600.0 * rows[0]["nodes"])
    )


@dataclass(frozen=True, slots=True)
class CoresRow:
    """Hosts of one class of accelerator: a tenth has fewer vCPUs per accelerator than `low`, half fewer than `middle`;
    host memory per GiB of accelerator memory in the middle; None where nobody states it. `few` have too few."""

    tier: str
    offers: Basis
    known: int
    low: float | None
    middle: float | None
    few: int
    memory_ratio: float | None
    little: int


@dataclass(frozen=True, slots=True)
class CpuLesson:
    """`wanted` vCPUs per accelerator as assumed. `troubles` = offers that hold the run, by what its host check says;
    `holding` all that hold it, `unknown` those whose host nobody describes."""

    wanted: Assumption
    rows: tuple[CoresRow, ...]
    model: str
    holding: Basis
    troubles: Mapping[str, Basis]
    unknown: int


def cpu_lesson(market: Market) -> CpuLesson:
    """vCPUs and memory of the hosts on offer, and which would hold up one run."""
    holding = Basis.of(market, **FULL_8B)
    troubles = {code: Basis.of(market, **FULL_8B, host_check=code) for code in TROUBLES}
    unknown = Basis.of(market, **FULL_8B, host_check="unknown")
    return CpuLesson(
        wanted=VCPUS_PER_ACCELERATOR,
        rows=tuple(_cores(market, tier) for tier in TIER_LABELS),
        model=market.catalog.model(FULL_8B["model"]).name,
        holding=holding,
        troubles=troubles,
        unknown=unknown.n,
    )


def _cores(market: Market, tier: str) -> CoresRow:
    query = question(accelerator_tier=tier)
    rows = rows_of(market, query)
    numbers = market.board.numbers
    cores = numbers["vcpus_per_accelerator"][rows]
    memory = numbers["ram_gib"][rows] / numbers["total_memory_gib"][rows]
    known = cores[np.isfinite(cores)]
    return CoresRow(
        tier=TIER_LABELS[tier],
        offers=Basis.over(market, rows, query),
        known=len(known),
        low=_quantile(known, 0.1),
        middle=_quantile(known, 0.5),
        few=int(np.count_nonzero(known < VCPUS_PER_ACCELERATOR.value)),
        memory_ratio=_quantile(memory[np.isfinite(memory)], 0.5),
        little=int(np.count_nonzero(memory < 1.0)),
    )


def _quantile(values: FloatArray, share: float) -> float | None:
    return float(np.quantile(values, share)) if len(values) else None
