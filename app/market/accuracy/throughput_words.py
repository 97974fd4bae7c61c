"""What the words of a throughput case mean: accelerator, link, software, sharding. Rules, never rows."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from app.domain.accelerator import Accelerator
from app.domain.errors import BadInput
from app.domain.hardware import IntraNodeLink
from app.domain.sentence import none_of
from app.market.accuracy.cells import Row, begins, has, is_blank, names, squeezed, word
from app.training.assumptions_time import value_of
from app.training.layout import ShardingKind

_FORM = re.compile(r"sxm\d?|pcie|nvl\d*|oam|server|workstation|maxq")
_BRAND = re.compile(r"nvidia|geforce|tesla|amd|instinct|intel|hgx|dgx|hbm\d?e?")
_MEMORY = re.compile(r"(\d+)gb")
_WATTS = re.compile(r"(\d+)w")
_YEAR = re.compile(
    r"arxiv (\d\d)\d\d\.|(?:readme|commit [0-9a-f]+,?) \(?(20\d\d)|\((20\d\d)\)|, (20\d\d)\)", re.IGNORECASE
)
_NVLINK = re.compile(r"nvlink[\s-]?(\d?)(?:[\s+-]+(nvswitch|bridge|nvl(\d+)))?|nvswitch", re.IGNORECASE)
_PCIE = re.compile(
    r"pcie(?:[\s-]?(?:gen[\s-]?)?(\d))?(?:\.0)?(?:[\s-]+x(\d+))?([\s-]+no[\s-]?p2p)?", re.IGNORECASE
)
_BOARDS = ("sxm", "superchip", "oam")  # form factors with links of their own

SOFTWARE_WORDS: tuple[tuple[str, str], ...] = (
    ("deep learning examples", "eager"),
    ("hf", "eager"),
    ("transformers", "eager"),
    ("peft", "eager"),
    ("llama factory", "eager"),
    ("pytorch ddp", "eager"),
    ("mlperf", "megatron"),
    ("megatron", "megatron"),
    ("nemo", "megatron"),
    ("megascale", "megatron"),
    ("internevo", "megatron"),
    ("meta internal", "megatron"),
    ("gigatron", "megatron"),
)
PRECISION_WORDS: tuple[tuple[str, str], ...] = (
    ("mxfp8", "mxfp8"),
    ("fp8", "fp8"),
    ("fp4", "fp4"),
    ("bf16", "bf16"),
    ("bfloat16", "bf16"),
    ("fp16", "fp16"),
    ("float16", "fp16"),
    ("tf32", "fp32"),
    ("fp32", "fp32"),
    ("float32", "fp32"),
)
PRE_FUSED_WORDS = ("deepspeed zero 3", "megatron deepspeed", "gpt neox", "metaseq")
FUSED_LATER = ("gpt neox",)
LAST_PRE_FUSED_YEAR = 2022
_NVLINK_GENERATIONS = {"pascal": 1, "volta": 2, "ampere": 3, "hopper": 4}


@dataclass(frozen=True, slots=True)
class NameParts:
    """A case's spelling of an accelerator, taken apart: `A100-80GB-SXM`, `H100-SXM-96GB-500W`; `chip` is written in
    one word without its maker."""

    chip: str
    form: str | None
    memory_gb: int | None
    watts: int | None


def name_parts(name: str) -> NameParts:
    """Chip, form factor, memory and power cap of a spelling."""
    chip: list[str] = []
    form, memory, watts = None, None, None
    for token in name.strip().lower().replace("_", "-").replace(" ", "-").split("-"):
        if _FORM.fullmatch(token):
            form = token
        elif found := _MEMORY.fullmatch(token):
            memory = int(found[1])
        elif found := _WATTS.fullmatch(token):
            watts = int(found[1])
        elif not _BRAND.fullmatch(token):
            chip.append(token)
    return NameParts("".join(chip), form, memory, watts)


def accelerator_of(name: str, link: str, known: Iterable[Accelerator]) -> Accelerator | None:
    """The catalog's accelerator for a spelling, with a stated power cap applied; None where nothing matches.

    Without a form factor an NVLink case means the SXM board. A power cap lowers the peak that can be held:
    `(cap ÷ TDP) ** power_cap_exponent`.
    """
    wanted = name_parts(name)
    found = [(name_parts(one.key), one) for one in known]
    found = [(parts, one) for parts, one in found if parts.chip in (wanted.chip, f"rtx{wanted.chip}")]
    form = wanted.form or ("sxm" if link.lower().startswith("nvlink") else None)
    if form:
        found = [(parts, one) for parts, one in found if (parts.form or "").startswith(form)] or found
    found = [(parts, one) for parts, one in found if parts.memory_gb == wanted.memory_gb] or found
    if not found:
        return None
    accelerator = found[0][1]
    if wanted.watts and accelerator.tdp_watts and wanted.watts < accelerator.tdp_watts:
        return _capped(accelerator, (wanted.watts / accelerator.tdp_watts) ** value_of("power_cap_exponent"))
    return accelerator


def _capped(accelerator: Accelerator, share: float) -> Accelerator:
    def cut(value: float | None) -> float | None:
        return None if value is None else value * share

    return replace(
        accelerator,
        fp32_tflops=cut(accelerator.fp32_tflops),
        tf32_tflops=cut(accelerator.tf32_tflops),
        fp16_tflops=cut(accelerator.fp16_tflops),
        bf16_tflops=cut(accelerator.bf16_tflops),
        fp8_tflops=cut(accelerator.fp8_tflops),
        fp4_tflops=cut(accelerator.fp4_tflops),
    )


def link_of(text: str, accelerator: Accelerator, count: int) -> IntraNodeLink | None:
    """The link inside a node from a case's words, without any that of the board; None where they are not understood."""
    if count == 1:
        return IntraNodeLink("none", None, 1, None)
    words = _link_of_board(accelerator) if is_blank(text) else text.strip().replace("_", "-")
    if words.lower().startswith(("xgmi", "infinity")):
        return IntraNodeLink("infinity-fabric", accelerator.link_gbytes_per_s, count, True)
    if found := _NVLINK.match(words):
        if found[2] and found[2].lower() == "bridge":
            return IntraNodeLink("nvlink-bridge-2way", accelerator.link_gbytes_per_s, 2, True)
        domain = int(found[3]) if found[3] else count
        switched = "+nvswitch" if found[2] or not found[1] else ""
        kind = f"nvlink{found[1] or _NVLINK_GENERATIONS.get(accelerator.architecture, 5)}{switched}"
        return IntraNodeLink(kind, accelerator.link_gbytes_per_s, domain, True)
    if found := _PCIE.match(words):
        generation = int(found[1]) if found[1] else min(accelerator.pcie_generation or 3, 4)
        rate = value_of(f"pcie_gbytes_per_s.{generation}") * 2 * (int(found[2]) / 16 if found[2] else 1)
        return IntraNodeLink(f"pcie{generation}", rate, count, found[3] is None)
    return None


