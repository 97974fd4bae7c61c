"""Rows of the comparison as HTML. Written in Python because thousands of cells through a template cost most of a page;
what is the same for every page is cached by row."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from markupsafe import Markup, escape

from app.domain.sentence import Sentence
from app.market.column import Column
from app.market.offers import OfferRow
from app.web import formatting
from app.web.language import gettext, say

OLD = timedelta(days=7)
UNKNOWN = '<td class="{}"><span>{}</span></td>'


class RowWriter:
    """Writes rows for one table: its columns, the moment, the query string that offer pages get (the run)."""

    def __init__(self, columns: Sequence[Column], now: datetime, run_query: str) -> None:
        self.columns = tuple(columns)
        self.now = now
        self.suffix = f"?{run_query}" if run_query else ""
        self.unknown = UNKNOWN.format("u", escape(gettext("unknown")))
        self.unknown_number = UNKNOWN.format("num u", escape(gettext("unknown")))

    def row(self, row: OfferRow) -> Markup:
        """One `<tr>`."""
        head, *rest = self.columns
        cells = "".join(self._cell(column, row) for column in rest)
        kind = ' class="out"' if row.hidden else ""
        return Markup(f"<tr{kind}>{self._head(head, row)}{cells}</tr>")

    def _head(self, column: Column, row: OfferRow) -> str:
        text = self.text(column, row) or gettext("unknown")
        kind = ' class="num"' if is_number(column) else ""
        return (
            f'<th scope="row"{kind}><a href="/offers/{row.id}{escape(self.suffix)}">{escape(text)}</a></th>'
        )

    def _cell(self, column: Column, row: OfferRow) -> str:
        value = row[column.name]
        if value is None or value == "" or value == ():
            return self.unknown_number if is_number(column) else self.unknown
        special = _SPECIAL.get(column.name)
        if special is not None:
            return special(self, column, row)
        kind = ' class="num"' if is_number(column) else ""
        return f"<td{kind}>{escape(self.text(column, row) or '')}</td>"

    def text(self, column: Column, row: OfferRow) -> str | None:
        """The cell as plain text, None for unknown."""
        if column.name == "provider":
            return row.record.provider_name
        return plain_text(column, row[column.name], self.now)


def plain_text(column: Column, value: object, now: datetime) -> str | None:
    """A value of a column as people read it, without its unit; None for unknown."""
    if value is None or value == "":
        return None
    if column.format == "money":
        write = formatting.usd if column.unit == "USD" else formatting.usd_per_hour
        return write(float(value))  # type: ignore[arg-type]
    if column.format in formatting.FORMATS:
        return formatting.FORMATS[column.format](float(value))  # type: ignore[arg-type]
    if column.format == "age":
        return formatting.age(_moment(value), now)
    if column.format == "flag":
        return gettext("yes") if value else gettext("no")
    if column.format == "list":
        return ", ".join(map(str, value))  # type: ignore[call-overload]
    if isinstance(value, Sentence):
        return say(value)
    return _label(column, str(value))


def is_number(column: Column) -> bool:
    """Aligned to the end, with tabular figures."""
    return column.kind in ("number", "time")


def _label(column: Column, value: str) -> str:
    label = column.option_labels.get(value)
    return value if label is None else gettext(label)


def _moment(value: object) -> datetime | None:
    if isinstance(value, int | float):
        return datetime.fromtimestamp(value, UTC)
    return value if isinstance(value, datetime) else None


def _age_cell(writer: RowWriter, column: Column, row: OfferRow) -> str:
    moment = _moment(row[column.name])
    if moment is None:
        return writer.unknown_number
    kind = "num old" if writer.now - moment > OLD else "num"
    shown = escape(formatting.age(moment, writer.now))
    return f'<td class="{kind}"><time datetime="{moment:%Y-%m-%dT%H:%MZ}">{shown}</time></td>'


def _verdict_cell(writer: RowWriter, column: Column, row: OfferRow) -> str:
    value = str(row[column.name])
    return f'<td><span class="badge {escape(value)}">{escape(_label(column, value))}</span></td>'


def _why_cell(writer: RowWriter, column: Column, row: OfferRow) -> str:
    return f'<td class="why">{escape(say(row[column.name]))}</td>'


def _plan_cell(writer: RowWriter, column: Column, row: OfferRow) -> str:
    text = escape(say(row[column.name]))
    return f'<td title="{text}">{text}</td>'


def _price_cell(writer: RowWriter, column: Column, row: OfferRow) -> str:
    flags = row.record.flags
    mark = ""
    if flags:
        said = escape(gettext("odd price") + ": " + ", ".join(flags))
        mark = f'<span class="flag" title="{said}"><span aria-hidden="true">⚑ </span><span class="hide">{said}</span></span>'
    return f'<td class="num key">{mark}{escape(writer.text(column, row))}</td>'


def _source_cell(writer: RowWriter, column: Column, row: OfferRow) -> str:
    text, url = escape(str(row[column.name])), row.record.source_url
    if not url.startswith("https://"):
        return f'<td title="{text}">{text}</td>'
    return f'<td title="{text}"><a href="{escape(url)}" rel="noreferrer noopener nofollow">{text}</a></td>'


def _accelerator_cell(writer: RowWriter, column: Column, row: OfferRow) -> str:
    key, text = row.record.accelerator, escape(str(row[column.name]))
    return f'<td><a href="/accelerators/{escape(key)}">{text}</a></td>' if key else f"<td>{text}</td>"


_SPECIAL = {
    "observed_at": _age_cell,
    "first_seen": _age_cell,
    "price_changed_at": _age_cell,
    "verdict": _verdict_cell,
    "why": _why_cell,
    "plan": _plan_cell,
    "price_usd_per_hour": _price_cell,
    "source": _source_cell,
    "accelerator_label": _accelerator_cell,
}
