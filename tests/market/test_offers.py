"""Listing: order, ties, pages, and what a run hides."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.errors import BadInput, NotFound
from app.market.column import Column
from app.market.columns import COLUMNS
from app.market.query import OfferQuery
from tests.market.samples import ask, market_of, numbers, offer


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


@pytest.mark.parametrize("column", COLUMNS, ids=lambda column: column.name)
def test_every_column_sorts_both_ways_with_what_is_unknown_last(column: Column) -> None:
    market = market_of(
        offer(1, flags=("a",), notes=("x",), other_sources=("s",)),
        offer(
            2, provider="gcp", price_usd_per_hour=None, vcpus=None, ram_gib=None, country=None, fabric=None
        ),
        offer(3, flags=("b", "a"), accelerator_count=1, price_usd_per_hour=2.0),
    )
    run = "model=llama-3.1-8b&show_hidden=1&" if column.needs_run else ""
    for order in ("asc", "desc"):
        rows = ask(market, f"{run}sort={column.name}&order={order}").rows
        known = [row[column.name] not in (None, ()) for row in rows]
        assert known == sorted(known, reverse=True)
        values = [
            str(row[column.name]) if column.kind == "text" else row[column.name]
            for row in rows
            if row[column.name] not in (None, ())
        ]
        if column.kind in ("number", "time"):
            assert values == sorted(values, reverse=order == "desc")


def test_a_run_without_a_speed_estimate_says_so_and_is_ordered_by_price_per_hour() -> None:
    market = market_of(*(offer(n, price_usd_per_hour=float(p)) for n, p in ((1, 30), (2, 10), (3, 20))))
    asked = "model=sdxl&method=lora&samples=10000"
    page = ask(market, asked)
    assert page.notice is not None and "no speed estimate" in str(page.notice)
    assert numbers(page) == [2, 3, 1] and page.query.sort == "price_usd_per_hour"
    assert numbers(ask(market, f"{asked}&sort=provider&order=desc")) == numbers(ask(market, "sort=provider"))
    exported = "".join(market.export_csv(OfferQuery.parse(f"{asked}&per_page=all")))
    assert [line.split(",")[0][-1] for line in exported.split("\r\n")[1:4]] == ["2", "3", "1"]
    assert ask(market, "model=llama-3.1-8b").notice is None
