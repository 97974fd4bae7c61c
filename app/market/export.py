"""CSV of exactly the view: the same rows, order, columns and units, or its groups; safe to open in a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from app.market.column import Column
from app.market.columns import BY_NAME
from app.market.groups import fields_of
from app.market.offers import Selection, grouped, in_order, ordered_rows, select
from app.market.query import OfferQuery

if TYPE_CHECKING:
    from app.market.service import Market

DANGEROUS = ("=", "+", "-", "@", "\t", "\r", "\n")
ROWS_AT_ONCE = 500


def export_csv(market: Market, query: OfferQuery) -> Iterator[str]:
    """Pieces of a CSV file: the id, then the columns of the view; the header is the column names.

    The question is answered before the first piece, so that a bad one is an error and never half a file.

    Raises:
        BadInput: the run of the question makes no sense.
    """
    selection = select(market, query)
    query = in_order(query, selection)
    if query.group:
        return iter((_group_lines(selection, query),))
    return _pieces(selection, export_columns(query), ordered_rows(selection, query))


def _group_lines(selection: Selection, query: OfferQuery) -> str:
    units, with_run = selection.units, query.run is not None
    told = [fields_of(group, units, with_run) for group in grouped(selection, query, units)]
    return _lines(
        [list(told[0]) if told else [], *([_cell(value) for value in one.values()] for one in told)]
    )


def export_columns(query: OfferQuery) -> Sequence[Column]:
    """The view's columns, the id always first."""
    return (BY_NAME["id"], *(column for column in query.shown_columns if column.name != "id"))


def _pieces(selection: Selection, columns: Sequence[Column], rows: Sequence[int]) -> Iterator[str]:
    units, records = selection.units, selection.frame.board.records
    yield _lines([[units.heading(column).name for column in columns]])
    for start in range(0, len(rows), ROWS_AT_ONCE):
        yield _lines(
            [
                _cell(units.value(column, records[row], selection.frame.value(column.name, row)))
                for column in columns
            ]
            for row in rows[start : start + ROWS_AT_ONCE]
        )


def _lines(rows: Iterator[list[Any]] | list[list[Any]]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\r\n").writerows(rows)
    return buffer.getvalue()


def _cell(value: Any) -> Any:
    """Numbers as they are, unknown as blank; text that a spreadsheet would run as a formula gets a quote before it."""
    if value is None or (isinstance(value, int | float) and not isinstance(value, bool)):
        return value
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, tuple | list):
        value = " ".join(map(str, value))
    text = str(value)
    return f"'{text}" if text.startswith(DANGEROUS) or text.lstrip().startswith(DANGEROUS) else text
