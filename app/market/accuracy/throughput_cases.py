"""Measured throughput cases: rows in the columns of `cases/throughput_measured.csv`, as questions for the model."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from app.domain.accelerator import Accelerator
from app.domain.errors import BadInput
from app.domain.hardware import Cluster, Fabric, Host, Node
from app.market.accuracy.cells import Row, figure, has, needs, quality_of, read_table, word
from app.market.accuracy.memory_words import whole
from app.market.accuracy.throughput_layouts import fastest_layout, layout_of, number, positive
from app.market.accuracy.throughput_words import (
    accelerator_of,
    has_fused_attention,
    link_of,
    method_of,
    precision_of,
    software_of,
)
from app.training.assumptions_time import SOFTWARE, value_of
from app.training.compute import Workload, model_flops_per_token
from app.training.layout import Layout
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
BOARD, TRAY = 8, 4  # accelerators of an HGX, OAM or PCIe node, and of a tray of an NVL72 rack (NVIDIA)
WIDE_HEAD, NARROW_HEAD = 128.0, 64.0  # head widths of GPT-3 and of BERT and GPT-2, where none is stated


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
        return _kind(self.row) == "total"

    @property
    def total_tokens(self) -> float:
        """Tokens of a whole run."""
        return positive(self.row, "total_tokens_b") * 1e9

    @property
    def quality(self) -> str:
        """A official or complete, B partly inferred, C doubtful."""
        return quality_of(self.row)

    @property
    def source(self) -> str:
        """Who published it: rows of one source are comparable with each other."""
        return self.row.get("group") or self.row.get("source") or ""

    @property
    def model(self) -> str:
        """The model's name as the source spells it."""
        return self.row.get("model") or ""

    @property
    def groups(self) -> tuple[str, ...]:
        """What the row counts under."""
        told = (
            ("accelerator", self.row.get("gpu")),
            ("link", self.row.get("intra_node_link")),
            ("method", method_of(self.row)),
        )
        return tuple(f"{label} {cell}" for label, cell in told if cell)


def read_cases(path: Path, accelerators: Iterable[Accelerator]) -> tuple[list[Case], dict[str, str]]:
    """Cases of a CSV file, and for each row that cannot be taken its id and the reason.

    Raises:
        BadInput: not a file, not CSV, or a required column is missing.
    """
    columns, rows = read_table(path)
    needs(path, columns, REQUIRED)
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
    kind = _kind(row)
    if kind not in ("bench", "total"):
        return "not a steady rate or a whole run"
    accelerator = accelerator_of(row["gpu"] or "", word(row, "intra_node_link"), known)
    if accelerator is None:
        return f"accelerator {row['gpu']!r} is not in the catalog"
    try:
        cluster = _cluster(row, accelerator)
        if isinstance(cluster, str):
            return cluster
        work = _work(row)
        measured = _measured(row, work, accelerator)
        if kind == "total":
            positive(row, "total_tokens_b")
        layout = fastest_layout(row, work, cluster) if kind == "total" else layout_of(row, cluster)
    except BadInput as error:
        return error.message
    except ValueError as error:
        return f"a figure cannot be read: {error}"
    if measured is None:
        return "no token rate and no MFU"
    return Case(row["id"] or "", row, work, layout, cluster, measured)


def _measured(row: Row, work: Workload, accelerator: Accelerator) -> float | None:
    """Tokens per second and accelerator; where only MFU is given, from it."""
    if figure(row, "tokens_per_s_per_gpu") is not None:
        return positive(row, "tokens_per_s_per_gpu")
    peak = (
        accelerator.fp8_tflops
        if has(word(row, "precision"), "fp8")
        else accelerator.bf16_tflops or accelerator.fp16_tflops
    )
    if figure(row, "mfu_percent") is None or peak is None:
        return None
    return positive(row, "mfu_percent") / 100 * peak * 1e12 / float(model_flops_per_token(work))


def _cluster(row: Row, accelerator: Accelerator) -> Cluster | str:
    positive(row, "gpu_count")
    total = whole(row, "gpu_count")
    nodes = _nodes(row, total)
    if nodes > total:
        raise BadInput("nodes", f"{nodes} nodes hold more than {total} accelerators")
    count = max(1, total // nodes)
    words = row.get("intra_node_link") or ""
    link = link_of(words, accelerator, count if nodes == 1 else max(count, 2))
    if link is None:
        return f"link {words!r} is not understood"
    if nodes > 1 and figure(row, "internode_fabric_gbps") is None:
        return "several nodes, and the network between them is not stated"
    gbps = positive(row, "internode_fabric_gbps") if nodes > 1 else None
    kind = None if gbps is None else "ethernet" if gbps < 100 else "rdma"
    return Cluster(Node(accelerator, count, link, Host(None, None, None)), nodes, Fabric(kind, gbps, None))


def _nodes(row: Row, total: int) -> int:
    """As stated, else whole boards of the common size: trays in an NVL72 rack."""
    if figure(row, "nodes") is not None:
        return whole(row, "nodes")
    size = TRAY if has(word(row, "intra_node_link"), "nvl72") else BOARD
    if total > size and total % size:
        raise BadInput("nodes", "nodes is not given")
    return max(1, total // size)


def _kind(row: Row) -> str:
    return word(row, "kind")


def _work(row: Row) -> Workload:
    params = positive(row, "params")
    active = number(row, "params_active", params)
    method, hidden = method_of(row), positive(row, "hidden")
    attention = number(row, "attn_dim", hidden)
    frozen = method in ("lora", "qlora")
    software = software_of(word(row, "framework"), word(row, "source"), method)
    bidirectional = has(row.get("model") or "", "bert")
    quantised = method == "qlora"
    real = (
        value_of("padding.long")
        if bidirectional and method == "pretrain" and positive(row, "seq_len") > 128
        else 1.0
    )
    layers = positive(row, "layers")
    return Workload(
        linear=12 * layers * hidden**2 * real if bidirectional else active,
        stored=params,
        trained=params * 0.005 if frozen else params,
        layers=layers,
        hidden=hidden,
        attention_width=attention,
        kv_width=attention / 4,
        heads=attention / (WIDE_HEAD if hidden >= 2048 else NARROW_HEAD),
        sequence=positive(row, "seq_len"),
        precision=PRECISIONS.index(precision_of(word(row, "precision"))),
        software=SOFTWARE.index(software),
        backward=1.0 if frozen else 2.0,
        span=real if bidirectional else 0.5,
        quantised=float(quantised),
        frozen=float(frozen),
        flash=float(has_fused_attention(software, row)),
        experts_per_token=8.0 if active < 0.9 * params else 0.0,
        weight_bytes=0.55 if quantised else 2.0,
    )
