"""CSV: exactly the view, and nothing that a spreadsheet would run."""

from __future__ import annotations

import csv
import io

import pytest

from app.market.query import OfferQuery
from app.market.service import Market
from tests.market.samples import ask, market_of, offer


def exported(market: Market, text: str) -> list[dict[str, str]]:
    lines = "".join(market.export_csv(OfferQuery.parse(text)))
    return list(csv.DictReader(io.StringIO(lines, newline="")))


def test_the_export_has_the_rows_order_and_columns_of_the_view() -> None:
    market = market_of(*(offer(n, price_usd_per_hour=float(n % 4)) for n in range(1, 12)))
    text = "sort=price&order=desc&columns=price,region&per_page=5&page=2"
    page, rows = ask(market, text), exported(market, text)
    assert [row["id"] for row in rows] == [row.id for row in page.rows]
    assert list(rows[0]) == ["id", "price_usd_per_hour", "region"]
    assert len(exported(market, "per_page=all")) == 11


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\r=1", "  =cmd|' /C calc'!A0"])
def test_a_spreadsheet_never_runs_what_a_provider_wrote(text: str) -> None:
    market = market_of(offer(1, region=text))
    (row,) = exported(market, "columns=region,price")
    assert row["region"].startswith("'")
    assert row["price_usd_per_hour"] == "55.04"


def test_unknown_is_blank_in_the_export() -> None:
    (row,) = exported(market_of(offer(1, price_usd_per_hour=None, vcpus=None)), "columns=price,vcpus")
    assert (row["price_usd_per_hour"], row["vcpus"]) == ("", "")
