"""Listing: order, ties, pages, what a run hides, and the export that equals the view."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine

from app.catalog import load_catalog
from app.db.engine import make_engine
from app.domain.errors import BadInput, NotFound
from app.domain.record import OfferRecord
from app.market import board
from app.market.board import BoardHolder
from app.market.offers import OfferPage
from app.market.query import OfferQuery
from app.market.service import Market
from tests.market.samples import NOW, offer

ENGINE: Engine = make_engine("sqlite://")


def market_of(*records: OfferRecord) -> Market:
    return Market(load_catalog(), BoardHolder(board.build(records, load_catalog(), "1")), ENGINE, lambda: NOW)


def ask(market: Market, text: str = "", **options: Any) -> OfferPage:
    return market.list_offers(OfferQuery.parse(text), **options)


def numbers(page: OfferPage) -> list[int]:
    return [int(row.id, 16) for row in page.rows]


def test_numbers_sort_as_numbers_and_unknown_is_last_both_ways() -> None:
    market = market_of(
        offer(1, price_usd_per_hour=10.0),
        offer(2, price_usd_per_hour=9.0),
        offer(3, price_usd_per_hour=None),
        offer(4, price_usd_per_hour=100.0),
    )
    assert numbers(ask(market)) == [2, 1, 4, 3]
    assert numbers(ask(market, "order=desc")) == [4, 1, 2, 3]


def test_words_sort_in_reading_order_and_unknown_is_last_both_ways() -> None:
    market = market_of(offer(1, country="US"), offer(2, country=None), offer(3, country="DE"))
    assert numbers(ask(market, "sort=country")) == [3, 1, 2]
    assert numbers(ask(market, "sort=country&order=desc")) == [1, 3, 2]


def test_ties_are_broken_the_same_way_in_both_directions() -> None:
    market = market_of(*(offer(n, region=f"r{n % 3}", instance_type="same") for n in range(1, 31)))
    up, down = numbers(ask(market, "sort=region")), numbers(ask(market, "sort=region&order=desc"))
    third = len(up) // 3
    assert [set(up[:third]), set(up[-third:])] == [set(down[-third:]), set(down[:third])]
    assert numbers(ask(market, "sort=price")) == numbers(ask(market, "sort=price&order=desc"))


@settings(deadline=None, max_examples=60)
@given(st.lists(st.one_of(st.none(), st.integers(0, 5)), max_size=30), st.booleans(), st.integers(1, 7))
def test_pages_are_slices_of_one_stable_order(prices: list[int | None], down: bool, size: int) -> None:
    market = market_of(*(offer(n, price_usd_per_hour=price) for n, price in enumerate(prices)))
    order = "&order=desc" if down else ""
    whole = ask(market, f"per_page=1000{order}")
    paged = [
        number
        for page in range(1, whole.total // size + 2)
        for number in numbers(ask(market, f"per_page={size}&page={page}{order}"))
    ]
    assert paged == numbers(whole)
    assert sorted(paged) == list(range(len(prices)))


def test_a_page_beyond_the_last_is_empty_and_says_the_total() -> None:
    page = ask(market_of(offer(1)), "page=5")
    assert (numbers(page), page.total, page.next) == ([], 1, None)


def test_all_pages_at_once_is_for_the_export() -> None:
    with pytest.raises(BadInput, match="per_page"):
        ask(market_of(offer(1)), "per_page=all")


def test_an_offer_is_found_by_its_id_or_not_at_all() -> None:
    market = market_of(offer(1))
    assert market.get_offer(f"{1:016x}")["memory_bandwidth_gbytes_per_s"] > 3000
    with pytest.raises(NotFound):
        market.get_offer("f" * 16)


def test_a_run_hides_what_cannot_hold_it_counts_why_and_brings_it_back_grey() -> None:
    small = {"accelerator": "t4-16gb", "memory_gib_per_accelerator": 15.0, "accelerator_count": 1}
    market = market_of(offer(1), offer(2, **small), offer(3, accelerator=None, accelerator_status="unknown"))
    run = "model=llama-3.1-8b&method=full"
    page = ask(market, run)
    assert numbers(page) == [1]
    assert page.hidden_total == 2
    assert sum(page.hidden.values()) == 2
    everything = ask(market, f"{run}&show_hidden=1")
    assert everything.total == 3
    assert {int(row.id, 16) for row in everything.rows if row.hidden} == {2, 3}
    assert all(str(row.why) for row in everything.rows)
    assert everything.hidden == page.hidden


def test_asking_for_a_verdict_shows_it() -> None:
    small = {"accelerator": "t4-16gb", "memory_gib_per_accelerator": 15.0, "accelerator_count": 1}
    market = market_of(offer(1), offer(2, **small))
    assert numbers(ask(market, "model=llama-3.1-8b&verdict=does_not_fit")) == [2]


def test_a_filter_counts_among_what_the_other_filters_leave() -> None:
    market = market_of(
        offer(1),
        offer(2, provider="gcp", country="DE"),
        offer(3, provider="gcp", country="US"),
        offer(4, provider="azure", country=None),
    )
    facets = ask(market, "provider=gcp", facets=True).facets
    assert {option.value: option.count for option in facets["provider"]} == {"aws": 1, "azure": 1, "gcp": 2}
    assert {option.value: option.count for option in facets["country"]} == {"DE": 1, "US": 1}
    assert [option.value for option in facets["provider"] if option.selected] == ["gcp"]
    whole = ask(market, facets=True).facets
    assert whole["country"][-1].value == "unknown"


@pytest.mark.parametrize(
    "text, caption",
    [
        ("", "every accelerator: 2 offers"),
        (
            "accelerator=h100&accelerator_count=8&purchase_option=on_demand&price_max=60",
            "8× H100, on demand, ≤ 60 USD/h: 1 offer",
        ),
        ("provider=aws&continent=Europe", "AWS, Europe: 0 offers"),
        ("provider=!aws", "not AWS: 1 offer"),
        ("memory_gib_min=40&max_age_days=7", "Memory ≥ 40 GiB, seen within 7 days: 1 offer"),
        ("q=h100+us", "“h100 us”: 2 offers"),
        ("flagged=0&instance_type=p5", "Instance type contains “p5”, Flagged: no: 2 offers"),
    ],
)
def test_the_caption_says_the_question(text: str, caption: str) -> None:
    market = market_of(
        offer(1), offer(2, provider="gcp", price_usd_per_hour=90.0, observed_at=NOW.replace(year=2025))
    )
    assert str(ask(market, text).caption) == caption


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


@pytest.fixture
def found() -> Callable[[str], list[int]]:
    market = market_of(
        offer(1),
        offer(2, accelerator_count=1, price_usd_per_hour=2.5, purchase_option="spot", country="DE", region="eu-central-1",
              continent="Europe"),
        offer(3, accelerator="l4-24gb", accelerator_label="NVIDIA L4", instance_type="g6.xlarge", accelerator_count=1,
              memory_gib_per_accelerator=22.5, intra_node_link=None, fabric="ethernet", fabric_gbps=10,
              price_usd_per_hour=0.8),
        offer(4, accelerator="l40s-48gb", accelerator_label="NVIDIA L40S", instance_type="L40S.1", provider="denvr",
              provider_name="Denvr", country="CA", region="Calgary", accelerator_count=1, memory_gib_per_accelerator=45,
              intra_node_link=None, price_usd_per_hour=1.8),
    )  # fmt: skip
    return lambda text: sorted(numbers(ask(market, "q=" + text.replace("+", "%2B").replace(" ", "+"))))


@pytest.mark.parametrize(
    "text, expected",
    [
        ("8xH100", [1]),
        ("8x H100", [1]),
        ("8× h100", [1]),
        ("h100 eu spot <25", [2]),
        ("h100 germany", [2]),
        ("l4", [3]),
        ("l40s", [4]),
        ("de", [2]),
        ("denvr", [4]),
        ("us on-demand", [1, 3]),
        (">=80gb", [1, 2]),
        ("24gb", [3]),
        ("nvlink", [1, 2]),
        (">1000gbps", [1, 2, 4]),
        ("<= $2 ", [3, 4]),
        ("p5.48xlarge", [1, 2]),
        ("nonsense", []),
        ("h100 nonsense", []),
    ],
)
def test_free_text_narrows_word_by_word(
    found: Callable[[str], list[int]], text: str, expected: list[int]
) -> None:
    assert found(text) == expected


@pytest.mark.parametrize("text", ["<cheap", "<", "h100 >=", "<25 <", "=x", ">1..2"])
def test_a_comparison_without_a_number_is_an_error_and_never_everything(
    found: Callable[[str], list[int]], text: str
) -> None:
    with pytest.raises(BadInput) as caught:
        found(text)
    assert caught.value.field == "q"
