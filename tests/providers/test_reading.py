"""The one door that every offer passes, and the account of rows; behaviour G29, P19, P31."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.errors import ShapeDrift
from app.domain.offer import ScrapedOffer
from app.providers._reading import Harvest, Refused, decimal_of, figure, rows_at, some
from app.providers.port import Part

ROW: dict[str, Any] = {
    "instance_type": "8x H100",
    "accelerator_name": "H100 SXM",
    "accelerator_count": 8,
    "region": "here",
    "purchase_option": "on_demand",
    "price_per_hour": Decimal(20),
}


def _offer(**changes: Any) -> ScrapedOffer:
    return Harvest("someone", source="test").offer(**(ROW | changes))


@pytest.mark.parametrize("name", ["1", "CPU", "cpu", "GPU (unspecified)", "", None, "N/A", "unknown", " - "])
def test_a_word_that_names_no_accelerator_is_refused(name: str | None) -> None:
    with pytest.raises(Refused, match="no accelerator name"):
        _offer(accelerator_name=name)


@pytest.mark.parametrize(
    "name", ["H100", "A10G", "RTX 4090", "L4", "MI300X", "T4", "R100", "TPU v5e", "V520"]
)
def test_a_name_passes_known_or_not(name: str) -> None:
    assert (
        _offer(accelerator_name=name, accelerator_count=1, price_per_hour=Decimal(2)).accelerator_name == name
    )


@pytest.mark.parametrize("count", [0, -1, None, float("nan"), float("inf"), 99_999])
def test_a_count_of_nothing_or_of_a_city_is_refused(count: float | None) -> None:
    with pytest.raises(Refused, match="count"):
        _offer(accelerator_count=count)


@pytest.mark.parametrize("price", ["0", "-1", "NaN", "Infinity", "0.0001", "42066"])
def test_a_senseless_price_is_refused_and_never_stored(price: str) -> None:
    with pytest.raises(Refused, match="price"):
        _offer(price_per_hour=Decimal(price))


def test_a_negative_part_of_a_price_is_refused_whatever_the_sum() -> None:
    for price, upfront in (("5", "-1"), ("-0.1", "50000")):
        with pytest.raises(Refused, match="price"):
            _offer(price_per_hour=Decimal(price), upfront=Decimal(upfront), term_months=12)


def test_a_whole_term_total_is_judged_by_what_it_comes_to_per_hour() -> None:
    assert _offer(price_per_hour=None, upfront=Decimal(551_221), term_months=12).upfront == Decimal(551_221)
    with pytest.raises(Refused):
        _offer(price_per_hour=None, upfront=Decimal(551_221_000), term_months=12)
    with pytest.raises(Refused, match="zero"):
        _offer(price_per_hour=None, upfront=Decimal(0), term_months=12)


def test_a_data_centre_price_for_a_gaming_card_is_an_outlier() -> None:
    for name in ("GTX 1070 Ti", "gtx1070ti PCIe", "RTX 3060", "NVIDIA GeForce RTX 4090", "RTX5090"):
        with pytest.raises(Refused, match="outlier"):
            _offer(accelerator_name=name, accelerator_count=1, price_per_hour=Decimal("55.83"))
    for name in ("RTX PRO 6000", "RTX 6000 Ada", "B300", "H200 NVL"):
        assert _offer(accelerator_name=name, accelerator_count=1, price_per_hour=Decimal(12))


def test_a_price_worth_a_second_look_is_marked_and_kept() -> None:
    assert _offer(price_per_hour=Decimal(800)).flags == ("price_implausible",)
    assert _offer().flags == ()


def test_rupees_are_not_measured_with_a_ruler_for_dollars() -> None:
    assert _offer(price_per_hour=Decimal(2400), currency="INR").flags == ()
    with pytest.raises(Refused, match="currency"):
        _offer(currency="rupees")


def test_a_country_is_two_letters_or_unknown() -> None:
    assert _offer(country="DE").country == "DE"
    assert _offer(country="Germany").country is None


@pytest.mark.parametrize("text", ["N/A", "N/A*", "", " ", None, "null", "-", True])
def test_what_says_nothing_is_unknown(text: object) -> None:
    assert decimal_of(text) is None


def test_figures_keep_their_digits_and_zero_means_not_offered_where_asked() -> None:
    assert decimal_of("1,234.5600") == Decimal("1234.5600")
    assert decimal_of(3.49) == Decimal("3.49")
    assert (some("0.00"), some(-1), figure(0), figure("12")) == (None, None, None, 12.0)
    with pytest.raises(Refused):
        decimal_of("19.71x")


@given(st.lists(st.sampled_from(["good", "twice", "cheaper", "nothing", "refused", "broken"]), max_size=40))
def test_every_row_is_accounted_for(kinds: list[str]) -> None:
    harvest = Harvest("someone", source="test")

    def read(row: dict[str, Any]) -> Iterator[ScrapedOffer]:
        if row["kind"] == "refused":
            raise Refused("a reason")
        if row["kind"] == "broken":
            raise KeyError("price")
        if row["kind"] == "nothing":
            return
        region = f"r{row['number']}" if row["kind"] == "good" else "same"
        yield harvest.offer(
            **(ROW | {"region": region, "price_per_hour": Decimal(9 if row["kind"] == "cheaper" else 10)})
        )

    rows = [{"kind": kind, "number": number} for number, kind in enumerate(kinds)]
    harvest.each(rows, read, nothing="nothing there")
    try:
        result = harvest.parsed()
    except ShapeDrift:
        assert kinds and not {"good", "twice", "cheaper"} & set(kinds)
        return
    assert (
        result.rows_read == len(rows) == result.rows_used + len(result.rejects) + sum(result.ignored.values())
    )
    same = {offer.price_per_hour for offer in result.offers if offer.region == "same"}
    assert len(same) <= 1


def test_an_answer_without_its_list_is_another_shape() -> None:
    for text in ('{"items": {}}', '{"item": []}', "[]", '"x"'):
        with pytest.raises(ShapeDrift):
            rows_at(Part("answer", "u", text), "items")


def test_a_row_in_another_shape_is_a_reject_and_takes_no_other_row_with_it() -> None:
    harvest = Harvest("someone", source="test")
    rows = rows_at(Part("answer", "u", '{"items": [{"gpus": 1}, 7, null, {"gpus": 0}]}'), "items")
    gpu = harvest.sift(rows, lambda row: row["gpus"], "no accelerator")
    held = harvest.unfold([{"a": [1, 2]}, {"a": None}, {"a": []}], lambda row: row["a"], "holds none")
    helped = harvest.unfold([{"a": []}], lambda row: row["a"])
    harvest.each(gpu, lambda row: [_offer()], nothing="no price")
    result = harvest.parsed()
    assert (gpu, held, helped) == ([{"gpus": 1}], [1, 2], [])
    assert len(result.offers) == 1 and len(result.rejects) == 3
    assert result.ignored == {"no accelerator": 1, "holds none": 1}


@pytest.mark.parametrize(
    ("text", "number"), [("42,066.5", "42066.5"), ("1,234,567", "1234567"), ("0.5", "0.5"), (" 3 ", "3")]
)
def test_a_comma_between_thousands_is_no_part_of_a_number(text: str, number: str) -> None:
    assert decimal_of(text) == Decimal(number)


@pytest.mark.parametrize("text", ["1,5", "0,78", "12,34", "1,2345", "1.080,50"])
def test_a_decimal_comma_is_refused_and_not_taken_for_thousands(text: str) -> None:
    with pytest.raises(Refused):
        decimal_of(text)


def test_a_table_without_its_columns_or_cut_short_is_another_shape() -> None:
    harvest = Harvest("someone", source="test")
    for text in ("", "<html>\n</html>\n", "a;b\n1;2\n", "a,b\n1,2\n3,"):
        with pytest.raises(ShapeDrift):
            harvest.csv_rows(Part("table", "u", text), ("a", "b"))
    assert harvest.csv_rows(Part("table", "u", "a,b\n1,2\n"), ("a", "b")) == [{"a": "1", "b": "2"}]
