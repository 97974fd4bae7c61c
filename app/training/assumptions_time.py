"""Every constant of step time and speed that is not arithmetic. Data; the formulas are in compute,
communication and throughput. "fit" = estimated from the measured cases by tools/fit_throughput.py."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from app.training.assumption import Assumption

FloatArray = npt.NDArray[np.float64]

FAMILIES = (
    "ampere-hbm-sxm",
    "ampere-hbm-pcie",
    "ampere-gddr",
    "ampere-consumer",
    "hopper-sxm",
    "hopper-sxm-large",
    "hopper-pcie",
    "ada-gddr",
    "ada-gddr-half-rate",
    "ada-consumer",
    "blackwell-sxm",
    "blackwell-superchip",
    "blackwell-ultra-sxm",
    "blackwell-ultra-superchip",
    "blackwell-gddr",
    "blackwell-consumer",
    "volta",
    "turing",
    "cdna2",
    "cdna3",
    "cdna3-large",
    "cdna4",
    "other",
)
SOFTWARE = ("megatron", "fsdp", "eager", "legacy")
LAUNCHES = ("fused", "fused", "eager", "fused")
"""Whose launches each of SOFTWARE has: kernels were slower before 2023, launches as few as later."""
GENERATIONS = ("ampere", "hopper", "blackwell", "amd", "other")
GENERATION_OF = {
    **{name: "ampere" for name in FAMILIES if name.startswith(("ampere", "ada"))},
    **{name: "hopper" for name in FAMILIES if name.startswith("hopper")},
    **{name: "blackwell" for name in FAMILIES if name.startswith("blackwell")},
    **{name: "amd" for name in FAMILIES if name.startswith("cdna")},
}

_FIT = "fit to published throughput around the priors of tools/throughput_priors.csv, 2026-11"
_ASSUME = "assume"


def _fit(name: str, value: float, low: float, high: float, unit: str = "share") -> Assumption:
    return Assumption(name, value, unit, low, high, _FIT)


def _assume(name: str, value: float, low: float, high: float, unit: str = "share") -> Assumption:
    return Assumption(name, value, unit, low, high, _ASSUME, "low")


ASSUMPTIONS: tuple[Assumption, ...] = (
    # Share of the dense peak that large matrix products of training reach, by accelerator family.
    _fit("gemm.ampere-hbm-sxm", 0.792, 0.65, 0.9),
    _fit("gemm.ampere-hbm-pcie", 0.712, 0.4, 0.82),
    _fit("gemm.ampere-gddr", 0.763, 0.5, 1.0),
    _fit("gemm.ampere-consumer", 0.916, 0.6, 1.05),
    _fit("gemm.hopper-sxm", 0.694, 0.55, 0.85),
    _fit("gemm.hopper-sxm-large", 0.712, 0.55, 0.85),
    _fit("gemm.hopper-pcie", 0.68, 0.35, 0.75),
    _fit("gemm.ada-gddr", 0.485, 0.25, 0.8),
    _assume("gemm.ada-gddr-half-rate", 0.55, 0.35, 0.85),
    _fit("gemm.ada-consumer", 0.861, 0.6, 1.05),
    _fit("gemm.blackwell-sxm", 0.553, 0.4, 0.8),
    _fit("gemm.blackwell-superchip", 0.544, 0.4, 0.8),
    _fit("gemm.blackwell-ultra-sxm", 0.583, 0.4, 0.8),
    _fit("gemm.blackwell-ultra-superchip", 0.631, 0.4, 0.85),
    _assume("gemm.blackwell-gddr", 0.7, 0.4, 0.95),
    _assume("gemm.blackwell-consumer", 0.85, 0.6, 1.0),
    _fit("gemm.volta", 0.618, 0.5, 0.85),
    _fit("gemm.turing", 0.49, 0.35, 0.8),
    _assume("gemm.cdna2", 0.4, 0.25, 0.6),
    _fit("gemm.cdna3", 0.385, 0.3, 0.6),
    _fit("gemm.cdna3-large", 0.51, 0.3, 0.65),
    _fit("gemm.cdna4", 0.585, 0.4, 0.7),
    _assume("gemm.other", 0.45, 0.25, 0.7),
    # Low precision, relative to the share above and the peak of that precision.
    _fit("fp8.ampere", 0.8, 0.5, 1.0),
    _fit("fp8.hopper", 0.879, 0.6, 1.0),
    _fit("fp8.blackwell", 0.961, 0.6, 1.1),
    _fit("fp8.amd", 0.898, 0.6, 1.1),
    _assume("fp8.other", 0.8, 0.5, 1.0),
    _fit("fp4", 0.634, 0.4, 1.0),
    _fit("fp8+fp4", 1.37, 1.0, 2.0, "multiple of the FP8 rate"),
    # Attention kernels, share of the BF16 peak.
    _fit("attention.ampere", 0.305, 0.2, 0.7),
    _fit("attention.hopper", 0.275, 0.2, 0.7),
    _fit("attention.hopper-flash2", 0.162, 0.1, 0.5),
    _fit("attention.blackwell", 0.36, 0.15, 0.7),
    _fit("attention.amd", 0.266, 0.1, 0.6),
    _assume("attention.other", 0.25, 0.1, 0.6),
    _fit("attention.scores", 47.1, 20.0, 100.0, "bytes per score where attention is not fused"),
    # Mixtures of experts, share of the matrix rate.
    _fit("moe", 0.542, 0.2, 1.0),
    # Matrix shapes.
    _fit("shape.width", 405, 50.0, 1500.0, "hidden units"),
    _fit("shape.width_power", 0.548, 0.3, 1.2, "exponent"),
    _fit("shape.tokens", 362, 30.0, 1500.0, "tokens"),
    Assumption(
        "shape.unaligned",
        0.8,
        "share of the rate where a rank's width is no multiple of 64",
        0.6,
        1.0,
        "arXiv 2401.14489: up to 39 % between aligned and unaligned shapes of one size",
    ),
    _fit("selective_recompute", 0.282, 0.0, 1.0, "share of the forward"),
    _fit(
        "padding.long", 0.65, 0.4, 1.0, "share of real tokens where kernels skip padding (BERT, 512 tokens)"
    ),
    # Memory traffic.
    _fit("traffic.passes", 108, 20.0, 200.0, "reads or writes of a hidden state per layer and token"),
    _fit("traffic.eager", 2.18, 1.0, 4.0, "multiple of the passes where kernels are not fused"),
    _fit("traffic.recompute", 0.297, 0.0, 0.6, "more passes with full recompute"),
    _fit("traffic.dequantise", 53.9, 4.0, 120.0, "bytes per weight and micro-step"),
    _fit("traffic.optimizer", 26.7, 15.0, 60.0, "bytes per weight and step"),
    # Kernel launches.
    _fit("launch.fused", 0.00106, 0.1e-3, 1.5e-3, "s per layer and micro-step"),
    _fit("launch.eager", 0.00374, 1.0e-3, 6e-3, "s per layer and micro-step"),
    _fit("step.fused", 0.00024, 0.01e-3, 2e-3, "s per layer and optimizer step"),
    _fit("step.eager", 0.00199, 0.01e-3, 8e-3, "s per layer and optimizer step"),
    _fit("launch.power", 3.79, 1.5, 6.0, "exponent of the soft maximum"),
    Assumption(
        "launch.trained",
        2.0,
        "multiple where gradients of all weights are kept, eager software",
        1.5,
        2.5,
        "four calls a weight (forward, two products back, accumulation) against two",
        "medium",
    ),
    _fit("launch.quantised", 1.4, 1.0, 3.0, "multiple for 4-bit weights"),
    # Communication.
    _fit("tensor.exposed.megatron", 0.359, 0.1, 1.0),
    _fit("tensor.exposed.other", 0.865, 0.1, 1.0),
    _fit("tensor.window", 0.778, 0.0, 1.0, "share of compute that can hide it"),
    _fit("data.window", 0.467, 0.1, 1.0, "share of compute that can hide it"),
    _fit("data.leak", 0.389, 0.0, 0.6, "exposed share of what is hidden"),
    _fit("sync.megatron", 6.28e-05, 0.0, 1e-3, "s per step and node"),
    _fit("sync.other", 0.00146, 0.0, 5e-3, "s per step and node"),
    _fit("expert.exposed", 0.473, 0.0, 1.0),
    _fit("fabric_share.zero3_2021", 0.0987, 0.03, 0.5, "share that ZeRO-3 as of 2021 reached"),
    # Links and networks: share of the vendor's one-way figure in large collectives.
    Assumption("link_share.nvlink3", 0.78, "share", 0.7, 0.9, "nccl-tests 234.9 of 300 GB/s", "high"),
    Assumption("link_share.nvlink4", 0.81, "share", 0.7, 0.9, "nccl-tests 367.6 of 450 GB/s", "high"),
    Assumption("link_share.nvlink5", 0.755, "share", 0.65, 0.9, "nccl-tests 680 of 900 GB/s", "high"),
    _assume("link_share.xgmi", 0.67, 0.4, 0.8),
    _assume("link_share.other", 0.7, 0.4, 0.85),
    _assume("link_share.pcie_p2p", 0.63, 0.4, 0.85),
    _assume("link_share.pcie_bounced", 0.32, 0.1, 0.5),
    Assumption(
        "fabric_share.rdma", 0.75, "share", 0.4, 0.9, "73 % of 8×400 Gbit/s at 1 GiB messages", "high"
    ),
    _assume("fabric_share.tcp", 0.3, 0.1, 0.5),
    Assumption("pcie_gbytes_per_s.3", 15.75, "GB/s one way, 16 lanes", 15.0, 16.0, "PCIe 3.0", "high"),
    Assumption("pcie_gbytes_per_s.4", 31.5, "GB/s one way, 16 lanes", 31.0, 32.0, "PCIe 4.0", "high"),
    Assumption("pcie_gbytes_per_s.5", 63.0, "GB/s one way, 16 lanes", 62.0, 64.0, "PCIe 5.0", "high"),
    Assumption("pcie_gbytes_per_s.6", 126.0, "GB/s one way, 16 lanes", 121.0, 128.0, "PCIe 6.0", "high"),
    _fit("power_cap_exponent", 0.5, 0.1, 1.0, "exponent"),
    Assumption("host_copy_share", 0.85, "share", 0.4, 0.9, "copy engines reach 27 of 31.5 GB/s", "medium"),
)


@dataclass(frozen=True, slots=True)
class Constants:
    """The values by name, with the arrays that formulas index."""

    values: Mapping[str, float]
    gemm: FloatArray
    fp8: FloatArray
    attention: FloatArray
    launch: FloatArray

    def __getitem__(self, name: str) -> float:
        return self.values[name]

    @classmethod
    def of(cls, values: Mapping[str, float]) -> Self:
        """Constants from values by assumption name; raises KeyError for a missing one."""
        generation = [GENERATION_OF.get(family, "other") for family in FAMILIES]
        launch = [values[f"launch.{name}"] for name in LAUNCHES]
        return cls(
            values=values,
            gemm=np.asarray([values[f"gemm.{family}"] for family in FAMILIES]),
            fp8=np.asarray([values[f"fp8.{name}"] for name in generation]),
            attention=np.asarray([values[f"attention.{name}"] for name in generation]),
            launch=np.asarray(launch),
        )


_VALUES = {assumption.name: assumption.value for assumption in ASSUMPTIONS}
DEFAULTS = Constants.of(_VALUES)


def value_of(name: str) -> float:
    """The value of an assumption; raises KeyError for an unknown name."""
    return _VALUES[name]


# Measured ÷ predicted, 10th and 90th percentile of rows outside the fit (halves and whole sources left out).
BAND: Mapping[str, tuple[float, float]] = {
    "megatron": (0.85, 1.2),
    "fsdp": (0.8, 1.2),
    "eager": (0.75, 1.25),
    "legacy": (0.7, 1.2),
}
MIXTURE_BAND = (0.75, 1.05)  # further factors for mixture-of-experts models
