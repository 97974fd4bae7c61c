"""Clusters and models that the tests of plan, fit and levers share; figures from public data sheets."""

from __future__ import annotations

from typing import Any

from app.domain.accelerator import Accelerator
from app.domain.hardware import Cluster, Fabric, Host, IntraNodeLink, Node
from app.domain.model import ModelShape
from app.domain.run import TrainingRun

LLAMA_8B = ModelShape(
    "llama-3.1-8b",
    "Llama 3.1 8B",
    layers=32,
    hidden_size=4096,
    attention_heads=32,
    kv_heads=8,
    head_dim=128,
    ffn_hidden_size=14336,
    vocab_size=128256,
)
LLAMA_70B = ModelShape(
    "llama-3.1-70b",
    "Llama 3.1 70B",
    layers=80,
    hidden_size=8192,
    attention_heads=64,
    kv_heads=8,
    head_dim=128,
    ffn_hidden_size=28672,
    vocab_size=128256,
)


def card(name: str, memory_gib: float, bf16_tflops: float, bandwidth: float, **more: Any) -> Accelerator:
    given: dict[str, Any] = {
        "vendor": "nvidia",
        "architecture": "hopper",
        "form_factor": "sxm",
        "tier": "datacenter",
        "memory_type": "HBM3",
        "fp8_tflops": 2 * bf16_tflops,
        "pcie_generation": 5,
        "supports_bf16": True,
        "supports_fp8": True,
        **more,
    }
    return Accelerator(
        key=name,
        name=name,
        memory_nominal_gb=round(memory_gib),
        memory_gib=memory_gib,
        memory_bandwidth_gbytes_per_s=bandwidth,
        fp32_tflops=bf16_tflops / 16,
        tf32_tflops=bf16_tflops / 2,
        fp16_tflops=bf16_tflops,
        bf16_tflops=bf16_tflops,
        fp4_tflops=None,
        int8_tops=None,
        link=None,
        link_gbytes_per_s=None,
        pcie_gbytes_per_s=None,
        tdp_watts=None,
        compute_capability=None,
        supports_flash_attention=True,
        launch_year=None,
        purchase_usd=None,
        source="test",
        confidence="high",
        **given,
    )


H100 = card("H100 SXM", 79.1, 989, 3350)
B200 = card("B200", 178.35, 2250, 8000, architecture="blackwell")
A100 = card("A100 SXM", 79.14, 312, 2039, architecture="ampere", supports_fp8=False, pcie_generation=4)
RTX_4090 = card("RTX 4090", 23.5, 165, 1008, architecture="ada", form_factor="consumer", pcie_generation=4)
V100 = card("V100", 31.7, 125, 900, architecture="volta", supports_bf16=False, supports_fp8=False)

ALONE = IntraNodeLink("none", None, 1, None)
NVSWITCH = IntraNodeLink("nvlink4+nvswitch", 900, 8, True)
PCIE3 = IntraNodeLink("pcie3", None, 1, False)
NO_FABRIC = Fabric("none", None, 1)
UNKNOWN_FABRIC = Fabric(None, None, None)
INFINIBAND = Fabric("infiniband-ndr", 3200, 64)
ETHERNET = Fabric("ethernet", 1, 64)


def cluster(
    accelerator: Accelerator,
    count: int,
    link: IntraNodeLink = NVSWITCH,
    nodes: int = 1,
    fabric: Fabric = UNKNOWN_FABRIC,
) -> Cluster:
    return Cluster(
        Node(accelerator, count, ALONE if count == 1 else link, Host(None, None, None)), nodes, fabric
    )


def run(**fields: Any) -> TrainingRun:
    return TrainingRun.from_fields({"model": "llama-3.1-8b", **fields})
