"""The question as a form: filters read off the columns, the run, the search, and what links carry along."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from app.domain.sentence import Sentence
from app.market.board import Board
from app.market.caption import word_parts
from app.market.column import GROUPS, Column
from app.market.columns import COLUMNS
from app.market.facets import Option, Span
from app.market.filters import PARAMETERS, Filter
from app.market.free_text import Word
from app.market.query import RUN_FIELDS, VIEW_OPTIONS, OfferQuery
from app.web.language import gettext, say
from app.web.run_form import Step, steps

CURRENCY = "currency"
Asked = Mapping[str, Sequence[str]]
KEPT = ("sort", "order", "group", "columns", "per_page", "show_hidden", *VIEW_OPTIONS)
LISTED = 60
"""Options of one filter that the form lists: the most frequent. The others are found by the search or typed."""
_SIGNS = {"min": "≥ ", "max": "≤ "}


@dataclass(frozen=True, slots=True)
class FilterControl:
    """One filter: its column, the present values of its parameters by role, and the options of a choice, the
    `unlisted` rarest of which are left out; `span` is what the other filters leave of a range."""

    column: Column
    values: Mapping[str, str]
    options: tuple[Option, ...]
    chosen: str
    span: Span | None = None
    unlisted: int = 0

    @property
    def name(self) -> str:
        """The parameter of the main input."""
        return self.column.url_name

    def asked(self, role: str) -> str:
        """The text of the parameter of that role (`is`, `min`, `max` …), empty where nobody asked."""
        return self.values.get(role, "")


@dataclass(frozen=True, slots=True)
class FilterGroup:
    """Filters under one heading; `more` are those of columns that the table does not show by itself."""

    title: str
    shown: tuple[FilterControl, ...]
    more: tuple[FilterControl, ...]

    @property
    def more_set(self) -> bool:
        """Something among `more` is asked."""
        return any(item.chosen for item in self.more)


@dataclass(frozen=True, slots=True)
class Question:
    """Everything the form needs. `kept` are hidden inputs; `run_set` says that a run is begun."""

    steps: tuple[Step, ...]
    groups: tuple[FilterGroup, ...]
    q: str
    kept: tuple[tuple[str, str], ...]
    run_set: bool
    filters_set: int


@dataclass(frozen=True, slots=True)
class Chip:
    """A condition in force and the address without it."""

    text: str
    href: str


def question_of(
    asked: Asked,
    facets: Mapping[str, tuple[Option, ...]],
    with_run: bool,
    spans: Mapping[str, Span] | None = None,
) -> Question:
    """The form for what was asked, as typed; `facets` may be empty (then the declared options serve)."""
    groups = _groups(asked, facets, with_run, spans or {})
    return Question(
        steps=steps({name: values[0] for name, values in asked.items() if name in RUN_FIELDS and values}),
        groups=groups,
        q=_first(asked, "q"),
        kept=tuple((name, _first(asked, name)) for name in KEPT if _first(asked, name)),
        run_set=any(name in RUN_FIELDS for name in asked),
        filters_set=sum(bool(item.chosen) for group in groups for item in (*group.shown, *group.more)),
    )


def chips_of(query: OfferQuery, board: Board) -> tuple[Chip, ...]:
    """Every word of the search, as it was understood, and every filter, each with the link that takes it away."""
    words = query.words
    found = [
        Chip(word_text(word, board), href(query.with_(q=words.without(word) or None))) for word in words.words
    ]
    for item in query.filters:
        found.append(Chip(chip_text(item, board.labels), href(query.with_(**{item.parameter: None}))))
    return tuple(found)


def word_text(word: Word, board: Board) -> str:
    """What one word of the search means."""
    return " · ".join(map(say, word_parts(word, board)))


def href(query: OfferQuery, path: str = "/") -> str:
    """The address of a question."""
    text = query.to_query_string()
    return f"{path}?{text}" if text else path


def href_without(asked: Asked, field: str, path: str = "/") -> str:
    """The address of what was asked, as typed, but for one parameter."""
    kept = {name: list(values) for name, values in asked.items() if name != field}
    return f"{path}?{urlencode(kept, doseq=True)}" if kept else path


def href_with(asked: Asked, field: str, value: str, path: str = "/") -> str:
    """The address of what was asked, as typed, but for one parameter that has another value."""
    changed = {name: list(values) for name, values in asked.items()} | {field: [value]}
    return f"{path}?{urlencode(changed, doseq=True)}"


def run_alone(query: OfferQuery) -> OfferQuery:
    """The run and the currency without filters, order and page."""
    kept = {*RUN_FIELDS, CURRENCY}
    return OfferQuery.parse({name: values for name, values in query.to_params().items() if name in kept})


def run_query(query: OfferQuery) -> str:
    """The run and the currency alone as a query string, for offer and fit pages."""
    return run_alone(query).to_query_string()


def _groups(
    asked: Asked, facets: Mapping[str, tuple[Option, ...]], with_run: bool, spans: Mapping[str, Span]
) -> tuple[FilterGroup, ...]:
    groups = []
    filtered = [c for c in COLUMNS if c.filter and c.name != "id" and (with_run or not c.needs_run)]
    filtered.sort(key=lambda column: column.name != "accelerator")
    for name, title in GROUPS.items():
        controls = [
            _control(c, asked, facets.get(c.name, ()), spans.get(c.name)) for c in filtered if c.group == name
        ]
        shown = tuple(item for item in controls if item.column.default or item.column.name in _ALWAYS)
        more = tuple(item for item in controls if item not in shown)
        if controls:
            groups.append(FilterGroup(title, shown, more))
    return tuple(groups)


_ALWAYS = ("accelerator", "continent", "accelerator_tier", "tier")
"""Filters that people reach for although the table does not show their column by itself."""


def _control(column: Column, asked: Asked, facet: tuple[Option, ...], span: Span | None) -> FilterControl:
    roles: dict[str, str] = {name: role for name, (owner, role) in PARAMETERS.items() if owner is column}
    values = {role: ", ".join(asked[name]) for name, role in roles.items() if asked.get(name)}
    options = _options(column, asked, facet) if column.filter == "choice" else ()
    listed = _listed(options)
    unlisted = len(options) - len(listed)
    return FilterControl(column, values, listed, _chosen(column, values, options), span, unlisted)


def _listed(options: tuple[Option, ...]) -> tuple[Option, ...]:
    """The most frequent options in their order; all that are ticked."""
    if len(options) <= LISTED:
        return options
    frequent = sorted(options, key=lambda option: (not option.selected, -option.count))[:LISTED]
    kept = {option.value for option in frequent}
    return tuple(option for option in options if option.value in kept or option.selected)


def _options(column: Column, asked: Asked, facet: tuple[Option, ...]) -> tuple[Option, ...]:
    """The facet's options; wider words and exclusions that were asked for come first, ticked."""
    given = [
        part
        for value in asked.get(column.url_name, ())
        for part in (value.split(",") if column.commas else [value])
    ]
    wanted = {value.strip(): value.strip().casefold() for value in given if value.strip()}
    known = facet or tuple(
        Option(name, column.option_labels.get(name, name), 0, False) for name in column.options
    )
    values = {option.value.casefold() for option in known}
    extra = tuple(Option(value, value, 0, True) for value, low in wanted.items() if low not in values)
    ticked = set(wanted.values())
    return extra + tuple(Option(o.value, o.label, o.count, o.value.casefold() in ticked) for o in known)


