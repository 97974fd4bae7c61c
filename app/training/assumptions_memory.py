"""Constants of the memory estimate. Data; the formulas are in states, activations, loss, buffers, memory."""

from __future__ import annotations

from app.domain.accelerator import Confidence
from app.training.assumption import Assumption

_MODEL = "docs/memory_model.md"


def _known(
    name: str, value: float, low: float, high: float, unit: str, source: str, sure: Confidence = "medium"
) -> Assumption:
    return Assumption(name, value, unit, low, high, source, sure)


ASSUMPTIONS: tuple[Assumption, ...] = (
    _known("loss.full", 12.0, 10, 14, "bytes per logit", f"{_MODEL} §3.3: torchtune, Transformers 5", "high"),
    _known("loss.returned", 16.0, 14, 18, "bytes per logit", f"{_MODEL} §3.3: Transformers 4 returns logits"),
    _known("loss.compiled", 10.5, 8, 12, "bytes per logit", f"{_MODEL} §3.3: 51.0 to 42.9 GiB"),
    _known("loss.loss-compiled", 5.0, 4, 8, "bytes per logit", f"{_MODEL} §3.3: torchtitan 2025"),
    _known("loss.chunked.kept", 3.5, 2, 6, "bytes per logit", f"{_MODEL} §3.3: torchtitan, torchtune"),
    _known(
        "loss.chunked-128",
        8.0,
        6,
        10,
        "bytes per logit",
        "fit: slopes over the batch of phi-1.5, StableLM and Llama 2 rows of litgpt",
    ),
    _known(
        "loss.in-place",
        2.0,
        2,
        4,
        "bytes per logit",
        "flash-attention: loss and gradient in the logits' place",
    ),
    _known(
        "loss.loss-parallel", 15.0, 12, 16, "bytes per logit", f"{_MODEL} §3.3: Qwen3-32B, 448 kB per token"
    ),
    _known("loss.vocab-parallel", 10.0, 8, 12, "bytes per logit", f"{_MODEL} §3.3: Megatron"),
    _known(
        "backward.scores",
        5.0,
        3,
        8,
        "bytes per score",
        "steps on fake tensors: gradient of the fp32 softmax",
        "high",
    ),
    _known("backward.work", 1.0, 0.5, 3, "widths", "steps on fake tensors: gradients alive in one layer"),
    _known(
        "step.foreach", 1.0, 0.9, 1.1, "multiple of one state", "steps on fake tensors: foreach AdamW", "high"
    ),
    _known(
        "fsdp1.unsharded",
        0.65,
        0.4,
        1.0,
        "share of the gradients",
        "fit: two full fine-tunes of litgpt under FSDP1",
    ),
    _known("context.lazy", 0.6, 0.4, 0.9, "GiB", f"{_MODEL} §3.5: CUDA 12 with lazy loading"),
    _known("context.old", 1.3, 1.2, 1.6, "GiB", f"{_MODEL} §3.5: CUDA 11"),
    _known(
        "loss.half",
        7.5,
        6,
        9,
        "bytes per logit",
        "fit: slope over the length of Qwen GPTQ rows; logits, shifted copy, log-softmax and gradient in 16 bit",
    ),
    _known(
        "loss.narrow",
        6.0,
        6,
        8,
        "bytes per logit",
        "steps on fake tensors: T5 and Whisper of Transformers 5 in 16 bit; log-softmax and two gradients",
        "high",
    ),
    _known(
        "reserved.dynamic.old",
        1.3,
        1.1,
        1.4,
        "reserved ÷ allocated",
        f"{_MODEL} §3.5: before expandable segments",
    ),
    _known(
        "loss.vocab-fused",
        6.0,
        4,
        8,
        "bytes per logit",
        "Megatron cross_entropy_loss_fusion: logits, fp32 exponentials",
    ),
    _known(
        "reserved.sharded",
        1.12,
        1.02,
        1.3,
        "reserved ÷ allocated",
        "fit: torchtitan rows; streams of their own fragment more",
    ),
    _known(
        "reserved.fsdp1",
        1.07,
        1.0,
        1.15,
        "× reserved",
        "torchtitan docs/fsdp.md: FSDP2 peaks 7 % lower than FSDP1 on Llama 7B; " + f"{_MODEL} §3.4",
    ),
    _known("nccl", 0.7, 0.3, 1.5, "GiB", f"{_MODEL} §3.5: not measured in the cases", "low"),
    _known("bucket.ddp", 0.05, 0.02, 0.1, "GiB", f"{_MODEL} §3.4: two buckets of 25 MB", "high"),
    _known(
        "bucket.broadcast",
        0.244,
        0.2,
        0.3,
        "GiB",
        "PyTorch DistributedDataParallel: 250 MiB at a time",
        "high",
    ),
    _known("workspace", 0.03, 0.008, 0.1, "GiB", f"{_MODEL} §3.5: cuBLAS 8 to 32 MiB per stream"),
    _known("extra.megatron-deepspeed", 1.0, 0, 6.5, "GiB", f"{_MODEL} §3.4: nobody has explained it"),
    _known("reserved.resident", 1.04, 1.0, 1.1, "reserved ÷ allocated", f"{_MODEL} §5 rule 5"),
    _known(
        "reserved.dynamic",
        1.05,
        1.0,
        1.2,
        "reserved ÷ allocated",
        f"{_MODEL} §3.5: 1.02 to 1.08 for fixed shapes or expandable segments",
    ),
    _known(
        "band.low",
        0.87,
        0.7,
        0.95,
        "× expected",
        "fit: 5th percentile of measured ÷ predicted with sources left out, and a margin",
    ),
    _known(
        "band.high",
        1.11,
        1.05,
        1.3,
        "× expected",
        "fit: 95th percentile of measured ÷ predicted with sources left out, and a margin",
    ),
)

VALUES = {a.name: a.value for a in ASSUMPTIONS}


def value_of(name: str) -> float:
    """The value of an assumption; raises KeyError for an unknown name."""
    return VALUES[name]
