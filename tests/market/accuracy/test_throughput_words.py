"""Words of throughput cases: spellings become catalog keys, links, software and sharding by rule."""

from __future__ import annotations

import pytest

from app.catalog import load_catalog
from app.market.accuracy.throughput_words import (
    accelerator_of,
    has_fused_attention,
    link_of,
    name_parts,
    precision_of,
    sharding_of,
    software_of,
)

KNOWN = load_catalog().accelerators


@pytest.mark.parametrize(
    ("name", "link", "key"),
    [
        ("H100-SXM", "NVLink4-NVSwitch", "h100-sxm5-80gb"),
        ("H100-PCIe", "PCIe5", "h100-pcie-80gb"),
        ("H200-NVL", "NVLink4-bridge", "h200-nvl-141gb"),
        ("A100-40GB-PCIe", "PCIe4", "a100-pcie-40gb"),
        ("A100-40GB-SXM", "NVLink3-NVSwitch", "a100-sxm4-40gb"),
        ("V100-16GB", "NVLink2", "v100-sxm2-16gb"),
        ("GB300", "NVLink5-NVL72", "gb300-nvl72-288gb"),
        ("RTX-6000-Ada", "PCIe4", "rtx-6000-ada-48gb"),
        ("RTX-4090", "PCIe4-noP2P", "rtx-4090-24gb"),
        ("MI325X", "xGMI", "mi325x-256gb"),
        ("L40S", "PCIe4", "l40s-48gb"),
        ("T4", "PCIe3", "t4-16gb"),
        ("NVIDIA A100-SXM4-80GB", "", "a100-sxm4-80gb"),
        ("H100-80GB-HBM3", "NVLink", "h100-sxm5-80gb"),
        ("GeForce RTX 4090", "", "rtx-4090-24gb"),
        ("rtx4090", "", "rtx-4090-24gb"),
        ("3090", "", "rtx-3090-24gb"),
        ("A6000", "", "rtx-a6000-48gb"),
        ("RTX-2080Ti", "", "rtx-2080-ti-11gb"),
        ("RTX-PRO-6000-Server", "", "rtx-pro-6000-server-96gb"),
    ],
)
def test_a_spelling_finds_its_accelerator(name: str, link: str, key: str) -> None:
    found = accelerator_of(name, link, KNOWN.values())
    assert found is not None and found.key == key


def test_an_unknown_chip_is_none_rather_than_a_neighbour() -> None:
    assert accelerator_of("H1000-SXM", "NVLink4-NVSwitch", KNOWN.values()) is None


def test_a_power_cap_lowers_what_can_be_held() -> None:
    capped = accelerator_of("H100-SXM-96GB-500W", "NVLink4-NVSwitch", KNOWN.values())
    assert name_parts("H100-SXM-96GB-500W").watts == 500
    assert capped is not None and capped.bf16_tflops is not None
    assert 600 < capped.bf16_tflops < 950


@pytest.mark.parametrize(
    ("text", "kind", "domain", "peer"),
    [
        ("NVLink4-NVSwitch", "nvlink4+nvswitch", 8, True),
        ("NVLink5-NVL72", "nvlink5+nvswitch", 72, True),
        ("NVLink2-bridge", "nvlink-bridge-2way", 2, True),
        ("xGMI", "infinity-fabric", 8, True),
        ("PCIe4", "pcie4", 8, True),
        ("PCIe3-x8-noP2P", "pcie3", 8, False),
        ("PCIe 4.0 x16", "pcie4", 8, True),
        ("PCIe Gen5", "pcie5", 8, True),
        ("NVSwitch", "nvlink4+nvswitch", 8, True),
        ("NVLink", "nvlink4+nvswitch", 8, True),
        ("NVLink4 + NVSwitch", "nvlink4+nvswitch", 8, True),
        ("", "nvlink4+nvswitch", 8, True),
    ],
)
def test_a_link_is_read_from_its_words(text: str, kind: str, domain: int, peer: bool) -> None:
    found = link_of(text, KNOWN["h100-sxm5-80gb"], 8)
    assert found is not None
    assert (found.kind, found.domain_size, found.peer_to_peer) == (kind, domain, peer)


