"""Units: number, heading and export change together; what cannot be converted says so."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from app.domain.errors import BadInput
from app.domain.record import OfferRecord
from app.market.board import BoardHolder
from app.market.columns import BY_NAME
from app.market.query import OfferQuery
from app.market.service import Market
from app.market.units import CURRENCIES, Units
from tests.market.samples import ask, market_of, numbers, offer

PRICE = BY_NAME["price_usd_per_hour"]
RATES = {"USD": (None, 1.0), "EUR": (date(2026, 11, 27), 1.25)}


def with_rates(*records: OfferRecord) -> Market:
    market = market_of(*records)
    return replace(market, holder=BoardHolder(replace(market.board, rates=RATES)))


def exported(market: Market, text: str) -> list[dict[str, Any]]:
    return list(csv.DictReader(io.StringIO("".join(market.export_csv(OfferQuery.parse(text))), newline="")))


def shown(market: Market, text: str) -> tuple[str, float | None, str]:
    """Heading's unit, first value and export name of the price."""
    page = ask(market, text)
    heading, row = page.units.heading(PRICE), page.rows[0]
    value = page.units.value(PRICE, row.record, row["price_usd_per_hour"])
    assert exported(market, text)[0][heading.name] == ("" if value is None else str(value))
    return str(heading.unit), value, heading.name


def test_a_currency_changes_number_unit_and_export_together() -> None:
    market = with_rates(offer(1, price_usd_per_hour=10.0))
    assert shown(market, "") == ("USD/h", 10.0, "price_usd_per_hour")
    assert shown(market, "currency=EUR") == ("EUR/h", 8.0, "price_eur_per_hour")
    notes = ask(market, "currency=EUR").units.heading(PRICE).notes
    assert "Reference rate of 2026-11-27." in [str(note) for note in notes]


def test_a_missing_rate_keeps_dollars_and_says_which_currency_is_missing() -> None:
    market = market_of(offer(1, price_usd_per_hour=10.0))
    assert shown(market, "currency=EUR") == ("USD/h", 10.0, "price_usd_per_hour")
    assert ask(market, "currency=EUR").units.missing == "EUR"
    assert ask(market, "").units.missing is None


def test_a_month_has_730_hours_and_an_accelerator_is_a_share_of_the_instance() -> None:
    market = with_rates(offer(1, price_usd_per_hour=8.0, accelerator_count=8))
    assert shown(market, "price_per=month") == ("USD/month", 5840.0, "price_usd_per_month")
    assert shown(market, "price_of=accelerator") == ("USD/h", 1.0, "price_usd_per_accelerator_hour")
    unit = shown(market, "price_of=accelerator&price_per=month&currency=EUR")
    assert unit == ("EUR/month", 584.0, "price_eur_per_accelerator_month")
    heading = ask(market, "price_per=month").units.heading(PRICE)
    assert [str(note) for note in heading.notes] == ["A month is 730 hours."]
    assert ask(market, "price_of=accelerator").units.heading(PRICE).label == "Price per accelerator"


def test_a_term_costs_all_its_hours_with_the_upfront_payment_and_on_demand_has_none() -> None:
    paid = offer(1, purchase_option="reserved", term_months=12, upfront_usd=5000.0,
                 price_usd_per_hour=1.25 + 5000 / 8760)  # fmt: skip
    assert shown(with_rates(paid), "price_per=term")[1] == pytest.approx(1.25 * 8760 + 5000, abs=1e-3)
    assert shown(with_rates(offer(2)), "price_per=term")[1] is None


def test_the_order_follows_what_is_shown_and_unknown_stays_last() -> None:
    market = with_rates(
        offer(1, price_usd_per_hour=8.0, accelerator_count=8),
        offer(2, price_usd_per_hour=2.0, accelerator_count=1),
        offer(3, price_usd_per_hour=None),
        offer(4, price_usd_per_hour=3.0, accelerator_count=1, purchase_option="reserved", term_months=12),
    )
    assert numbers(ask(market, "")) == [2, 4, 1, 3]
    assert numbers(ask(market, "price_of=accelerator")) == [1, 2, 4, 3]
    assert numbers(ask(market, "price_per=term"))[0] == 4
    assert numbers(ask(market, "price_per=term&order=desc"))[0] == 4


def test_units_never_change_which_offers_answer() -> None:
    market = with_rates(*(offer(n, price_usd_per_hour=float(n)) for n in range(1, 9)))
    plain = set(numbers(ask(market, "price_max=4")))
    for view in ("currency=EUR", "price_per=month", "price_of=accelerator", "price_per=term"):
        assert set(numbers(ask(market, f"price_max=4&{view}"))) == plain


def test_json_fields_stay_in_dollars() -> None:
    row = ask(with_rates(offer(1, price_usd_per_hour=10.0)), "currency=EUR&price_per=month").rows[0]
    assert row["price_usd_per_hour"] == 10.0


def test_amounts_that_are_no_price_of_the_instance_are_never_divided() -> None:
    units = Units(price_of="accelerator")
    assert not units.change(BY_NAME["total_usd"])
    assert units.change(BY_NAME["upfront_usd"])
    assert units.heading(BY_NAME["memory_gib_per_accelerator"]).unit == "GiB"


@pytest.mark.parametrize("text", ["currency=XXX", "price_per=year", "price_of=node", "group=colour"])
def test_a_unit_that_does_not_exist_is_refused_by_name(text: str) -> None:
    with pytest.raises(BadInput) as caught:
        OfferQuery.parse(text)
    assert caught.value.field == text.partition("=")[0]


def test_every_currency_of_the_list_is_three_letters_once() -> None:
    assert len(set(CURRENCIES)) == len(CURRENCIES)
    assert all(len(code) == 3 and code.isupper() for code in CURRENCIES)
