"""An accelerator: the canonical model with form factor and memory, `h100-sxm5-80gb`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Tier = Literal["datacenter", "workstation", "consumer"]
Confidence = Literal["high", "medium", "low"]
RATES = (
    "memory_bandwidth_gbytes_per_s",
    "fp32_tflops",
    "tf32_tflops",
    "fp16_tflops",
    "bf16_tflops",
    "fp8_tflops",
    "fp4_tflops",
    "int8_tops",
)
"""What a part of a card has a part of, beside memory."""


@dataclass(frozen=True, slots=True)
class Accelerator:
    """One rentable accelerator variant. Unknown figures are None, never zero.

    `memory_gib` is what the driver reports (judge fit against this); `memory_nominal_gb` is the number in
    the name. TFLOPS are dense, FP16/BF16 with FP32 accumulation. `link_gbytes_per_s` counts both directions
    over all links of one accelerator, as vendors print it.
    """

    key: str
    name: str
    vendor: str
    architecture: str
    form_factor: str
    tier: Tier
    memory_nominal_gb: float
    memory_gib: float | None
    memory_type: str | None
    memory_bandwidth_gbytes_per_s: float | None
    fp32_tflops: float | None
    tf32_tflops: float | None
    fp16_tflops: float | None
    bf16_tflops: float | None
    fp8_tflops: float | None
    fp4_tflops: float | None
    int8_tops: float | None
    link: str | None
    link_gbytes_per_s: float | None
    pcie_generation: int | None
    pcie_gbytes_per_s: float | None
    tdp_watts: float | None
    compute_capability: str | None
    supports_bf16: bool
    supports_fp8: bool
    supports_flash_attention: bool
    launch_year: int | None
    purchase_usd: float | None
    source: str
    confidence: Confidence
    uncited_fields: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def usable_gib(self) -> float:
        """GiB that a job can be judged against: driver-reported, else the pessimistic reading of the name."""
        return self.memory_gib if self.memory_gib is not None else self.memory_nominal_gb * 1e9 / 2**30
