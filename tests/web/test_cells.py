"""Cells: unknown is unknown, text is text, every row is one line of the table."""

from __future__ import annotations

import re

from app.market.columns import COLUMNS, OFFER_COLUMNS
from app.market.offers import OfferRow
from app.market.query import OfferQuery
from app.market.service import Market
from app.web.cells import RowWriter, is_number


def rows(market: Market, text: str) -> tuple[OfferRow, ...]:
    return market.list_offers(OfferQuery.parse(text)).rows


def test_every_column_can_be_shown_for_every_offer(market: Market) -> None:
    for text, columns in (("", OFFER_COLUMNS), ("model=llama-3.1-8b&show_hidden=1", COLUMNS)):
        writer = RowWriter(columns, market.clock(), "")
        for row in rows(market, text):
            html = writer.row(row)
            assert len(re.findall(r"<t[dh]\b", html)) == len(columns)
            assert "None" not in re.sub(r"<[^>]+>", "", html)
            assert "nan" not in re.sub(r"<[^>]+>", " ", html).split()


def test_only_what_is_unknown_is_written_as_unknown(market: Market) -> None:
    writer = RowWriter(OFFER_COLUMNS, market.clock(), "")
    for row in rows(market, ""):
        cells = re.split(r"(?=<t[dh]\b)", str(writer.row(row)))[1:]
        for column, cell in zip(OFFER_COLUMNS, cells, strict=True):
            blank = row[column.name] is None or row[column.name] in ("", ())
            assert blank == ("unknown</span></td>" in cell), column.name


def test_numbers_are_aligned_to_the_end(market: Market) -> None:
    writer = RowWriter(OFFER_COLUMNS, market.clock(), "")
    for row in rows(market, "")[:5]:
        cells = re.split(r"(?=<t[dh]\b)", str(writer.row(row)))[1:]
        for column, cell in zip(OFFER_COLUMNS, cells, strict=True):
            assert is_number(column) == bool(re.match(r'<t[dh][^>]*class="num', cell)), column.name


def test_the_row_leads_to_the_offer_with_the_run(market: Market) -> None:
    row = rows(market, "")[0]
    writer = RowWriter(OFFER_COLUMNS, market.clock(), "model=a&method=lora")
    assert f'<a href="/offers/{row.id}?model=a&amp;method=lora">' in writer.row(row)
