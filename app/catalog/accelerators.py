"""Accelerators: cited facts of every card that clouds rent."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from app.catalog.files import Row, read_table
from app.domain.accelerator import RATES, Accelerator, Confidence, Tier
from app.domain.units import gib_from_mib

TIERS = ("datacenter", "workstation", "consumer")
CONFIDENCES = ("high", "medium", "low")
COLUMNS = (
    "key",
    "name",
    "vendor",
    "architecture",
    "form_factor",
    "tier",
    "memory_nominal_gb",
    "memory_mib",
    "memory_type",
    "memory_bandwidth_gbytes_per_s",
    "fp32_tflops",
    "tf32_tflops",
    "fp16_tflops",
    "bf16_tflops",
    "fp8_tflops",
    "fp4_tflops",
    "int8_tops",
    "link",
    "link_gbytes_per_s",
    "pcie_generation",
    "pcie_gbytes_per_s",
    "tdp_watts",
    "compute_capability",
    "supports_bf16",
    "supports_fp8",
    "supports_flash_attention",
    "launch_year",
    "purchase_usd",
    "source",
    "confidence",
    "uncited_fields",
    "notes",
    "remarks",
)
LOWEST = (
    "memory_gib",
    *RATES,
    "link_gbytes_per_s",
    "pcie_generation",
    "pcie_gbytes_per_s",
)


def read_accelerators(folder: Path) -> dict[str, Accelerator]:
    """Key → accelerator from `accelerators.csv`, in the order of the file.

    Raises:
        CatalogError: a malformed file, a key twice, or a figure that contradicts another of its row.
    """
    found: dict[str, Accelerator] = {}
    for row in read_table(folder / "accelerators.csv", COLUMNS):
        accelerator = _accelerator(row)
        if accelerator.key in found:
            raise row.fail("key", f"{accelerator.key} is there twice")
        found[accelerator.key] = accelerator
    return found


def lowest_of(candidates: Sequence[Accelerator], label: str) -> tuple[Accelerator, tuple[str, ...]]:
    """What to compute with where a name may mean several cards: the lowest of each figure, an unknown one
    where any candidate's is unknown, no board-wide link; and the names of the figures that were so assumed.
    """
    first = candidates[0]
    figures: dict[str, float | None] = {}
    for name in LOWEST:
        values = [getattr(one, name) for one in candidates]
        figures[name] = None if None in values else min(values)
    assumed = tuple(n for n in LOWEST if len({getattr(one, n) for one in candidates}) > 1)
    weakest = min(candidates, key=lambda one: one.link_gbytes_per_s or 0.0)
    changes: dict[str, Any] = {
        **figures,
        "key": "|".join(one.key for one in candidates),
        "name": label,
        "memory_nominal_gb": min(one.memory_nominal_gb for one in candidates),
        "form_factor": first.form_factor if len({c.form_factor for c in candidates}) == 1 else "unknown",
        "link": weakest.link,
        "supports_bf16": all(one.supports_bf16 for one in candidates),
        "supports_fp8": all(one.supports_fp8 for one in candidates),
        "supports_flash_attention": all(one.supports_flash_attention for one in candidates),
        "tdp_watts": max((one.tdp_watts for one in candidates if one.tdp_watts), default=None),
        "purchase_usd": None,
        "confidence": "low",
        "source": "; ".join(dict.fromkeys(one.source for one in candidates)),
    }
    return replace(first, **changes), assumed


def _accelerator(row: Row) -> Accelerator:
    memory_mib = row.number("memory_mib")
    uncited = tuple("memory_gib" if name == "memory_mib" else name for name in row.words("uncited_fields"))
    _check(row, memory_mib)
    return Accelerator(
        key=row.required("key"),
        name=row.required("name"),
        vendor=row.required("vendor"),
        architecture=row.required("architecture"),
        form_factor=row.required("form_factor"),
        tier=cast(Tier, row.choice("tier", TIERS)),
        memory_nominal_gb=row.positive("memory_nominal_gb"),
        memory_gib=None if memory_mib is None else gib_from_mib(memory_mib),
        memory_type=row.optional("memory_type"),
        memory_bandwidth_gbytes_per_s=row.number("memory_bandwidth_gbytes_per_s"),
        fp32_tflops=row.number("fp32_tflops"),
        tf32_tflops=row.number("tf32_tflops"),
        fp16_tflops=row.number("fp16_tflops"),
        bf16_tflops=row.number("bf16_tflops"),
        fp8_tflops=row.number("fp8_tflops"),
        fp4_tflops=row.number("fp4_tflops"),
        int8_tops=row.number("int8_tops"),
        link=row.optional("link"),
        link_gbytes_per_s=row.number("link_gbytes_per_s"),
        pcie_generation=row.integer("pcie_generation"),
        pcie_gbytes_per_s=row.number("pcie_gbytes_per_s"),
        tdp_watts=row.number("tdp_watts"),
        compute_capability=row.optional("compute_capability"),
        supports_bf16=row.flag("supports_bf16"),
        supports_fp8=row.flag("supports_fp8"),
        supports_flash_attention=row.flag("supports_flash_attention"),
        launch_year=row.integer("launch_year"),
        purchase_usd=row.number("purchase_usd"),
        source=row.required("source"),
        confidence=cast(Confidence, row.choice("confidence", CONFIDENCES)),
        uncited_fields=uncited,
        notes=tuple(re.findall(r"\S.*?[.](?= |$)", row.text("notes"))),
    )


def _check(row: Row, memory_mib: float | None) -> None:
    for name in row.words("uncited_fields"):
        if name not in COLUMNS:
            raise row.fail("uncited_fields", f"there is no column {name}")
    nominal = row.positive("memory_nominal_gb")
    if memory_mib is not None and not 0.85 <= gib_from_mib(memory_mib) / nominal <= 1.05:
        raise row.fail("memory_mib", f"{memory_mib:g} MiB does not go with {nominal:g} GB in the name")
    if row.number("bf16_tflops") and not row.flag("supports_bf16"):
        raise row.fail("supports_bf16", "is false although a BF16 rate is given")
    if row.number("fp8_tflops") and not row.flag("supports_fp8"):
        raise row.fail("supports_fp8", "is false although an FP8 rate is given")
