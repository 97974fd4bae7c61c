"""Rules of thumb that people use, computed for comparison: what they say and what they leave out."""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.run import TrainingRun
from app.domain.sentence import N_, Sentence
from app.domain.units import gib_from_bytes

WEIGHTS_FACTOR = 1.35
STATE_BYTES_PER_PARAMETER = 16.0
SIXTEEN_BIT = 2.0
FOUR_BIT = 0.5


@dataclass(frozen=True, slots=True)
class NaiveRule:
    """`total_gib` is what the rule says for the whole job, to be split over the accelerators."""

    name: Sentence
    total_gib: float
    leaves_out: Sentence
    source: str

    def per_accelerator_gib(self, accelerators: int) -> float:
        """The rule's figure per accelerator, split evenly as its users do."""
        return self.total_gib / accelerators


def naive_rules(parameters: float, run: TrainingRun) -> tuple[NaiveRule, ...]:
    """The two rules of thumb that are quoted most, for a model of `parameters`."""
    weight = FOUR_BIT if run.method == "qlora" else SIXTEEN_BIT
    return (
        NaiveRule(
            Sentence(N_("weights × {factor}"), {"factor": WEIGHTS_FACTOR}),
            gib_from_bytes(parameters * weight * WEIGHTS_FACTOR),
            Sentence(N_("gradients, optimizer states, activations, the logits of the loss, buffers")),
            "docs/memory_model.md §4",
        ),
        NaiveRule(
            Sentence(N_("{bytes} bytes per parameter"), {"bytes": round(STATE_BYTES_PER_PARAMETER)}),
            gib_from_bytes(parameters * STATE_BYTES_PER_PARAMETER),
            Sentence(
                N_(
                    "activations, the logits of the loss, buffers; that adapters train few parameters; what sharding leaves whole"
                )
            ),
            "docs/memory_model.md §4",
        ),
    )
