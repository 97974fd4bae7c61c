"""Cells: unknown is unknown, text is text, every row is one line of the table."""

from __future__ import annotations

import re

from app.catalog import load_catalog
from app.market.columns import BY_NAME, COLUMNS, OFFER_COLUMNS
from app.market.labels import FORM_LABELS, HARDWARE_NAMES
from app.market.offers import OfferRow
from app.market.query import OfferQuery
from app.market.service import Market
from app.web.cells import RowWriter, is_number, plain_text
from tests.market.samples import NOW, ask, market_of, offer


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


def test_vendors_forms_and_architectures_of_the_catalog_are_written_as_their_makers_do() -> None:
    for card in load_catalog().accelerators.values():
        for key in (card.vendor, card.architecture, card.form_factor):
            assert key in HARDWARE_NAMES or key in FORM_LABELS, key
    row = ask(market_of(offer(1)), "columns=id,vendor,architecture,form_factor").rows[0]
    texts = [plain_text(BY_NAME[name], row[name], NOW) for name in ("vendor", "architecture", "form_factor")]
    assert texts == ["NVIDIA", "Hopper", "SXM"]