def _chosen(column: Column, values: Mapping[str, str], options: tuple[Option, ...]) -> str:
    if column.filter == "choice":
        return ", ".join(say(option.label) for option in options if option.selected)
    if column.filter == "flag":
        return {"1": gettext("yes"), "0": gettext("no")}.get(values.get("flag", ""), "")
    return " ".join(_SIGNS.get(role, "") + value for role, value in values.items())


def chip_text(item: Filter, labels: Mapping[str, Mapping[str, str | Sentence]]) -> str:
    """A filter in a few words."""
    column, role = item.column, PARAMETERS[item.parameter][1]
    if role == "flag":
        return say(
            Sentence("{label}: yes" if item.values[0] == "1" else "{label}: no", {"label": column.asked_as})
        )
    if role == "age":
        return say(Sentence("seen within {days} days", {"days": item.values[0]}))
    names = labels.get(column.name, {})
    words = [say(names.get(value) or column.option_labels.get(value, value)) for value in item.values]
    value: object = _SIGNS.get(role, "") + ", ".join(words)
    if column.unit and role != "choice":
        value = Sentence("{amount} {unit}", {"amount": value, "unit": column.unit})
    return say(Sentence("{label}: {value}", {"label": column.asked_as, "value": value}))


def _first(asked: Asked, name: str) -> str:
    values = asked.get(name) or ("",)
    return values[0]
