"""The one question: what page, fragment, CSV, API and command line are asked, and how it is written in a URL."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any
from urllib.parse import parse_qs, urlencode

from app.domain.errors import BadInput, UnknownParameter
from app.domain.run import TrainingRun
from app.domain.sentence import Sentence, none_of
from app.market import free_text
from app.market.column import Column
from app.market.columns import BY_NAME, column_named, default_columns
from app.market.filters import PARAMETERS, Filter, parse_filters
from app.market.interval import parse_number
from app.market.units import UNIT_OPTIONS

DEFAULT_PER_PAGE = 100
MAX_PER_PAGE = 5000
MAX_QUERY_CHARACTERS = 60_000
DEFAULT_SORT, DEFAULT_RUN_SORT = "price_usd_per_hour", "total_usd"
RUN_FIELDS = frozenset(TrainingRun.model_fields)
VIEW_PARAMETERS = ("q", "sort", "order", "group", "columns", "page", "per_page", "show_hidden")
PER_ACCELERATOR = "price_usd_per_accelerator_hour"
"""Says nothing beside a price that is of one accelerator already."""
GROUPINGS = ("", "accelerator", "provider", "region", "country")
VIEW_OPTIONS: Mapping[str, tuple[str, ...]] = {
    "lang": ("", "en", "ar", "az"),
    "density": ("", "compact", "comfortable"),
    "choices": ("", "flagged"),
    **UNIT_OPTIONS,
}
"""Choices about the look, the default first; they change no row, and every surface takes them. Units may change the
order: it follows what is shown."""
KNOWN = frozenset((*PARAMETERS, *RUN_FIELDS, *VIEW_PARAMETERS, *VIEW_OPTIONS))

Params = Mapping[str, Iterable[str]]


@dataclass(frozen=True)
class OfferQuery:
    """Filters, order, page and, perhaps, a training run. Build it with `parse`; equal questions are equal.

    `draft` holds the run's fields even before they name a model; `run` is the run that can be answered. `per_page`
    is None for "all" (the export). `group` names the column that rows are gathered by, empty for none. `sort` and
    `descending` are resolved; `columns` is empty where nobody chose.
    """

    filters: tuple[Filter, ...] = ()
    q: str = ""
    sort: str = DEFAULT_SORT
    descending: bool = False
    group: str = ""
    columns: tuple[str, ...] = ()
    page: int = 1
    per_page: int | None = DEFAULT_PER_PAGE
    show_hidden: bool = False
    draft: TrainingRun | None = None
    view: tuple[tuple[str, str], ...] = ()

    @property
    def run(self) -> TrainingRun | None:
        """The training run, where a model is named."""
        return self.draft if self.draft is not None and self.draft.names_a_model else None

    @property
    def run_params(self) -> dict[str, list[str]]:
        """The parameters of the run alone."""
        return {name: values for name, values in self.to_params().items() if name in RUN_FIELDS}

    @property
    def order(self) -> str:
        """`asc` or `desc`."""
        return "desc" if self.descending else "asc"

    @cached_property
    def words(self) -> free_text.FreeText:
        """The free text, understood."""
        return free_text.parse(self.q)

    @property
    def shown_columns(self) -> tuple[Column, ...]:
        """The columns of the table, in order; those that need a run only with one."""
        if not self.columns:
            each = dict(self.view).get("price_of") == "accelerator"
            shown = default_columns(self.run is not None)
            return tuple(column for column in shown if not each or column.name != PER_ACCELERATOR)
        chosen = (BY_NAME[name] for name in self.columns)
        return tuple(column for column in chosen if self.run is not None or not column.needs_run)

    @classmethod
    def parse(cls, params: Params | str) -> OfferQuery:
        """A question from URL parameters or a query string; blanks mean "not given".

        Raises:
            UnknownParameter: a parameter or column that does not exist.
            BadInput: a value that cannot be understood.
        """
        given = _given(params)
        draft = _draft({name: given[name] for name in given if name in RUN_FIELDS})
        with_run = draft is not None and draft.names_a_model
        query = cls(
            filters=parse_filters(given),
            q=_one(given, "q", ""),
            sort=_sort(given, with_run),
            descending=_choice(given, "order", ("asc", "desc")) == "desc",
            group=_choice(given, "group", GROUPINGS),
            columns=_columns(given, with_run),
            page=_whole(given, "page", 1, 1_000_000),
            per_page=_per_page(given),
            show_hidden=_choice(given, "show_hidden", ("0", "1")) == "1",
            draft=draft,
            view=tuple((name, _choice(given, name, options)) for name, options in VIEW_OPTIONS.items()),
        )
        _check_run_columns(query)
        free_text.parse(query.q)
        return query

    def to_params(self) -> dict[str, list[str]]:
        """Parameters that differ from their defaults, in a fixed order."""
        params: dict[str, list[str]] = {"q": [self.q] if self.q else []}
        params |= {item.parameter: list(item.values) for item in self.filters}
        params |= {
            name: [_run_text(value)] for name, value in (self.draft.to_fields() if self.draft else {}).items()
        }
        params["sort"] = [self.sort] if self.sort != _default_sort(self.run is not None) else []
        params["order"] = ["desc"] if self.descending else []
        params["group"] = [self.group] if self.group else []
        params["columns"] = [",".join(self.columns)] if self.columns else []
        params["show_hidden"] = ["1"] if self.show_hidden else []
        params["per_page"] = [str(self.per_page or "all")] if self.per_page != DEFAULT_PER_PAGE else []
        params["page"] = [str(self.page)] if self.page > 1 else []
        params |= {name: [value] for name, value in self.view if value != VIEW_OPTIONS[name][0]}
        return {name: values for name, values in params.items() if values}

    def to_query_string(self) -> str:
        """The question as a URL carries it; empty for the default question."""
        return urlencode(self.to_params(), doseq=True)

    def with_(self, **changes: object) -> OfferQuery:
        """The question with parameters changed by their URL names; None removes one.

        Any change but of the page itself goes back to the first page.

        Raises:
            UnknownParameter, BadInput: as `parse`.
        """
        params: dict[str, list[str]] = self.to_params()
        if "page" not in changes:
            params.pop("page", None)
        for name, value in changes.items():
            params.pop(name, None)
            if value is not None:
                params[name] = (
                    [str(item) for item in value] if isinstance(value, list | tuple) else [_text(value)]
                )
        return OfferQuery.parse(params)

    def without_run(self) -> OfferQuery:
        """The same filters without the training run and what depends on it."""
        kept = tuple(item for item in self.filters if not item.column.needs_run)
        sort = self.sort if not BY_NAME[self.sort].needs_run else DEFAULT_SORT
        return replace(self, draft=None, show_hidden=False, filters=kept, sort=sort, page=1)


def _given(params: Params | str) -> dict[str, list[str]]:
    if isinstance(params, str):
        if len(params) > MAX_QUERY_CHARACTERS:
            raise BadInput(
                "query", Sentence("is longer than {count} characters", {"count": MAX_QUERY_CHARACTERS})
            )
        params = parse_qs(params.removeprefix("?"), keep_blank_values=True)
    for name in params:
        if name not in KNOWN:
            raise UnknownParameter(name[:60], "there is no such parameter")
    texts = {name: [value.strip() for value in values if value.strip()] for name, values in params.items()}
    return {name: values for name, values in texts.items() if values}


def _draft(fields: Mapping[str, list[str]]) -> TrainingRun | None:
    values: dict[str, Any] = {}
    for name, texts in fields.items():
        values[name] = ",".join(texts) if name == "lora_targets" else _single(name, texts)
    if isinstance(values.get("config"), str):
        values["config"] = parse_config(values["config"])
    run = TrainingRun.from_fields(values) if values else None
    return run if run is not None and run.to_fields() else None


def parse_config(text: str) -> dict[str, Any]:
    """A Hugging Face `config.json` as it is pasted.

    Raises:
        BadInput: it is not a JSON object.
    """
    try:
        config = json.loads(text)
    except (json.JSONDecodeError, RecursionError):
        raise BadInput("config", "is not valid JSON") from None
    if not isinstance(config, dict):
        raise BadInput("config", "is not a JSON object")
    return config


def _single(name: str, texts: list[str]) -> str:
    if len(set(texts)) > 1:
        raise BadInput(name, "give one value only")
    return texts[0]


def _one(given: Mapping[str, list[str]], name: str, default: str) -> str:
    return _single(name, given[name]) if name in given else default


def _choice(given: Mapping[str, list[str]], name: str, options: tuple[str, ...]) -> str:
    value = _one(given, name, options[0])
    if value not in options:
        raise BadInput(name, none_of(value, options))
    return value


def _whole(given: Mapping[str, list[str]], name: str, default: int, most: int) -> int:
    text = _one(given, name, str(default))
    value = parse_number(name, text)
    if value != int(value) or not 1 <= value <= most:
        said = {"value": repr(text[:60]), "most": most}
        raise BadInput(name, Sentence("{value} is not a whole number from 1 to {most}", said))
    return int(value)


def _per_page(given: Mapping[str, list[str]]) -> int | None:
    if _one(given, "per_page", "") == "all":
        return None
    return _whole(given, "per_page", DEFAULT_PER_PAGE, MAX_PER_PAGE)


def _default_sort(with_run: bool) -> str:
    return DEFAULT_RUN_SORT if with_run else DEFAULT_SORT


def _sort(given: Mapping[str, list[str]], with_run: bool) -> str:
    column = column_named(_one(given, "sort", _default_sort(with_run)), "sort")
    if not column.sortable:
        raise BadInput("sort", Sentence("{column} cannot be sorted", {"column": column.name}))
    return column.name


def _columns(given: Mapping[str, list[str]], with_run: bool) -> tuple[str, ...]:
    names = [name.strip() for text in given.get("columns", ()) for name in text.split(",") if name.strip()]
    chosen = tuple(dict.fromkeys(column_named(name, "columns").name for name in names))
    return () if chosen == tuple(column.name for column in default_columns(with_run)) else chosen


def _check_run_columns(query: OfferQuery) -> None:
    if query.run is not None:
        return
    if BY_NAME[query.sort].needs_run:
        raise BadInput(
            "sort", Sentence("{column} needs a training run: name a model", {"column": query.sort})
        )
    for item in query.filters:
        if item.column.needs_run:
            raise BadInput(item.parameter, "needs a training run: name a model")


def _run_text(value: Any) -> str:
    return json.dumps(value, separators=(",", ":")) if isinstance(value, dict) else _text(value)


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, float) and value == int(value) and abs(value) < 1e15:
        return str(int(value))
    return str(value)
