"""Measured throughput cases: rows in the columns of `cases/throughput_measured.csv`, as questions for the model."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from app.domain.accelerator import Accelerator
from app.domain.errors import BadInput
from app.domain.hardware import Cluster, Fabric, Host, Node
from app.market.accuracy.throughput_words import accelerator_of, link_of, sharding_of, software_of
from app.training.assumptions_time import SOFTWARE, value_of
from app.training.compute import Workload, model_flops_per_token
from app.training.layout import CheckpointingKind, Layout
from app.training.machine import PRECISIONS

REQUIRED = (
    "id",
    "params",
    "layers",
    "hidden",
    "seq_len",
    "gpu",
    "gpu_count",
    "nodes",
    "precision",
    "method",
    "kind",
)
PRECISION_OF = {"fp16-int4": "fp16", "bf16-int4": "bf16", "nvfp4": "fp4", "fp8/nvfp4": "fp8+fp4"}
TOTAL_BATCH_TOKENS = 4 * 2**20
TOTAL_TOKENS_PER_ACCELERATOR = 1024
PASS_TOKENS = 8192
MEMORY_SHARE = 0.5
Row = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Case:
    """One measured row: what ran, where, and `measured` tokens per second and accelerator."""

    id: str
    row: Row
    work: Workload
    layout: Layout
    cluster: Cluster
    measured: float

    @property
    def is_total(self) -> bool:
        """A whole run's accelerator hours rather than a steady rate."""
        return self.row.get("kind") == "total"


def read_cases(path: Path, accelerators: Iterable[Accelerator]) -> tuple[list[Case], dict[str, str]]:
    """Cases of a CSV file, and for each row that cannot be taken its id and the reason.

    Raises:
        BadInput: not a file, not CSV, or a required column is missing.
    """
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.DictReader(file)
            missing = [name for name in REQUIRED if name not in (reader.fieldnames or [])]
            if missing:
                raise BadInput("file", f"{path.name} has no column {missing[0]!r}")
            rows = list(reader)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BadInput("file", f"cannot read {path}: {error}") from error
    known = tuple(accelerators)
    cases: list[Case] = []
    skipped: dict[str, str] = {}
    for row in rows:
        found = _case(row, known)
        if isinstance(found, str):
            skipped[row["id"]] = found
        else:
            cases.append(found)
    return cases, skipped


def _case(row: Row, known: tuple[Accelerator, ...]) -> Case | str:
    """The case, or why the row cannot be taken."""
    if row["kind"] not in ("bench", "total"):
        return "not a steady rate or a whole run"
    accelerator = accelerator_of(row["gpu"], row.get("intra_node_link", ""), known)
    if accelerator is None:
        return f"accelerator {row['gpu']!r} is not in the catalog"
    try:
        cluster = _cluster(row, accelerator)
        if isinstance(cluster, str):
            return cluster
        work = _work(row)
        measured = _measured(row, work, accelerator)
        layout = _layout(row, cluster)
    except (ValueError, KeyError) as error:
        return f"a figure cannot be read: {error}"
    if measured is None:
        return "no token rate and no MFU"
    return Case(row["id"], row, work, layout, cluster, measured)


def _measured(row: Row, work: Workload, accelerator: Accelerator) -> float | None:
    """Tokens per second and accelerator; where only MFU is given, from it."""
    if row.get("tokens_per_s_per_gpu"):
        return _positive(row, "tokens_per_s_per_gpu")
    peak = (
        accelerator.fp8_tflops
        if "fp8" in row["precision"]
        else accelerator.bf16_tflops or accelerator.fp16_tflops
    )
    if not row.get("mfu_percent") or peak is None:
        return None
    return _positive(row, "mfu_percent") / 100 * peak * 1e12 / float(model_flops_per_token(work))


