"""A run with everything resolved that no offer changes: model shape, recipe, and what one's own trial corrects."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from app.catalog.shapes import shape_of
from app.domain.model import ModelShape
from app.domain.run import TrainingRun
from app.domain.sentence import N_, Sentence
from app.market.trial import TrialPlan, compare_trial
from app.training.calibration import Correction
from app.training.recipe import Recipe, recipe_for

if TYPE_CHECKING:
    from app.catalog import Catalog


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """A run, its model and recipe; `trial` is None without one of one's own."""

    run: TrainingRun
    shape: ModelShape
    recipe: Recipe
    trial: TrialPlan | None = None

    @property
    def correction(self) -> Correction | None:
        """What the trial corrects in every estimate."""
        return None if self.trial is None else self.trial.correction

    @property
    def calibration(self) -> Sentence | None:
        """The sentence that says so beside every answer."""
        measured = self.run.measured_tokens_per_s or self.run.measured_peak_gib
        return self.trial.words if self.trial is not None and measured else None

    @property
    def timed(self) -> bool:
        """The speed model covers it: matrix products per token. Convolutions have neither tokens nor a width."""
        return self.shape.hidden_size > 0 and self.shape.modality != "cnn"

    @property
    def notice(self) -> Sentence | None:
        """What an answer leaves open for this kind of model."""
        if self.timed:
            return None
        return Sentence(
            N_(
                "This kind of model has no speed estimate: only memory is judged, so hours and total cost stay unknown "
                "and no offer can be shown to meet a deadline or a budget."
            )
        )

    @property
    def assumed(self) -> tuple[Sentence, ...]:
        """What is assumed about the model because of how its config stores it."""
        return tuple(item for item in self.shape.assumed if isinstance(item, Sentence))

    def over(self, most: int) -> Question:
        """The same question with at most so many nodes."""
        return replace(self, run=self.run.model_copy(update={"max_nodes": most}))

    @classmethod
    def of(cls, run: TrainingRun, catalog: Catalog) -> Question:
        """Resolve a run.

        Raises:
            BadInput: it names no model, settings do not go together, or the trial cannot have been this run.
        """
        shape = shape_of(run, catalog)
        run = within_context(run, shape)
        recipe = recipe_for(shape, run)
        return cls(run, shape, recipe, compare_trial(shape, run, recipe, catalog))


def within_context(run: TrainingRun, shape: ModelShape) -> TrainingRun:
    """The run at the model's context, tokens, where it names no length and the usual one is longer: an image of 197
    patches is no sequence of 4,096."""
    if "sequence_length" in run.model_fields_set or not shape.max_context:
        return run
    length = min(run.sequence_length, shape.max_context)
    return run if length == run.sequence_length else run.model_copy(update={"sequence_length": length})