@pytest.mark.parametrize(
    ("key", "kind", "peer"),
    [
        ("v100-sxm2-16gb", "nvlink2+nvswitch", True),
        ("mi300x-192gb", "infinity-fabric", True),
        ("l40s-48gb", "pcie4", True),
        ("rtx-4090-24gb", "pcie4", False),
    ],
)
def test_a_link_that_is_not_stated_is_the_one_the_board_is_made_for(key: str, kind: str, peer: bool) -> None:
    found = link_of("", KNOWN[key], 8)
    assert found is not None
    assert (found.kind, found.peer_to_peer) == (kind, peer)


def test_eight_lanes_carry_half_of_sixteen() -> None:
    half, full = (link_of(text, KNOWN["rtx-3090-24gb"], 2) for text in ("PCIe3-x8-noP2P", "PCIe3-noP2P"))
    assert half is not None and full is not None and half.gbytes_per_s is not None
    assert half.gbytes_per_s * 2 == full.gbytes_per_s


def test_a_link_that_is_not_understood_is_none() -> None:
    assert link_of("pigeons", KNOWN["h100-sxm5-80gb"], 8) is None


@pytest.mark.parametrize(
    ("framework", "source", "method", "kind"),
    [
        ("NeMo 24.07 (Megatron-Core)", "docs", "pretrain", "megatron"),
        ("MLPerf v4.0 HF+DeepSpeed", "results", "lora", "eager"),
        ("torchtitan", "docs", "pretrain", "fsdp"),
        ("HF transformers+PEFT", "README", "qlora", "eager"),
        ("Megatron-LM", "NVIDIA/Megatron-LM README 2021 (images)", "pretrain", "legacy"),
        ("Megatron-LM", "arXiv 2402.15627 Table 2", "pretrain", "megatron"),
        ("NVIDIA DeepLearningExamples PyTorch", "README", "pretrain", "megatron"),
        ("NVIDIA DeepLearningExamples PyTorch", "README", "full", "eager"),
    ],
)
def test_software_is_told_by_name_and_year(framework: str, source: str, method: str, kind: str) -> None:
    assert software_of(framework, source, method) == kind


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("FSDP-full", "full"),
        ("ZeRO-3", "full"),
        ("FSDP-grad-op", "gradients"),
        ("HSDP", "hybrid"),
        ("TP+PP+DP(dist-opt)", "optimizer"),
        ("ZeRO-1(node)", "optimizer"),
        ("TP+PP+DP", "none"),
        ("DDP", "none"),
    ],
)
def test_sharding_is_read_from_its_words(words: str, kind: str) -> None:
    assert sharding_of(words) == kind


@pytest.mark.parametrize(
    ("words", "precision"),
    [
        ("bf16", "bf16"),
        ("bfloat16", "bf16"),
        ("float32", "fp32"),
        ("fp16-int4", "fp16"),
        ("bf16-mixed", "bf16"),
        ("nvfp4", "fp4"),
        ("fp8/nvfp4", "fp8+fp4"),
        ("tf32", "fp32"),
    ],
)
def test_precision_is_read_from_its_words(words: str, precision: str) -> None:
    assert precision_of(words) == precision


def test_a_precision_that_nobody_knows_is_refused() -> None:
    with pytest.raises(ValueError, match="posit16"):
        precision_of("posit16")


@pytest.mark.parametrize(
    ("software", "framework", "source", "notes", "fused"),
    [
        ("megatron", "NeMo", "", "", True),
        ("legacy", "Megatron-LM", "arXiv 2104.04473", "", False),
        ("legacy", "GPT-NeoX", "arXiv 2204.06745", "", False),
        ("legacy", "GPT-NeoX", "arXiv 2304.01373", "", True),
        ("legacy", "metaseq", "arXiv 2302.13971 Table 15", "", False),
        ("fsdp", "llm-foundry", "arXiv 2307.08691", "No FlashAttention", False),
    ],
)
def test_attention_is_fused_since_its_software_took_up_the_kernels(
    software: str, framework: str, source: str, notes: str, fused: bool
) -> None:
    row = {"framework": framework, "source": source, "notes": notes}
    assert has_fused_attention(software, row) is fused
