"""What `/methods` shows: formulas, constants with source and range, what each verdict means, how accurate it all is.

Nothing here is typed in twice: constants come from the assumption modules, verdicts from `training.fit`, the
accuracy table from `accuracy/results.json`, which `python -m app.market.accuracy.publish` writes.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from app.domain.sentence import N_
from app.training import assumptions_cost, assumptions_fit, assumptions_memory, assumptions_time, rent_or_buy
from app.training.assumption import Assumption
from app.training.fit import REASONS, VERDICTS, VerdictKind

RESULTS = Path(__file__).parent / "accuracy" / "results.json"
PEERS = Path(__file__).parent / "accuracy" / "peers.csv"
TIME_PEERS = Path(__file__).parent / "accuracy" / "throughput_peers.csv"


@dataclass(frozen=True, slots=True)
class Formula:
    """One line of the model: `words` say what it is, `formula` how it is computed."""

    words: str
    formula: str
    source: str


@dataclass(frozen=True, slots=True)
class Condition:
    """One way in which a verdict comes about, and what it would take to avoid it."""

    when: str
    would_do: str


@dataclass(frozen=True, slots=True)
class Chapter:
    """Formulas and constants of one topic."""

    name: str
    title: str
    formulas: tuple[Formula, ...]
    assumptions: tuple[Assumption, ...]


@dataclass(frozen=True, slots=True)
class Accuracy:
    """One scored file: `summary` holds the headline figures, `groups` figures by method, framework and so on."""

    name: str
    summary: Mapping[str, Any]
    groups: Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Methods:
    """The page. `verdicts` and `reasons` map each code to what it means; `peers` (memory)
    and `time_peers` (throughput) are other estimators on the same measured rows, with their source."""

    chapters: tuple[Chapter, ...]
    verdicts: Mapping[VerdictKind, str]
    reasons: Mapping[str, str]
    accuracy: tuple[Accuracy, ...]
    scored_at: str | None
    peers: tuple[Mapping[str, str], ...]
    time_peers: tuple[Mapping[str, str], ...]
    link_verdict: tuple[Condition, ...] = ()


DEFINITIONS: Mapping[VerdictKind, str] = {
    "fits": N_("The high edge of the memory estimate stays within what the driver reports."),
    "tight": N_("The expected memory stays within what the driver reports, the high edge of its error band does not: try it before you rely on it."),
    "does_not_fit": N_("Even the expected memory of every layout that the run allows exceeds what the driver reports, or the reason given forbids it."),
    "link_too_slow": N_("Memory would do, but one of the conditions of the link verdict below holds."),
    "unknown": N_("Too little is known about the hardware to say."),
}  # fmt: skip

LINK_VERDICT = (
    Condition(
        N_("A fixed tensor-parallel degree is larger than the accelerators joined by NVLink or the like"),
        N_("a machine with a larger domain, or a smaller degree (tensor_parallel)"),
    ),
    Condition(
        N_("Only several nodes hold the job, and this one is not sold as a cluster of that size"),
        N_("larger nodes, or a provider with a node network"),
    ),
    Condition(
        N_("It takes several nodes, their network is not known, and the run asks for proof (prove_fabric)"),
        N_("a provider that states its network"),
    ),
    Condition(
        N_(
            "Exposed communication takes more than the allowed share of a step (link_share_limit, 50 % unless the run "
            "says otherwise) in every layout that fits and comes within three quarters of the best speed"
        ),
        N_("a faster link or network, fewer accelerators, or a larger batch"),
    ),
)
"""When a link decides; nothing else does. `training.fit` judges by these."""

MEMORY = (
    Formula(N_("peak"), "max over phases: loading and wrapping, forward and loss, backward, optimizer step", "docs/memory_model.md §2"),
    Formula(N_("weights, gradients, states"), "Σ bytes per parameter by recipe ÷ ranks they are sharded over", "docs/memory_model.md §3.1, §3.4"),
    Formula(N_("stored activations"), "tokens × layers × bytes per token and layer by checkpointing mode", "docs/memory_model.md §3.2; Korthikanti et al. 2022"),
    Formula(N_("loading and wrapping"), "resting weights + what is not sharded yet: one tensor, one unit or the whole model by framework; the linear being quantised; broadcast buckets", "docs/memory_model.md §2; profiles, load_source"),
    Formula(N_("loss"), "tokens × vocabulary × bytes per logit by implementation", "docs/memory_model.md §3.3"),
    Formula(N_("buffers"), "gathered units, gradient buckets, collective buffers by sharding scheme", "docs/memory_model.md §3.4"),
    Formula(N_("reserved"), "reserved.resident × (weights + states) + reserved.dynamic × (activations + loss); gathered units and gradients beside them under full sharding", "docs/memory_model.md §2"),
    Formula(N_("device"), "reserved + context + communication libraries", "docs/memory_model.md §3.5"),
    Formula(N_("verdict"), "fits: high edge ≤ memory that the driver reports; tight: expected ≤ it < high edge", "docs/memory_model.md §5"),
)  # fmt: skip
TIME = (
    Formula(N_("matrix products"), "(2 + 2·backward + 2·recompute) × active parameters × tokens ÷ (peak × family × shape)", "docs/throughput_model.md §1, §2"),
    Formula(N_("attention"), "(12 + 4·recompute) × span × layers × width × sequence × tokens ÷ attention rate (share of the 16-bit peak; in fp32 of the TF32 or FP32 peak); not fused: at the matrix rate without span, and bytes per score × heads × sequence through memory", "docs/throughput_model.md §1; PaLM appendix B; flash-attention README"),
    Formula(N_("memory traffic"), "passes × bytes per activation × layers × hidden × tokens ÷ memory bandwidth", "docs/throughput_model.md §2"),
    Formula(N_("launches"), "soft maximum of work and kernel launches", "docs/throughput_model.md §2"),
    Formula(N_("communication"), "bytes by sharding ÷ effective bandwidth of the slowest level; what compute does not hide counts", "docs/throughput_model.md §2, §3.2"),
    Formula(N_("pipeline bubble"), "(stages − 1) ÷ (micro-steps × virtual stages)", "docs/throughput_model.md §2"),
    Formula(N_("link verdict"), "exposed communication ÷ step > limit", "docs/throughput_model.md §4"),
    Formula(N_("layout search"), "every allowed layout; the fastest that fits, the plainest within 2 %", "docs/throughput_model.md §5"),
)  # fmt: skip
COST = (
    Formula(N_("hours"), "start-up + tokens ÷ rate ÷ share realised, stretched by interruptions", "docs/throughput_model.md §6"),
    Formula(N_("compute"), "⌈hours ÷ increment⌉ × increment × price × nodes, at least the minimum", "docs/throughput_model.md §6"),
    Formula(N_("interruptions"), "(1/Λ + R)(exp(Λ(τ + C)) − 1) ÷ τ, at the best interval τ or yours", "Young 1974; Daly 2006"),
    Formula(N_("storage"), "(data set + checkpoints kept) × months × price", "docs/throughput_model.md §6"),
    Formula(N_("egress"), "what is carried out × price", "docs/throughput_model.md §6"),
    Formula(N_("rest of the commitment"), "term × price × nodes − hours billed × price × nodes, at least 0", "arithmetic"),
)  # fmt: skip
OWN = (
    Formula(N_("owned, per hour of use"), "(price + host − resale + cost of money) ÷ hours used + power × PUE × electricity + upkeep", "docs/throughput_model.md §7"),
    Formula(N_("break-even"), "(price + host − resale) ÷ (rent − running cost per hour)", "docs/throughput_model.md §7"),
)  # fmt: skip


def methods() -> Methods:
    """Everything the page shows."""
    accuracy, scored_at = read_results(RESULTS)
    return Methods(
        chapters=(
            Chapter("memory", N_("Memory"), MEMORY, tuple(assumptions_memory.ASSUMPTIONS)),
            Chapter("time", N_("Time"), TIME, tuple(assumptions_time.ASSUMPTIONS)),
            Chapter("cost", N_("Cost"), COST, tuple(assumptions_cost.ASSUMPTIONS)),
            Chapter("own", N_("Rent or buy"), OWN, rent_or_buy.ASSUMPTIONS),
            Chapter("fit", N_("Fit and search"), (), assumptions_fit.ASSUMPTIONS),
        ),
        verdicts={kind: DEFINITIONS[kind] for kind in VERDICTS},
        reasons=REASONS,
        accuracy=accuracy,
        scored_at=scored_at,
        peers=read_peers(PEERS),
        time_peers=read_peers(TIME_PEERS),
        link_verdict=LINK_VERDICT,
    )


@cache
def read_results(path: Path) -> tuple[tuple[Accuracy, ...], str | None]:
    """The published scores; none where the file has not been generated."""
    if not path.exists():
        return (), None
    published = json.loads(path.read_text(encoding="utf-8"))
    found = []
    for name, scores in published["scores"].items():
        summary = {key: value for key, value in scores.items() if key != "groups"}
        found.append(Accuracy(name, summary, scores.get("groups", {})))
    return tuple(found), published["scored_at"]


@cache
def read_peers(path: Path) -> tuple[Mapping[str, str], ...]:
    """Other estimators' figures, best median first."""
    with path.open(newline="", encoding="utf-8") as file:
        return tuple(sorted(csv.DictReader(file), key=lambda row: float(row["median_abs_error"])))