def _link_of_board(accelerator: Accelerator) -> str:
    """SXM and OAM boards are made for the links of their own; any other card has the bus, and consumer cards have no
    peer-to-peer traffic on it."""
    if accelerator.form_factor in _BOARDS and accelerator.link_gbytes_per_s:
        return "xgmi" if accelerator.vendor == "amd" else "nvlink"
    return "pcie-noP2P" if accelerator.form_factor == "consumer" else "pcie"


def software_of(framework: str, source: str, method: str) -> str:
    """Software class by the framework's name, the year in its source, and what is trained.

    NVIDIA's DeepLearningExamples pretrain with fused kernels and fine-tune with a plain mixed-precision loop.
    """
    if names(framework, "deep learning examples") and method == "pretrain":
        return "megatron"
    year = _year_of(source)
    recent = next((kind for name, kind in SOFTWARE_WORDS if names(framework, name)), "fsdp")
    if recent != "eager" and (
        any(names(framework, name) for name in PRE_FUSED_WORDS)
        or (year is not None and year <= LAST_PRE_FUSED_YEAR)
    ):
        return "legacy"
    return recent


def has_fused_attention(software: str, row: Row) -> bool:
    """Whether attention ran in one kernel (arXiv 2205.14135): not in software of its time or before, but for what took
    it up since (FUSED_LATER, by the date of the source), nor where the notes deny it."""
    if has(word(row, "notes"), "no flashattention"):
        return False
    year = _year_of(word(row, "source"))
    later = any(names(word(row, "framework"), name) for name in FUSED_LATER)
    return software != "legacy" or (later and year is not None and year > LAST_PRE_FUSED_YEAR)


def _year_of(source: str) -> int | None:
    years = [int(y) if len(y) == 4 else 2000 + int(y) for found in _YEAR.findall(source) for y in found if y]
    return max(years, default=None)


def precision_of(words: str) -> str:
    """The compute precision, from words such as `bf16`, `fp16-int4` (4-bit weights, FP16 products), `fp8/nvfp4`.

    Raises:
        ValueError: none of the known formats is named.
    """
    if has(words, "fp8") and has(words, "fp4"):
        return "fp8+fp4"
    for spelling, precision in PRECISION_WORDS:
        if has(words, spelling):
            return precision
    raise ValueError(f"precision is {words!r}")


def sharding_of(words: str) -> ShardingKind:
    """What is split over the data-parallel ranks, from words such as `TP+PP+DP(dist-opt)`."""
    if has(words, "hsdp", "hybrid_shard"):
        return "hybrid"
    if has(words, "grad-op", "zero-2", "zero stage 2"):
        return "gradients"
    if has(words, "fsdp", "zero-3", "zero stage 3", "full_shard", "fully sharded"):
        return "full"
    if has(words, "zero-1", "zero stage 1", "dist-opt", "distributed optimizer", "tp/cp", "dp/tp"):
        return "optimizer"
    stated = squeezed(words) == "none" or not is_blank(words)
    return "none" if stated else "optimizer"


def degrees_named(words: str) -> bool:
    """Whether the sharding names tensor, pipeline or context parallelism, in capitals or not."""
    return not {"tp", "pp", "cp", "tensor", "pipeline", "context"}.isdisjoint(
        re.split(r"[^a-z]+", words.lower())
    )


def method_of(row: Row) -> str:
    """`pretrain`, `full`, `lora` or `qlora`; full where blank.

    Raises:
        BadInput: none of them.
    """
    text = word(row, "method")
    if has(text, "lora"):
        return "qlora" if has(text, "qlora") else "lora"
    if has(text, "pretrain"):
        return "pretrain"
    if not text or begins(text, "full", "finetun", "sft"):
        return "full"
    raise BadInput("method", none_of(text, ("pretrain", "full", "lora", "qlora")))
