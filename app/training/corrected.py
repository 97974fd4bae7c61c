"""Breakdowns as one's own trial corrects them: the same factors that the search applies to its tables."""

from __future__ import annotations

from dataclasses import fields, replace

from app.domain.hardware import Cluster
from app.training.calibration import Correction
from app.training.memory import MemoryBreakdown
from app.training.throughput import TimeBreakdown

MEASURED = ("device", "low", "high")


def corrected_memory(memory: MemoryBreakdown, correction: Correction | None) -> MemoryBreakdown:
    """Device memory and its band times what the trial measured; the terms stay what the formulas say."""
    if correction is None:
        return memory
    return replace(memory, **{name: getattr(memory, name) * correction.memory for name in MEASURED})


def corrected_time(time: TimeBreakdown, correction: Correction | None, cluster: Cluster) -> TimeBreakdown:
    """Rates times, seconds and terms divided by the speed that the trial measured, as far as it carries over."""
    if correction is None:
        return time
    factor = correction.speed_for(cluster.node.accelerator.key)
    rates = {name: getattr(time, name) * factor for name in _names(time) if _is_rate(name)}
    seconds = {
        name: getattr(time, name) / factor
        for name in _names(time)
        if name.endswith("_s") and not _is_rate(name)
    }
    terms = tuple(replace(term, seconds=term.seconds / factor) for term in time.terms)
    return replace(time, **rates, **seconds, terms=terms)


def _names(time: TimeBreakdown) -> tuple[str, ...]:
    return tuple(field.name for field in fields(time))


def _is_rate(name: str) -> bool:
    return "tokens_per_s" in name or name == "mfu"
