"""A trial judged as a whole: its run beside the estimate, and the bound that its utilisation figures tell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from app.domain.run import TrainingRun
from app.market.question import Question
from app.market.trial import Trial, diagnose_trial, trial_machine, utilisation_of

if TYPE_CHECKING:
    from app.catalog import Catalog


def judge_trial(run: TrainingRun | None, figures: Mapping[str, str], catalog: Catalog) -> Trial:
    """What a trial tells. `run` with its `measured_*` fields is compared with the estimate where it names a model;
    `figures` by the names of `trial.FIGURES` are diagnosed where they are given.

    Raises:
        BadInput: a figure that cannot be, or a trial that cannot have been this run.
    """
    used = utilisation_of(figures)
    machine = trial_machine(run.measured_on, catalog) if run is not None and run.measured_on else None
    return Trial(
        compared=Question.of(run, catalog).trial if run is not None and run.names_a_model else None,
        diagnosis=None if used is None else diagnose_trial(used, machine),
    )
