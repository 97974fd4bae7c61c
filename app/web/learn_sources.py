"""What the lessons cite: each source once, with its date. Titles stay in the language they were published in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Source:
    """`short` as the text cites it, `where` it appeared, `date` as year and month (or year), `href` to read it."""

    key: str
    short: str
    title: str
    where: str
    date: str
    href: str


def _arxiv(key: str, short: str, title: str, number: str, date: str) -> Source:
    return Source(key, short, title, f"arXiv {number}", date, f"https://arxiv.org/abs/{number}")


_ALL = (
    _arxiv("adam", "Kingma & Ba 2014", "Adam: A Method for Stochastic Optimization", "1412.6980", "2014-12"),
    _arxiv("mixed", "Micikevicius et al. 2017", "Mixed Precision Training", "1710.03740", "2017-10"),
    _arxiv(
        "checkpointing", "Chen et al. 2016", "Training Deep Nets with Sublinear Memory Cost", "1604.06174", "2016-04"
    ),
    _arxiv(
        "recompute", "Korthikanti et al. 2022", "Reducing Activation Recomputation in Large Transformer Models",
        "2205.05198", "2022-05",
    ),
    _arxiv("lora", "Hu et al. 2021", "LoRA: Low-Rank Adaptation of Large Language Models", "2106.09685", "2021-06"),
    _arxiv("qlora", "Dettmers et al. 2023", "QLoRA: Efficient Finetuning of Quantized LLMs", "2305.14314", "2023-05"),
    _arxiv("cce", "Wijmans et al. 2024", "Cut Your Losses in Large-Vocabulary Language Models", "2411.09009", "2024-11"),
    _arxiv(
        "zero", "Rajbhandari et al. 2019", "ZeRO: Memory Optimizations Toward Training Trillion Parameter Models",
        "1910.02054", "2019-10",
    ),
    _arxiv(
        "fsdp", "Zhao et al. 2023", "PyTorch FSDP: Experiences on Scaling Fully Sharded Data Parallel", "2304.11277",
        "2023-04",
    ),
    _arxiv(
        "tensor", "Shoeybi et al. 2019",
        "Megatron-LM: Training Multi-Billion Parameter Language Models Using Model Parallelism", "1909.08053", "2019-09",
    ),
    _arxiv(
        "pipeline", "Narayanan et al. 2021",
        "Efficient Large-Scale Language Model Training on GPU Clusters Using Megatron-LM", "2104.04473", "2021-04",
    ),
    _arxiv("large_batch", "McCandlish et al. 2018", "An Empirical Model of Large-Batch Training", "1812.06162", "2018-12"),
    _arxiv("palm", "Chowdhery et al. 2022", "PaLM: Scaling Language Modeling with Pathways, appendix B", "2204.02311", "2022-04"),
    _arxiv(
        "bathtub", "Kadupitiya et al. 2019", "Modeling The Temporally Constrained Preemptions of Transient Cloud VMs",
        "1911.05160", "2019-11",
    ),
    _arxiv(
        "bloom", "BigScience 2022", "BLOOM: A 176B-Parameter Open-Access Multilingual Language Model", "2211.05100",
        "2022-11",
    ),
    Source(
        "young", "Young 1974", "A first order approximation to the optimum checkpoint interval",
        "Communications of the ACM 17 (9)", "1974-09", "https://doi.org/10.1145/361147.361115",
    ),
    Source(
        "daly", "Daly 2006", "A higher order estimate of the optimum checkpoint interval for restart dumps",
        "Future Generation Computer Systems 22 (3)", "2006-02", "https://doi.org/10.1016/j.future.2004.11.016",
    ),
    Source(
        "roofline", "Williams et al. 2009",
        "Roofline: an insightful visual performance model for multicore architectures",
        "Communications of the ACM 52 (4)", "2009-04", "https://doi.org/10.1145/1498765.1498785",
    ),
    Source(
        "traces", "SkyPilot 2024", "spot-traces: availability and preemption of spot instances", "GitHub", "2024-04",
        "https://github.com/skypilot-org/spot-traces",
    ),
    Source(
        "engineering", "Bekman 2026", "Machine Learning Engineering Open Book", "GitHub", "2026-08",
        "https://github.com/stas00/ml-engineering",
    ),
    Source(
        "mlperf_storage", "MLCommons 2025", "MLPerf Storage benchmark: workload definitions", "GitHub", "2025",
        "https://github.com/mlcommons/storage",
    ),
    Source(
        "nccl", "NVIDIA 2024", "nccl-tests: performance reported by the tests", "GitHub", "2024",
        "https://github.com/NVIDIA/nccl-tests/blob/master/doc/PERFORMANCE.md",
    ),
)  # fmt: skip
SOURCES: Mapping[str, Source] = {source.key: source for source in _ALL}
