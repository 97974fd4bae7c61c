"""Rows of the comparison as HTML. Written in Python because thousands of cells through a template cost most of a page;
what is the same for every page is cached by row."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta

from markupsafe import Markup, escape

from app.domain.flags import DOUBTS, NOTES
from app.domain.place import Territory
from app.domain.sentence import Sentence
from app.market.column import Column
from app.market.labels import HARDWARE_NAMES
from app.market.offers import OfferRow
from app.market.units import Units
from app.web import formatting
from app.web.language import country, gettext, language, say
from app.web.widths import letters_of, place_classes

OLD = timedelta(days=7)
_BOX = "xxxx"
"""As wide as the box before the first text of a row."""
NONE = "none"
"""What a column of names says where there is nothing to name: no link, no network."""
FIRST = 2
"""Chunks that are painted at once; a script lets the others follow, frame by frame."""
CHUNK = 20
"""Rows that a browser lays out together once they come near the window."""
AT_ONCE = 200
"""Rows that are part of the page from the start; a script puts the others in piece by piece."""


class RowWriter:
    """Writes rows for one table: its columns, the moment, the query string that offer pages get (the run), the units.
    With `chooses` each row has a box that puts it into the form `compare`."""

    def __init__(
        self,
        columns: Sequence[Column],
        now: datetime,
        run_query: str,
        units: Units | None = None,
        chooses: bool = False,
    ) -> None:
        self.columns = tuple(columns)
        self.now = now
        self.suffix = escape(f"?{run_query}" if run_query else "")
        self.units = units or Units()
        self.box = escape(gettext("Compare")) if chooses else None
        self.classes = dict(zip((c.name for c in columns), place_classes(columns), strict=True))
        self.letters = {column.name: letters_of(column) for column in columns}
        said = escape(gettext("unknown"))
        self.unknown = {
            name: f'<td class="{kind} u"><span>{said}</span></td>' for name, kind in self.classes.items()
        }
        self.mirrored = language().mirrored

    def bodies(self, rows: Sequence[OfferRow]) -> Markup:
        """The rows as `<tbody>` after `<tbody>`."""
        return Markup("\n").join(
            Markup(
                '<tbody class="later">{}</tbody>' if start >= FIRST * CHUNK else "<tbody>{}</tbody>"
            ).format(Markup("\n").join(map(self.row, rows[start : start + CHUNK])))
            for start in range(0, len(rows), CHUNK)
        )

    def row(self, row: OfferRow) -> Markup:
        """One `<tr>`."""
        head, *rest = self.columns
        cells = "".join(self._cell(column, row) for column in rest)
        kind = ' class="out"' if row.hidden else ""
        return Markup(f"<tr{kind}>{self._head(head, row)}{cells}</tr>")

    def _head(self, column: Column, row: OfferRow) -> str:
        text = self.text(column, row) or gettext("unknown")
        cut = self.cut(column, text + _BOX if self.box else text)
        return (
            f'<th scope="row" class="{self.classes[column.name]}{cut}"><a href="/offers/{row.id}{self.suffix}">'
            f"{self.named(column, text)}</a>{self._box(row, text)}</th>"
        )

    def _box(self, row: OfferRow, text: str) -> str:
        if self.box is None:
            return ""
        name = f"{self.box}: {escape(text)}, {escape(row.record.provider_name)}"
        return f'<input type="checkbox" name="offer" value="{row.id}" form="compare" aria-label="{name}">'

    def _cell(self, column: Column, row: OfferRow) -> str:
        value = row[column.name]
        if value is None or value == "" or value == ():
            return self._blank(column, row)
        special = _SPECIAL.get(column.name)
        if special is not None:
            return special(self, column, row)
        text = self.text(column, row)
        if text is None:
            return self._blank(column, row)
        kind = self.classes[column.name] + self.cut(column, text)
        return f'<td class="{kind}">{self.named(column, text)}</td>'

    def cut(self, column: Column, text: str) -> str:
        """The class of a cell whose text may not fit; to clip every cell would cost half of what a page costs."""
        return " cut" if len(text) > self.letters[column.name] else ""

    def _blank(self, column: Column, row: OfferRow) -> str:
        quoted = as_quoted(row) if column.name == "price_usd_per_hour" else None
        if quoted is None:
            return self.unknown[column.name]
        why = escape(gettext("Per hour of the whole instance, as quoted: no exchange rate is known."))
        return f'<td class="{self.classes[column.name]} soft" title="{why}">{escape(quoted)}</td>'

    def cell(self, column: Column, inner: str) -> str:
        """A `<td>` around markup."""
        return f'<td class="{self.classes[column.name]}">{inner}</td>'

    def named(self, column: Column, text: str) -> str:
        """A text of a column as markup; names in Latin letters keep their order in a page that runs the other way."""
        latin = self.mirrored and column.kind in ("text", "list") and not column.option_labels
        return f"<bdi>{escape(text)}</bdi>" if latin else escape(text)

    def text(self, column: Column, row: OfferRow) -> str | None:
        """The cell as plain text, None for unknown."""
        return shown_text(column, row, self.units, self.now)


def shown_text(column: Column, row: OfferRow, units: Units, now: datetime) -> str | None:
    """A cell as people read it, in the units of the table, without naming them; None for unknown."""
    if column.name == "provider":
        return row.record.provider_name
    value = units.value(column, row.record, row[column.name])
    if column.format == "money" and value is not None:
        hourly = column.unit != "USD" and (column.unit != "USD/h" or units.price_per == "hour")
        return formatting.usd_per_hour(value) if hourly else formatting.usd(value)
    return plain_text(column, value, now)


def as_quoted(row: OfferRow) -> str | None:
    """The price in the source's own currency where no rate turns it into another."""
    record = row.record
    if record.currency == "USD" or record.hourly_price_native is None:
        return None
    return f"{formatting.usd_per_hour(record.hourly_price_native)} {record.currency}"


