"""The words of the API for OpenAPI, read off the columns and the training run: nothing is described twice."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, Field, create_model

from app.domain.run import TrainingRun
from app.market.column import Column
from app.market.columns import COLUMNS
from app.market.filters import PARAMETERS
from app.market.query import GROUPINGS, MAX_PER_PAGE, VIEW_OPTIONS

TYPES: dict[str, Any] = {"text": str, "number": float, "time": datetime, "flag": bool, "list": list[str]}
WORDS: dict[str, str] = {
    "choice": "One of these, repeated or with commas; !x shuts x out, unknown is the blank",
    "is": "Equal to, or <=x, >x, x..y; several with commas",
    "min": "At least; leaves out what is unknown",
    "max": "At most; leaves out what is unknown",
    "text": "Contains",
    "flag": "1 or 0",
    "age": "Seen within so many days",
}


VIEW_WORDS: dict[str, str] = {
    "price_of": "What prices are shown of, in CSV, Markdown and pages; the order follows. JSON keeps USD per hour",
    "price_per": "What prices are shown per; a month is 730 h, a term the whole commitment, upfront payment included",
    "currency": "Currency of shown amounts at the last reference rate; USD where none is known",
}


EXAMPLES: dict[str, Any] = {
    "q": "8xH100 eu spot <25",
    "sort": "price_usd_per_accelerator_hour",
    "order": "asc",
    "columns": "provider,instance_type,price_usd_per_hour",
    "accelerator": ["h100-sxm5-80gb", "h200-sxm-141gb"],
    "accelerator_count": ">=4",
    "purchase_option": ["on_demand"],
    "continent": ["!Asia"],
    "price_max": 60,
    "model": "llama-3.1-8b",
    "method": "qlora",
    "tokens": 50_000_000,
    "deadline_hours": 24,
    "budget_usd": 40,
}
"""Of query parameters, by name."""
RUN_EXAMPLES: dict[str, Any] = {
    "lora": {
        "summary": "LoRA on a model of the catalog, within a day and a budget",
        "value": {
            "model": "qwen2.5-14b",
            "method": "lora",
            "tokens": 5e7,
            "deadline_hours": 24,
            "budget_usd": 40,
        },
    },
    "shape": {
        "summary": "Pretraining a decoder that is described by its shape",
        "value": {"layers": 32, "hidden_size": 4096, "method": "pretrain", "tokens": 1e11, "max_nodes": 4},
    },
}
TRIAL_EXAMPLES: dict[str, Any] = {
    "measured": {
        "summary": "A trial run's own speed, and what the accelerator was seen to do",
        "value": {
            "run": {
                "model": "llama-3.1-8b",
                "method": "qlora",
                "measured_on": "h100-sxm5-80gb x1",
                "measured_tokens_per_s": 3000,
            },
            "busy_percent": 96,
        },
    }
}


def _item_field(column: Column) -> Any:
    text = column.help + (f" [{column.unit}]" if column.unit else "")
    if column.name == "id":
        return (str, Field(description=text))
    return (TYPES[column.kind] | None, Field(None, description=text))


OfferItem: type[BaseModel] = create_model(
    "OfferItem",
    __doc__="One offer; null is unknown. Prices are of the whole instance unless the name says otherwise.",
    **{column.name: _item_field(column) for column in COLUMNS},
)


class GroupItem(BaseModel):
    """Offers gathered by one value."""

    value: str = Field(description="Filters for the group; unknown is the blank")
    label: str
    offers: int
    providers: int
    accelerators: int
    price_usd_per_accelerator_hour_low: float | None
    price_usd_per_accelerator_hour_median: float | None
    price_usd_per_accelerator_hour_high: float | None
    total_usd_low: float | None = Field(None, description="Cheapest run on an offer of the group")


class OfferList(BaseModel):
    """One page of offers."""

    items: list[OfferItem]
    groups: list[GroupItem] = Field(
        [], description="Where the question gathers offers: all groups, best offer first"
    )
    total: int = Field(description="Offers on all pages")
    as_of: datetime | None = Field(description="Newest observation on the board")
    next: str | None = Field(description="Address of the next page")
    hidden: dict[str, int] = Field(description="Offers that the training run rules out, by reason")
    caption: str = Field(description="The question in words")


class PricePoint(BaseModel):
    """A price from a moment on."""

    at: datetime
    price_usd_per_hour: float | None


class OfferDetail(BaseModel):
    """One offer with its price history."""

    offer: OfferItem
    history: list[PricePoint] = Field(description="Oldest first; a point holds until the next")


def offer_parameters() -> list[dict[str, Any]]:
    """OpenAPI parameters of the question: filters, the run's fields, order, page."""
    filters = [
        _parameter(
            name, f"{WORDS[role]}: {column.label.lower()}. {column.help}", _filter_schema(column, role)
        )
        for name, (column, role) in PARAMETERS.items()
    ]
    properties = TrainingRun.model_json_schema()["properties"]
    run = [
        _parameter(
            name, f"Training run: {TrainingRun.model_fields[name].description}", _flat(properties[name])
        )
        for name in TrainingRun.model_fields
    ]
    return [*_view_parameters(), *filters, *run]