def _cluster(row: Row, accelerator: Accelerator) -> Cluster | str:
    nodes, total = int(_positive(row, "nodes")), int(_positive(row, "gpu_count"))
    count = max(1, total // nodes)
    link = link_of(row.get("intra_node_link", ""), accelerator, count if nodes == 1 else max(count, 2))
    if link is None:
        return f"link {row.get('intra_node_link', '')!r} is not understood"
    rate = row.get("internode_fabric_gbps", "")
    gbps = float(rate) if rate.replace(".", "", 1).isdigit() else None
    if nodes > 1 and gbps is None:
        return "several nodes, and the network between them is not stated"
    kind = None if gbps is None else "ethernet" if gbps < 100 else "rdma"
    return Cluster(Node(accelerator, count, link, Host(None, None, None)), nodes, Fabric(kind, gbps, None))


def _work(row: Row) -> Workload:
    params = _positive(row, "params")
    active = _number(row, "params_active", params)
    method, hidden = row["method"], _positive(row, "hidden")
    attention = _number(row, "attn_dim", hidden)
    frozen = method in ("lora", "qlora")
    software = software_of(row.get("framework", ""), row.get("source", ""), method)
    bidirectional = "bert" in row.get("model", "").lower()
    quantised = method == "qlora"
    real = value_of("padding.long") if bidirectional and method == "pretrain" and _positive(row, "seq_len") > 128 else 1.0
    layers = _positive(row, "layers")
    return Workload(
        linear=12 * layers * hidden**2 * real if bidirectional else active,
        stored=params,
        trained=params * 0.005 if frozen else params,
        layers=layers,
        hidden=hidden,
        attention_width=attention,
        kv_width=attention / 4,
        sequence=_positive(row, "seq_len"),
        precision=PRECISIONS.index(PRECISION_OF.get(row["precision"], row["precision"])),
        software=SOFTWARE.index(software),
        backward=1.0 if frozen else 2.0,
        span=real if bidirectional else 0.5,
        quantised=float(quantised),
        frozen=float(frozen),
        flash=0.0 if software == "legacy" or "no flashattention" in row.get("notes", "").lower() else 1.0,
        experts_per_token=8.0 if active < 0.9 * params else 0.0,
        weight_bytes=0.55 if quantised else 2.0,
    )


def _layout(row: Row, cluster: Cluster) -> Layout:
    words = row.get("sharding", "")
    sharding = sharding_of(words)
    world = int(_positive(row, "gpu_count"))
    batch = _number(row, "global_batch", 0.0)
    tensor, pipeline, context = _model_parallel(row, cluster, sharding, batch)
    data = max(1, world // (tensor * pipeline * context))
    micro, accumulation = _passes(row, data, batch, pipeline)
    group = {"hybrid": int(cluster.node.count)}.get(sharding, data * context)
    return Layout(
        data_parallel=data,
        tensor_parallel=tensor,
        pipeline_parallel=pipeline,
        context_parallel=context,
        expert_parallel=int(_number(row, "ep", 1 if row.get("micro_batch") else cluster.node.count)),
        sharding=sharding,
        shard_group=group,
        micro_batch_size=micro,
        gradient_accumulation=accumulation,
        checkpointing=_checkpointing(row),
        virtual_stages=_virtual(row, pipeline),
        cpu_offload="offload" in words.lower(),
    )


def _checkpointing(row: Row) -> CheckpointingKind:
    text = row.get("activation_checkpointing", "")
    return "full" if text == "full" else "selective" if text == "selective" else "none"


def _passes(row: Row, data: int, batch: float, stages: int) -> tuple[int, int]:
    """Micro-batch and accumulation; a blank micro-batch holds up to PASS_TOKENS tokens, one sequence in a pipeline."""
    sequence = _positive(row, "seq_len")
    if not batch and not row.get("micro_batch"):
        tokens = max(TOTAL_BATCH_TOKENS, TOTAL_TOKENS_PER_ACCELERATOR * _positive(row, "gpu_count"))
        batch = tokens / sequence if row["kind"] == "total" else 4.0 * data
    share = max(1.0, batch / data)
    most = 1.0 if stages > 1 else min(share, max(1.0, PASS_TOKENS / sequence))
    micro = int(_number(row, "micro_batch", 2 ** math.floor(math.log2(most))))
    accumulation = int(_number(row, "grad_accum", max(1.0, round(share / micro))))
    return micro, accumulation


def _model_parallel(row: Row, cluster: Cluster, sharding: str, batch: float) -> tuple[int, int, int]:
    """Tensor, pipeline and context degrees as stated; where they are only named, the least that holds."""
    stated = tuple(int(_number(row, name, 1)) for name in ("tp", "pp", "cp"))
    named = any(word in row.get("sharding", "") for word in ("TP", "PP", "CP")) or row["kind"] == "total"
    published = max(stated) > 1 or row.get("micro_batch") or _number(row, "ep", 1) > 1
    if published or not named or sharding in ("full", "hybrid"):
        return stated[0], stated[1], stated[2]
    need = _power(_degree_for_memory(row, cluster))
    world = int(_positive(row, "gpu_count"))
    if batch and batch < world:
        need = max(need, world // max(1, int(batch)))
    routed = _number(row, "params_active", 0.0) < 0.9 * _positive(row, "params") and row.get("params_active")
    tensor = 1 if routed else min(8, _power(need), max(cluster.node.link.domain_size, 1))
    rest = max(1, need // tensor)
    long = _positive(row, "seq_len") >= 4096 and row["method"] in ("lora", "qlora")
    return (tensor, 1, rest) if long else (tensor, rest, 1)


def _virtual(row: Row, stages: int) -> int:
    """Virtual pipeline stages; an inferred pipeline interleaves by two layers, as the published ones do."""
    if stages == int(_number(row, "pp", 1)):
        return int(_number(row, "vp", 1))
    return max(1, int(_positive(row, "layers")) // (2 * stages))


def _degree_for_memory(row: Row, cluster: Cluster) -> float:
    params, world = _positive(row, "params"), _positive(row, "gpu_count")
    memory = cluster.node.accelerator.usable_gib * 2**30 * MEMORY_SHARE
    if row["method"] in ("lora", "qlora"):
        return params / memory
    return 6.0 * params / max(memory - 12.0 * params / world, 0.3 * memory)


def _power(value: float) -> int:
    return int(2 ** math.ceil(math.log2(max(1.0, value))))


def _positive(row: Row, name: str) -> float:
    value = float(row[name])
    if not value > 0:
        raise ValueError(f"{name} is {row[name]!r}")
    return value


def _number(row: Row, name: str, default: float) -> float:
    return _positive(row, name) if row.get(name) else default


def stack(cases: list[Case], field: Callable[[Case], float]) -> list[float]:
    """One figure of each case."""
    return [field(case) for case in cases]
