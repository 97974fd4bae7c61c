"""What an assumption is: a constant that is not arithmetic, with the reason to believe it."""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.accelerator import Confidence


@dataclass(frozen=True, slots=True)
class Assumption:
    """A constant of the model. `low` and `high` bound what is plausible; `source` says where it comes from
    ("fit" = estimated from the measured cases, "assume" = judgement without a source)."""

    name: str
    value: float
    unit: str
    low: float
    high: float
    source: str
    confidence: Confidence = "medium"
