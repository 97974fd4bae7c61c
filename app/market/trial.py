"""One's own short trial: what it corrects, and what bounded it by the utilisation figures that came with it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from app.domain.errors import BadInput
from app.domain.figures import not_a_number, plain, ungrouped
from app.domain.hardware import Cluster, Fabric, Host, IntraNodeLink, Node
from app.domain.model import ModelShape
from app.domain.run import TrainingRun
from app.domain.sentence import N_, Sentence
from app.training.calibration import Correction, Diagnosis, Utilisation, correct, diagnose, read_nvidia_smi
from app.training.plan import Plan, search
from app.training.recipe import Recipe

if TYPE_CHECKING:
    from app.catalog import Catalog

TRIAL = re.compile(r"(?P<key>[\w.+-]+?)(?:\s*[x×*]\s*(?P<count>\d{1,3}))?")
SHARES = {"busy_percent": "busy", "memory_percent": "memory", "power_percent": "power"}
FIGURES = (*SHARES, "link_gbytes_per_s", "link_limit_gbytes_per_s")
"""What can be typed in: averages over the trial in percent, and traffic of one accelerator over the bus."""
MOST_GBYTES_PER_S = 10_000.0


@dataclass(frozen=True, slots=True)
class TrialPlan:
    """The trial beside the estimate for the same machine: `plan` is what the search finds there."""

    measured_on: str
    machine: Cluster
    plan: Plan
    correction: Correction

    @property
    def predicted_tokens_per_s(self) -> float | None:
        """Tokens per second of the whole job, by the estimate before it is corrected."""
        return None if self.plan.time is None else self.plan.time["tokens_per_s"]

    @property
    def predicted_peak_gib(self) -> float | None:
        """GiB of one accelerator that the driver would show, by the estimate before it is corrected."""
        return None if self.plan.memory is None else self.plan.memory["device"]

    @property
    def words(self) -> Sentence:
        """What the trial changes everywhere."""
        factors = self.correction
        elsewhere = factors.speed_for("")
        text = N_(
            "Corrected by your trial on {machine}: speed × {speed} there, × {elsewhere} on other accelerators, memory × {memory} everywhere"
        )
        values = {"speed": factors.speed, "elsewhere": elsewhere, "memory": factors.memory}
        return Sentence(
            text, {"machine": self.measured_on} | {name: f"{value:.2f}" for name, value in values.items()}
        )


@dataclass(frozen=True, slots=True)
class Trial:
    """What a trial tells: `compared` without figures measured is None, `diagnosis` without utilisation is None."""

    compared: TrialPlan | None
    diagnosis: Diagnosis | None


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


def compare_trial(shape: ModelShape, run: TrainingRun, recipe: Recipe, catalog: Catalog) -> TrialPlan | None:
    """What the trial implies, against the plan that the search finds on the machine it ran on; None without one.

    Raises:
        BadInput: the machine is unknown or too small by the estimate, or the figures lie too far from it.
    """
    if run.measured_on is None:
        return None
    machine = trial_machine(run.measured_on, catalog)
    (plan,) = search(shape, run, recipe, (machine,))
    if plan.time is None or plan.memory is None:
        text = N_("by the estimate this run does not fit on {machine}; set its layout as the trial had it")
        raise BadInput("measured_on", Sentence(text, {"machine": run.measured_on}))
    correction = correct(
        machine.node.accelerator.key,
        run.measured_tokens_per_s,
        plan.time["tokens_per_s"],
        run.measured_peak_gib,
        plan.memory["device"],
    )
    return TrialPlan(run.measured_on, machine, plan, correction)


def utilisation_of(figures: Mapping[str, str]) -> Utilisation | None:
    """Averages that were typed in, by the names of FIGURES; None where `busy_percent` and all others are left out.

    Raises:
        BadInput: a figure that is none or out of range, or others without `busy_percent`; names the field.
    """
    given = {name: figures[name].strip() for name in FIGURES if figures.get(name, "").strip()}
    if not given:
        return None
    if "busy_percent" not in given:
        raise BadInput("busy_percent", "give how much of the time the accelerator was busy, in percent")
    shares = {name: _number(name, given[name], 100.0) / 100.0 for name in SHARES if name in given}
    rates = {name: _number(name, given[name], MOST_GBYTES_PER_S) for name in given if name not in SHARES}
    return Utilisation(
        busy=shares["busy_percent"],
        memory=shares.get("memory_percent"),
        power=shares.get("power_percent"),
        link_gbytes_per_s=rates.get("link_gbytes_per_s"),
        link_limit_gbytes_per_s=rates.get("link_limit_gbytes_per_s"),
    )


def pasted(text: str) -> dict[str, str]:
    """The figures of a pasted `nvidia-smi --query-gpu` output by the names that `utilisation_of` takes, and
    `measured_peak_gib` where the paste has `memory.used`.

    Raises:
        BadInput: the paste cannot be read; names `nvidia_smi`.
    """
    try:
        used = read_nvidia_smi(text)
    except BadInput as error:
        raise BadInput("nvidia_smi", error.sentence) from None
    figures = {name: getattr(used, field) for name, field in SHARES.items()}
    found = {name: f"{100.0 * share:.1f}" for name, share in figures.items() if share is not None}
    if used.link_limit_gbytes_per_s is not None:
        found["link_limit_gbytes_per_s"] = f"{used.link_limit_gbytes_per_s:.1f}"
    if used.peak_memory_gib is not None:
        found["measured_peak_gib"] = f"{used.peak_memory_gib:.2f}"
    return found


def diagnose_trial(used: Utilisation, machine: Cluster | None) -> Diagnosis:
    """What bounded the trial. Where nobody said what the bus can carry, the accelerator's data sheet does."""
    card = machine.node.accelerator if machine is not None else None
    if used.link_limit_gbytes_per_s is None and card is not None:
        used = replace(used, link_limit_gbytes_per_s=card.pcie_gbytes_per_s)
    return diagnose(used)


def _number(name: str, text: str, most: float) -> float:
    try:
        value = float(ungrouped(text))
    except ValueError:
        raise BadInput(name, not_a_number(text)) from None
    if not 0.0 <= value <= most:
        said = {"low": "0", "high": plain(most), "value": text[:60]}
        raise BadInput(name, Sentence("must lie between {low} and {high} (given: {value})", said))
    return value
