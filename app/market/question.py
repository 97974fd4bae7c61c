"""A run with everything resolved that no offer changes: model shape, recipe, and what one's own trial corrects."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.catalog.shapes import shape_of
from app.domain.errors import BadInput
from app.domain.hardware import Cluster, Fabric, Host, IntraNodeLink, Node
from app.domain.model import ModelShape
from app.domain.run import TrainingRun
from app.training.calibration import Correction, correct
from app.training.plan import search
from app.training.recipe import Recipe, recipe_for

if TYPE_CHECKING:
    from app.catalog import Catalog

TRIAL = re.compile(r"(?P<key>[\w.+-]+?)(?:\s*[x×*]\s*(?P<count>\d{1,3}))?")


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """A run, its model and recipe; `correction` is None without a trial of one's own."""

    run: TrainingRun
    shape: ModelShape
    recipe: Recipe
    correction: Correction | None = None

    @property
    def timed(self) -> bool:
        """The speed model covers it: matrix products per token. Convolutions have neither tokens nor a width."""
        return self.shape.hidden_size > 0 and self.shape.modality != "cnn"

    @classmethod
    def of(cls, run: TrainingRun, catalog: Catalog) -> Question:
        """Resolve a run.

        Raises:
            BadInput: it names no model, settings do not go together, or the trial cannot have been this run.
        """
        shape = shape_of(run, catalog)
        recipe = recipe_for(shape, run)
        return cls(run, shape, recipe, _correction(shape, run, recipe, catalog))


def trial_machine(measured_on: str, catalog: Catalog) -> Cluster:
    """The node that a trial ran on, from words such as `h100-sxm5-80gb x8`: one node, linked as that card is.

    Raises:
        BadInput: not a key of the catalog, or no number of accelerators.
    """
    match = TRIAL.fullmatch(measured_on.strip())
    key = match["key"] if match else ""
    count = int(match["count"] or 1) if match else 0
    if key not in catalog.accelerators or count < 1:
        raise BadInput(
            "measured_on", "give an accelerator of the catalog and how many, such as h100-sxm5-80gb x8"
        )
    card = catalog.accelerator(key)
    link = IntraNodeLink("none", None, 1, None)
    if count > 1 and card.link:
        link = IntraNodeLink(card.link, card.link_gbytes_per_s, count, None)
    elif count > 1:
        link = IntraNodeLink(f"pcie{card.pcie_generation or 4}", None, 1, None)
    return Cluster(Node(card, count, link, Host(None, None, None)), 1, Fabric(None, None, None))


def _correction(shape: ModelShape, run: TrainingRun, recipe: Recipe, catalog: Catalog) -> Correction | None:
    """What the trial implies, against the plan that the search finds on the machine it ran on."""
    if run.measured_on is None:
        return None
    machine = trial_machine(run.measured_on, catalog)
    (plan,) = search(shape, run, recipe, (machine,))
    if plan.time is None or plan.memory is None:
        text = (
            f"by the estimate this run does not fit on {run.measured_on}; set its layout as the trial had it"
        )
        raise BadInput("measured_on", text)
    return correct(
        machine.node.accelerator.key,
        run.measured_tokens_per_s,
        plan.time["tokens_per_s"],
        run.measured_peak_gib,
        plan.memory["device"],
    )