def _view_parameters() -> list[dict[str, Any]]:
    names = [column.name for column in COLUMNS]
    sortable = [column.name for column in COLUMNS if column.sortable]
    pages = {"type": "integer", "minimum": 1}
    options = [
        _parameter(n, VIEW_WORDS.get(n, "Look of the page; changes no row"), {"type": "string", "enum": [*o]})
        for n, o in VIEW_OPTIONS.items()
    ]
    return [
        _parameter("q", "Free text: 8xH100 eu spot <25", {"type": "string", "maxLength": 200}),
        _parameter("sort", "Column to sort by", {"type": "string", "enum": sortable}),
        _parameter("order", "Direction; unknown values are last both ways", {"type": "string", "enum": ["asc", "desc"]}),
        _parameter("group", "Gather offers: how many, and between which prices of one accelerator", {"type": "string", "enum": [*GROUPINGS]}),
        _parameter("columns", f"Columns with commas, of: {', '.join(names)}", {"type": "string"}),
        _parameter("page", "Page, from 1", {**pages, "maximum": 1_000_000}),
        _parameter("per_page", "Offers on a page", {**pages, "maximum": MAX_PER_PAGE}),
        _parameter("show_hidden", "Bring back what the run rules out", {"type": "string", "enum": ["0", "1"]}),
        *options,
    ]  # fmt: skip


def _parameter(name: str, description: str, schema: dict[str, Any]) -> dict[str, Any]:
    example = {"example": EXAMPLES[name]} if name in EXAMPLES else {}
    return {
        "name": name, "in": "query", "required": False, "description": description, "schema": schema, **example,
    }  # fmt: skip


def _filter_schema(column: Column, role: str) -> dict[str, Any]:
    if role in ("min", "max", "age"):
        return {"type": "number"}
    if role == "choice":
        return {"type": "array", "items": {"type": "string"}}
    return {"type": "string", **({"enum": ["0", "1"]} if role == "flag" else {})}


def _flat(schema: dict[str, Any]) -> dict[str, Any]:
    """A field's schema as a query parameter: its non-null branch; an object travels as JSON text."""
    branch = next((item for item in schema.get("anyOf", [schema]) if item.get("type") != "null"), schema)
    if branch.get("type") == "object":
        return {"type": "string", "contentMediaType": "application/json"}
    return {
        name: branch[name]
        for name in ("type", "enum", "minimum", "maximum", "exclusiveMinimum")
        if name in branch
    }


class ColumnCard(BaseModel):
    """How a column is declared."""

    name: str
    label: str
    help: str
    unit: str
    group: str
    kind: Literal["text", "number", "time", "flag", "list"]
    filter: str | None
    parameters: list[str] = Field(description="Query parameters that filter it")
    options: list[str] = Field(description="Every possible value, where they are closed")
    words: dict[str, str] = Field(description="What its short codes mean")
    sortable: bool
    default: bool
    needs_run: bool


def column_card(column: Column) -> ColumnCard:
    """A column as the API describes it."""
    return ColumnCard(
        **{
            name: getattr(column, name)
            for name in ("name", "label", "help", "unit", "group", "kind", "filter")
        },
        **{name: getattr(column, name) for name in ("sortable", "default", "needs_run")},
        options=list(column.options),
        words=dict(column.option_labels),
        parameters=[name for name, (owner, _) in PARAMETERS.items() if owner is column],
    )
