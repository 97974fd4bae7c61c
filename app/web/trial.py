"""One's own trial as a view: how to run one, what bounded it, and what it corrects in every other estimate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode

from app.domain.errors import BadInput
from app.domain.sentence import N_
from app.market.query import OfferQuery
from app.market.service import Market
from app.market.trial import FIGURES, Trial, pasted
from app.web.question import href, question_of
from app.web.run_form import Control, Field, Step

PASTE = "nvidia_smi"
MEASURED = ("measured_on", "measured_tokens_per_s", "measured_peak_gib")
LABELS: Mapping[str, tuple[str, str]] = {
    "busy_percent": (N_("Busy"), "%"),
    "memory_percent": (N_("Memory in use by reads and writes"), "%"),
    "power_percent": (N_("Power drawn, of the limit"), "%"),
    "link_gbytes_per_s": (N_("Traffic over the bus"), "GB/s"),
    "link_limit_gbytes_per_s": (N_("What the bus can carry"), "GB/s"),
}
PLACEHOLDERS: Mapping[str, str] = {
    "measured_on": "h100-sxm5-80gb x8",
    "measured_tokens_per_s": N_("all accelerators together"),
    "measured_peak_gib": N_("of one accelerator"),
    "link_limit_gbytes_per_s": N_("by the data sheet"),
}


@dataclass(frozen=True, slots=True)
class TrialView:
    """What `trial.html` shows. `steps` are the run's, `kept` hidden inputs; `told` is None where nothing was asked."""

    steps: tuple[Step, ...]
    measured: tuple[Field, ...]
    figures: tuple[Field, ...]
    kept: tuple[tuple[str, str], ...]
    paste: str = ""
    told: Trial | None = None
    measured_tokens_per_s: float | None = None
    measured_peak_gib: float | None = None
    table_href: str = ""
    fit_href: str = ""
    error: BadInput | None = None


def trial_view(market: Market, asked: Mapping[str, str]) -> TrialView:
    """The page for what was asked: fields of the run, `measured_*`, and the figures of FIGURES.

    Raises:
        BadInput: a figure that cannot be, or a trial that cannot have been this run; names the field.
    """
    query = OfferQuery.parse({name: [value] for name, value in asked.items() if name not in FIGURES})
    told = market.trial(query.draft, asked) if asked else None
    view = _form(asked, query.to_params())
    run = query.draft
    return TrialView(
        *view,
        told=told,
        measured_tokens_per_s=run.measured_tokens_per_s if run is not None else None,
        measured_peak_gib=run.measured_peak_gib if run is not None else None,
        table_href=href(query.with_()) if query.run is not None else "",
        fit_href=href(OfferQuery(draft=query.draft), "/fit") if query.run is not None else "",
    )


def refused_view(asked: Mapping[str, str], error: BadInput) -> TrialView:
    """The form as it was filled in, and what is wrong."""
    run = {name: [value] for name, value in asked.items() if name not in FIGURES and name != PASTE}
    return TrialView(*_form(asked, run), paste=asked.get(PASTE, ""), error=error)


def sent(body: str) -> dict[str, str]:
    """The fields of a form as they were sent, without blanks."""
    return {name: value for name, value in parse_qsl(body) if value.strip()}


def address_of(asked: Mapping[str, str]) -> str:
    """The address that says what was sent. What a paste tells takes the place of figures typed in; a peak that was
    typed in stays, and without a machine that it was measured on there is none.

    Raises:
        BadInput: the paste cannot be read.
    """
    told = {name: value for name, value in asked.items() if name != PASTE}
    if PASTE in asked:
        found = pasted(asked[PASTE])
        peak = found.pop("measured_peak_gib", None)
        told |= found
        if peak is not None and "measured_on" in told:
            told.setdefault("measured_peak_gib", peak)
    return f"/trial?{urlencode(told)}" if told else "/trial"


_Form = tuple[tuple[Step, ...], tuple[Field, ...], tuple[Field, ...], tuple[tuple[str, str], ...]]


def _form(asked: Mapping[str, str], run: Mapping[str, list[str]]) -> _Form:
    steps = question_of(run, {}, False).steps
    shown = {item.name for step in steps[:2] for item in (*step.fields, *step.details)}
    kept = tuple(
        (name, value)
        for name, values in run.items()
        if name not in shown and name not in MEASURED
        for value in values
    )
    measured = {item.name: item for item in steps[2].details}
    fields = tuple(_field(name, measured[name].label, measured[name].unit, asked) for name in MEASURED)
    figures = tuple(_field(name, label, unit, asked) for name, (label, unit) in LABELS.items())
    return steps[:2], fields, figures, kept


def _field(name: str, label: str, unit: str, asked: Mapping[str, str]) -> Field:
    control: Control = "text" if name == "measured_on" else "number"
    return Field(name, label, control, unit, "", PLACEHOLDERS.get(name, ""), (), asked.get(name, ""))
