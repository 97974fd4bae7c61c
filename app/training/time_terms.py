"""The parts of a step as the breakdown page shows them."""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.sentence import N_
from app.training.communication import CommunicationTime
from app.training.compute import ComputeTime

SOURCE = N_("step time on the methods page")


@dataclass(frozen=True, slots=True)
class TimeTerm:
    """One part of a step; `counts` = it adds to the step (raw traffic, part of which is hidden, does not)."""

    name: str
    seconds: float
    formula: str
    source: str
    counts: bool = True


COMPUTE_TERMS: tuple[tuple[str, str, str], ...] = (
    (
        N_("matrix products"),
        "linear",
        N_("(2 + 2·backward + 2·recompute)·N·tokens ÷ (peak × family × shape)"),
    ),
    (N_("attention"), "attention", N_("(12 + 4·recompute)·span·L·a·s·tokens ÷ attention rate")),
    (N_("memory traffic"), "traffic", N_("2·passes·L·h·tokens ÷ memory bandwidth")),
    (N_("de-quantisation"), "dequantise", N_("bytes per weight × N × micro-steps ÷ memory bandwidth")),
    (N_("optimizer"), "optimizer", N_("bytes per weight × local weights ÷ memory bandwidth")),
    (N_("calls of a step"), "fixed", N_("seconds per layer and step")),
)
LINK_TERMS: tuple[tuple[str, str, str], ...] = (
    (
        N_("tensor-parallel wait"),
        "exposed_tensor",
        N_("the part of its all-reduces that compute does not hide"),
    ),
    (
        N_("data-parallel wait"),
        "exposed_data",
        N_("the part of weights and gradients that compute does not hide"),
    ),
    (N_("other waits"), "exposed_other", N_("keys and values, routed tokens, activations between stages")),
    (N_("offload to host memory"), "offload", N_("weights and gradients ÷ host link")),
    (N_("pipeline bubble"), "bubble", N_("step × (stages − 1) ÷ (micro-steps × virtual stages)")),
    (N_("synchronisation"), "sync", N_("seconds per further node")),
)
RAW_TERMS: tuple[tuple[str, str, str], ...] = (
    (N_("tensor-parallel traffic"), "tensor", N_("ring over the group, hidden or not")),
    (N_("data-parallel traffic"), "data", N_("ring over the group, hidden or not")),
    (N_("traffic between stages"), "stages", N_("activations and their gradients ÷ link, hidden or not")),
)


def terms_of(compute: ComputeTime, links: CommunicationTime, row: int = 0) -> tuple[TimeTerm, ...]:
    """The parts of one row; those that count add up to its step, in seconds."""
    work = compute.linear + compute.attention + compute.traffic + compute.dequantise
    launches = float((compute.busy - work)[row])
    parts = (
        *(
            TimeTerm(name, float(getattr(compute, key)[row]), text, SOURCE)
            for name, key, text in COMPUTE_TERMS
        ),
        TimeTerm(
            N_("kernel launches beyond the work"),
            launches,
            N_("soft maximum of work and launches − work"),
            SOURCE,
        ),
        *(TimeTerm(name, float(getattr(links, key)[row]), text, SOURCE) for name, key, text in LINK_TERMS),
    )
    raw = (
        TimeTerm(name, float(getattr(links, key)[row]), text, SOURCE, False) for name, key, text in RAW_TERMS
    )
    return (*parts, *raw)