def plain_text(column: Column, value: object, now: datetime) -> str | None:
    """A value of a column as people read it, without its unit; None for unknown."""
    if value is None or value == "" or value == ():
        return None
    if column.format == "money":
        write = formatting.usd if column.unit == "USD" else formatting.usd_per_hour
        return write(float(value))  # type: ignore[arg-type]
    if column.format in formatting.FORMATS:
        return formatting.FORMATS[column.format](float(value))  # type: ignore[arg-type]
    if column.format == "age":
        return formatting.age(_moment(value), now)
    if column.name == "accelerator_label":
        return say(value)
    if column.format == "flag":
        return gettext("yes") if value else gettext("no")
    if column.format == "country":
        return country_text(str(value))
    if column.format == "list":
        return "; ".join(_label(column, str(one)) for one in value)  # type: ignore[attr-defined]
    if isinstance(value, Sentence):
        return say(value)
    return _label(column, str(value))


def country_text(code: str) -> str:
    """A country as its code and its name: DE Germany."""
    name = country(Territory(code, code))
    return code if name == code else f"{code} {name}"


def flag_words(flags: Iterable[str]) -> str:
    """Doubts or notes by their codes as people read them."""
    return "; ".join(gettext(DOUBTS.get(flag) or NOTES.get(flag) or flag) for flag in flags)


def is_number(column: Column) -> bool:
    """Aligned to the end, with tabular figures."""
    return column.kind in ("number", "time")


def _label(column: Column, value: str) -> str:
    label = column.option_labels.get(value, NONE if value == NONE else None)
    if label is None:
        return HARDWARE_NAMES.get(value, value) if column.group == "hardware" else value
    return gettext(label)


def _moment(value: object) -> datetime | None:
    if isinstance(value, int | float):
        return datetime.fromtimestamp(value, UTC)
    return value if isinstance(value, datetime) else None


def _age_cell(writer: RowWriter, column: Column, row: OfferRow) -> str:
    moment = _moment(row[column.name])
    if moment is None:
        return writer.unknown[column.name]
    old = " old" if writer.now - moment > OLD else ""
    shown = escape(formatting.age(moment, writer.now))
    kind = writer.classes[column.name]
    return f'<td class="{kind}{old}"><time datetime="{moment:%Y-%m-%dT%H:%MZ}">{shown}</time></td>'


def _verdict_cell(writer: RowWriter, column: Column, row: OfferRow) -> str:
    value = str(row[column.name])
    return writer.cell(column, f'<span class="badge {escape(value)}">{escape(_label(column, value))}</span>')


def _why_cell(writer: RowWriter, column: Column, row: OfferRow) -> str:
    return f'<td class="{writer.classes[column.name]} why">{escape(say(row[column.name]))}</td>'


def _titled_cell(writer: RowWriter, column: Column, row: OfferRow) -> str:
    text = writer.text(column, row) or ""
    kind = writer.classes[column.name] + writer.cut(column, text)
    inner = escape(text) if isinstance(row[column.name], Sentence) else writer.named(column, text)
    return f'<td class="{kind}" title="{escape(text)}">{inner}</td>'


def _price_cell(writer: RowWriter, column: Column, row: OfferRow) -> str:
    text, flags = writer.text(column, row), row.record.flags
    if text is None:
        return writer.unknown[column.name]
    mark = ""
    if flags:
        said = escape(say(Sentence("Doubtful price: {doubts}", {"doubts": flag_words(flags)})))
        mark = f'<span class="flag" title="{said}"><span aria-hidden="true">⚑ </span><span class="hide">{said}</span></span>'
    return f'<td class="{writer.classes[column.name]} key">{mark}{escape(text)}</td>'


def _source_cell(writer: RowWriter, column: Column, row: OfferRow) -> str:
    said, url = str(row[column.name]), row.record.source_url
    if not url.startswith("https://"):
        return _titled_cell(writer, column, row)
    link = f'<a href="{escape(url)}" rel="noreferrer noopener nofollow">{writer.named(column, said)}</a>'
    kind = writer.classes[column.name] + writer.cut(column, said)
    return f'<td class="{kind}" title="{escape(said)}">{link}</td>'


def _accelerator_cell(writer: RowWriter, column: Column, row: OfferRow) -> str:
    key, label = row.record.accelerator, str(row[column.name])
    text = writer.named(column, label)
    inner = f'<a href="/accelerators/{escape(key)}{writer.units.query}">{text}</a>' if key else text
    return f'<td class="{writer.classes[column.name]}{writer.cut(column, label)}">{inner}</td>'


_SPECIAL = {
    "observed_at": _age_cell,
    "first_seen": _age_cell,
    "price_changed_at": _age_cell,
    "verdict": _verdict_cell,
    "why": _why_cell,
    "plan": _titled_cell,
    "instance_type": _titled_cell,
    "price_usd_per_hour": _price_cell,
    "source": _source_cell,
    "accelerator_label": _accelerator_cell,
}
