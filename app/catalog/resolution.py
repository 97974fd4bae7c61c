"""The answer to "which accelerator is this": known, ambiguous, unknown or a slice, and why."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from app.domain.sentence import Sentence

Status = Literal["known", "ambiguous", "unknown", "slice"]


@dataclass(frozen=True, slots=True)
class Resolution:
    """`key` is the catalog key (of the parent card for a slice; None when ambiguous or unknown); `candidates`
    the keys that an ambiguous name may mean. `count` is accelerators per instance (below 1 for a slice; None =
    not stated), `memory_gib` what the driver reports per accelerator (of the slice; the least of the
    candidates where they are near, else None; from the stated size where unknown)."""

    status: Status
    key: str | None
    candidates: tuple[str, ...]
    label: str
    why: Sentence
    count: float | None = None
    memory_gib: float | None = None


def share_in_words(share: float) -> str:
    """A slice's share as a person writes it: "1/8", "1/3", else a percentage."""
    exact = Fraction(share).limit_denominator(64)
    if exact.numerator == 1 and abs(float(exact) - share) < 0.002:
        return f"1/{exact.denominator}"
    return f"{share:.0%}"
