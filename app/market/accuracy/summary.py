"""What `rackrate accuracy` prints: how far predictions lie from measured values, as shares."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

HEADLINE_QUALITY = "A"
VERDICT_QUALITIES = ("A", "B")
Outcome = Literal["measured", "oom", "fits"]
Judgement = Literal["fits", "tight", "does_not_fit"]


@dataclass(frozen=True, slots=True)
class Scored:
    """One row that was scored. `measured` None where only the outcome is known (`oom`, `fits`); `verdict` None
    where the card is not known; `groups` are the names it counts under, such as `method lora`."""

    id: str
    predicted: float
    low: float
    high: float
    measured: float | None = None
    quality: str = HEADLINE_QUALITY
    groups: tuple[str, ...] = ()
    outcome: Outcome = "measured"
    verdict: Judgement | None = None

    @property
    def error(self) -> float | None:
        """Predicted ÷ measured − 1."""
        return None if self.measured is None else self.predicted / self.measured - 1


def summarise(rows: Sequence[Scored], skipped: Iterable[str]) -> dict[str, Any]:
    """The JSON of design.md §7. Shares and errors are fractions; None where there is nothing to count. Headline
    figures over quality A, `groups` over all that are scored, `false_*` over A and B."""
    reasons = Counter(skipped)
    headline = [row for row in rows if row.error is not None and row.quality == HEADLINE_QUALITY]
    return {
        "rows": len(rows) + sum(reasons.values()),
        "scored": len(rows),
        "skipped": dict(reasons),
        **_errors(headline),
        "band_coverage": _coverage(headline),
        **_verdicts(rows),
        "groups": _groups(rows),
        "predictions": [_prediction(row) for row in rows],
    }


def _errors(rows: Sequence[Scored]) -> dict[str, float | None]:
    if not rows:
        return dict.fromkeys(("median_abs_error", "p90_abs_error", "bias", "within_10", "within_20"))
    errors = np.asarray([row.error for row in rows], dtype=float)
    return {
        "median_abs_error": float(np.median(np.abs(errors))),
        "p90_abs_error": float(np.quantile(np.abs(errors), 0.9)),
        "bias": float(np.median(errors)),
        "within_10": float(np.mean(np.abs(errors) <= 0.1)),
        "within_20": float(np.mean(np.abs(errors) <= 0.2)),
    }


def _coverage(rows: Sequence[Scored]) -> float | None:
    inside = [row.low <= row.measured <= row.high for row in rows if row.measured is not None]
    return sum(inside) / len(inside) if inside else None


def _verdicts(rows: Sequence[Scored]) -> dict[str, int]:
    """A false fit says "fits" of a job that ran out of memory, a false out-of-memory says "does not fit" of one
    that ran. "Tight", where the band straddles the card, claims neither; `tight_*` count how often it is said."""
    judged = [row for row in rows if row.quality in VERDICT_QUALITIES and row.verdict is not None]
    failed = [row for row in judged if row.outcome == "oom"]
    ran = [row for row in judged if row.outcome != "oom"]
    return {
        "false_fits": sum(row.verdict == "fits" for row in failed),
        "oom_rows": len(failed),
        "tight_oom": sum(row.verdict == "tight" for row in failed),
        "false_oom": sum(row.verdict == "does_not_fit" for row in ran),
        "fit_rows": len(ran),
        "tight_fit": sum(row.verdict == "tight" for row in ran),
    }


def _groups(rows: Sequence[Scored]) -> Mapping[str, Mapping[str, Any]]:
    members: dict[str, list[Scored]] = {}
    for row in rows:
        for name in row.groups if row.error is not None else ():
            members.setdefault(name, []).append(row)
    return {name: {"rows": len(found), **_errors(found)} for name, found in sorted(members.items())}


def _prediction(row: Scored) -> dict[str, Any]:
    return {
        "id": row.id,
        "predicted": round(row.predicted, 4),
        "measured": row.measured,
        "error": None if row.error is None else round(row.error, 5),
        "low": round(row.low, 4),
        "high": round(row.high, 4),
        "quality": row.quality,
        "outcome": row.outcome,
        "verdict": row.verdict,
    }
