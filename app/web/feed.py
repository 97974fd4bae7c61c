"""The question as an Atom feed (RFC 4287): a feed reader tells of a moved price or a better offer, without an account.

An entry stands for an offer at a price. Its id changes when the price does, so a reader shows it as news exactly then; an
offer that comes among the first of the question is a new entry too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from xml.etree import ElementTree as Xml

from app.market.offers import OfferPage, OfferRow
from app.web.cells import as_quoted, shown_text
from app.web.language import gettext, language, say
from app.web.offers import display_columns, header_of
from app.web.question import href, run_query

ATOM = "http://www.w3.org/2005/Atom"
ENTRIES = 20
NAMED = ("accelerator_label", "accelerator_count", "provider", "purchase_option", "region")
"""The columns that say which offer it is, in the title of an entry."""
PRICED = ("price_usd_per_hour", "total_usd")
NO_XML = {code: None for code in range(32) if chr(code) not in "\t\n\r"}


def feed_of(page: OfferPage, origin: str, now: datetime) -> str:
    """The rows of a page as a feed, in the page's units. `origin` is scheme and host, without a slash at the end."""
    query = page.query.with_(per_page=None)
    here, site = origin + href(query, "/offers.atom"), origin + href(query)
    feed = Xml.Element("feed", {"xmlns": ATOM, "xml:lang": language().code})
    words = [say(part) for part in page.caption.parts] or [gettext("Every accelerator")]
    _put(feed, "title", f"Rackrate: {', '.join(words)}")
    _put(feed, "id", here)
    _put(feed, "updated", _moment(max(map(_changed, page.rows), default=now)))
    Xml.SubElement(_put(feed, "author"), "name").text = "Rackrate"
    Xml.SubElement(feed, "link", {"rel": "self", "type": "application/atom+xml", "href": here})
    Xml.SubElement(feed, "link", {"rel": "alternate", "type": "text/html", "href": site})
    for row in page.rows:
        _entry(feed, page, row, origin, now)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + Xml.tostring(feed, encoding="unicode")


def _entry(feed: Xml.Element, page: OfferPage, row: OfferRow, origin: str, now: datetime) -> None:
    told = dict(_told(page, row, now))
    entry = Xml.SubElement(feed, "entry")
    _put(entry, "title", " · ".join(_title(told)))
    _put(entry, "id", f"urn:rackrate:{row.id}:{_changed(row):%Y%m%dT%H%M%SZ}")
    _put(entry, "updated", _moment(_changed(row)))
    run = run_query(page.query)
    address = f"{origin}/offers/{row.id}" + (f"?{run}" if run else "")
    Xml.SubElement(entry, "link", {"rel": "alternate", "type": "text/html", "href": address})
    _put(entry, "content", "\n".join(f"{label}: {text}" for label, text in told.values()))


def _told(page: OfferPage, row: OfferRow, now: datetime) -> Iterable[tuple[str, tuple[str, str]]]:
    """By column: its heading with the unit, and what the row says; without what is unknown, and without ages, which
    would be another text at every reading."""
    for column in (one for one in display_columns(page.query) if one.format != "age"):
        text = shown_text(column, row, page.units, now)
        if text is None and column.name == "price_usd_per_hour":
            text = as_quoted(row)
        if text:
            head = header_of(column, page.query, page.units)
            unit = say(head.unit)
            yield column.name, (f"{say(head.label)} ({unit})" if unit else say(head.label), text)


def _title(told: Mapping[str, tuple[str, str]]) -> Iterable[str]:
    for name in NAMED:
        if name in told:
            yield f"{told[name][1]}×" if name == "accelerator_count" else told[name][1]
    yield from (": ".join(told[name]) for name in PRICED if name in told)


def _changed(row: OfferRow) -> datetime:
    """When the row became what it says: the price moved, or the offer appeared."""
    moments = (row.record.price_changed_at, row.record.first_seen, row.record.observed_at)
    return next(moment for moment in moments if moment is not None)


def _moment(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


def _put(parent: Xml.Element, name: str, text: str = "") -> Xml.Element:
    child = Xml.SubElement(parent, name)
    child.text = text.translate(NO_XML)
    return child
