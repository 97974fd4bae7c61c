"""Text and money of pages made for people."""

from __future__ import annotations

from decimal import Decimal

import pytest

from app.domain.errors import ShapeDrift
from app.providers._pages import lines_of, price_in
from app.providers.port import Part


@pytest.mark.parametrize(
    ("lines", "amount", "currency", "least", "hourly"),
    [
        (["From €1.08", "/hour"], "1.08", "EUR", True, True),
        (["$3.50"], "3.50", "USD", False, False),
        (["Starting from $2.45 per GPU hour"], "2.45", "USD", True, True),
        (["€1,08 / h"], "1.08", "EUR", False, True),
        (["€1,890", "/month"], "1890", "EUR", False, False),
        (["€1.890,50/hr"], "1890.50", "EUR", False, True),
        (["£4/GPU/hr"], "4", "GBP", False, True),
        (["€22 ", "monthly, or €0.03 per hour"], "22", "EUR", False, False),
    ],
)
def test_a_price_has_amount_currency_bound_and_unit(
    lines: list[str], amount: str, currency: str, least: bool, hourly: bool
) -> None:
    assert price_in(lines) == (Decimal(amount), currency, least, hourly)


def test_words_without_money_are_no_price() -> None:
    assert price_in(["Contact sales", "141", "22"]) is None


def test_scripts_and_styles_are_no_text() -> None:
    page = "<html><head><style>p{}</style></head><body><nav>Menu</nav><script>1</script><p>One <b>two</b></p></body></html>"
    assert lines_of(Part("page", "", page)) == ["One", "two"]


def test_a_page_without_text_is_a_fault() -> None:
    with pytest.raises(ShapeDrift):
        lines_of(Part("page", "", "<html><body></body></html>"))
