"""The column chooser: columns by group, ready-made sets, and the rest of the question kept."""

from __future__ import annotations

from dataclasses import dataclass

from app.market.column import GROUPS, Column
from app.market.column_sets import COLUMN_SETS
from app.market.columns import COLUMNS
from app.market.query import OfferQuery
from app.web.question import href


@dataclass(frozen=True, slots=True)
class SetLink:
    """A ready-made set of columns; `chosen` is what the table shows now."""

    title: str
    href: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class ChooserView:
    """Columns by group with those ticked that the table shows, and the rest of the question as hidden inputs."""

    groups: tuple[tuple[str, tuple[tuple[Column, bool], ...]], ...]
    sets: tuple[SetLink, ...]
    default_href: str
    kept: tuple[tuple[str, str], ...]
    back: str


def chooser_view(query: OfferQuery) -> ChooserView:
    """The column chooser for a question."""
    shown = query.shown_columns
    groups = tuple(
        (title, tuple((c, c in shown) for c in COLUMNS if c.group == name and (query.run or not c.needs_run)))
        for name, title in GROUPS.items()
    )
    return ChooserView(
        groups=tuple(group for group in groups if group[1]),
        sets=column_sets(query),
        default_href=href(query.with_(columns=None)),
        kept=kept_inputs(query, "columns"),
        back=href(query),
    )


def column_sets(query: OfferQuery) -> tuple[SetLink, ...]:
    """The ready-made sets that are of use for a question."""
    names = tuple(column.name for column in query.shown_columns)
    return tuple(
        SetLink(one.title, href(query.with_(columns=",".join(one.names))), names == one.names)
        for one in COLUMN_SETS.values()
        if query.run is not None or not one.needs_run
    )


def kept_inputs(query: OfferQuery, *left_out: str) -> tuple[tuple[str, str], ...]:
    """The question as hidden inputs of a form that sets the parameters `left_out` itself; back on the first page."""
    params = query.with_(**dict.fromkeys(left_out)).to_params()
    return tuple((name, value) for name, values in params.items() for value in values)
