"""The table as Markdown, to paste into notes and tickets: the rows, order, columns and units of the page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from app.market.offers import OfferPage, OfferRow
from app.web.cells import as_quoted, is_number, shown_text
from app.web.groups import groups_view
from app.web.language import gettext, say
from app.web.offers import display_columns, header_of


def markdown_of(page: OfferPage, now: datetime) -> str:
    """The page's rows, or its groups, under their headings; unknown is a dash."""
    return _groups(page) if page.query.group else _offers(page, now)


def _offers(page: OfferPage, now: datetime) -> str:
    columns = display_columns(page.query)
    heads = [header_of(column, page.query, page.units) for column in columns]
    titles = [_heading(head.label, head.unit) for head in heads]
    rows = (
        [_text(column.name, shown_text(column, row, page.units, now), row) for column in columns]
        for row in page.rows
    )
    return _table(titles, [is_number(column) for column in columns], rows)


def _text(name: str, text: str | None, row: OfferRow) -> str | None:
    return as_quoted(row) if text is None and name == "price_usd_per_hour" else text


def _groups(page: OfferPage) -> str:
    view = groups_view(page)
    titles = [gettext(view.title), gettext("Offers")]
    titles += [_heading(gettext(word), view.unit) for word in ("Lowest", "Median", "Highest")]
    rows = ([row.label, row.offers, row.low, row.median, row.high] for row in view.rows)
    return _table(titles, [False, True, True, True, True], rows)


def _heading(label: str, unit: object) -> str:
    said = say(unit)
    return f"{say(label)} ({said})" if said else say(label)


def _table(titles: Sequence[str], numbers: Sequence[bool], rows: Iterable[Sequence[str | None]]) -> str:
    return "\n".join(_lines(titles, numbers, rows)) + "\n"


def _lines(
    titles: Sequence[str], numbers: Sequence[bool], rows: Iterable[Sequence[str | None]]
) -> Iterator[str]:
    yield _line(titles)
    yield _line(["---:" if number else "---" for number in numbers])
    yield from map(_line, rows)


def _line(cells: Sequence[str | None]) -> str:
    return f"| {' | '.join('–' if cell is None else _escaped(cell) for cell in cells)} |"


def _escaped(text: str) -> str:
    """Nothing that a source wrote becomes markup."""
    for sign in "\\|`*_[]<>":
        text = text.replace(sign, f"\\{sign}")
    return text.replace("\n", " ")
