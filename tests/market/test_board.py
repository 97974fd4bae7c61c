"""The board: immutable, swapped whole, every column read once."""

from __future__ import annotations

import gc
import math
import weakref

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.catalog import load_catalog
from app.db.merge import merge
from app.domain.errors import NotFound
from app.domain.offer_table import OfferTable
from app.domain.record import OfferRecord
from app.market import board
from app.market.arrays import Source
from app.market.board import BoardHolder, per_board
from app.market.columns import OFFER_COLUMNS
from app.market.frame import frame_of
from app.market.shapes import hardware_index
from tests.market.samples import offer


def test_every_column_has_as_many_values_as_there_are_offers() -> None:
    built = board.build([offer(n) for n in range(5)], load_catalog(), "7")
    assert built.version == "7"
    for column in OFFER_COLUMNS:
        if column.kind == "text":
            assert len(built.texts[column.name].codes) == 5
        elif column.kind != "list":
            assert built.numbers[column.name].shape == (5,)


def test_an_empty_board_answers_too() -> None:
    built = board.build([], load_catalog(), "0")
    assert len(built) == 0
    assert built.as_of is None
    with pytest.raises(NotFound):
        built.row_of("0" * 16)


def test_unknown_is_not_a_number_and_never_zero() -> None:
    built = board.build([offer(1, price_usd_per_hour=None, ram_gib=None)], load_catalog(), "1")
    for name in ("price_usd_per_hour", "price_usd_per_accelerator_hour", "ram_gib", "usd_per_pflop_hour"):
        assert math.isnan(built.numbers[name][0])


def test_the_data_sheet_and_the_terms_are_joined_on() -> None:
    built = board.build([offer(1)], load_catalog(), "1")
    assert built.numbers["memory_bandwidth_gbytes_per_s"][0] > 3000
    assert built.numbers["billing_increment_s"][0] == load_catalog().terms("aws").billing_increment_s
    assert np.isclose(built.numbers["price_usd_per_accelerator_hour"][0], 55.04 / 8)


def test_the_market_area_follows_from_the_region_or_the_country() -> None:
    places = [
        ("aws", "us-east-1", "US"),
        ("runpod", "US-CA-2", "US"),
        ("vast", "somewhere", "BR"),
        ("aws", "mars-1", None),
    ]
    rows = [
        offer(n, provider=provider, region=region, country=country)
        for n, (provider, region, country) in enumerate(places)
    ]
    built = board.build(rows, load_catalog(), "1")
    found = {facts.record.region: facts.area for facts in built.facts}
    assert found == {"us-east-1": "US East", "US-CA-2": "US West", "somewhere": "LATAM", "mars-1": None}
    area = built.texts["area"]
    assert {built.records[row].region: area.get(row) for row in range(len(built))} == found


def test_who_holds_a_board_keeps_it_when_another_is_swapped_in() -> None:
    holder = BoardHolder(board.build([offer(1)], None, "1"))
    held = holder.current
    holder.swap(board.build([offer(1), offer(2)], None, "2"))
    assert len(held) == 1
    assert len(holder.current) == 2


RECORDS = st.builds(
    lambda number, **changes: offer(number, **changes),
    number=st.integers(1, 40),
    provider=st.sampled_from(["aws", "vast", "nobody", "Nobody"]),
    instance_type=st.sampled_from(["p5", "P5", "a"]),
    region=st.sampled_from(["", "us", "eu"]),
    accelerator=st.sampled_from([None, "h100-sxm5-80gb", "l4-24gb"]),
    accelerator_status=st.sampled_from(["known", "ambiguous", "slice"]),
    candidates=st.sampled_from([(), ("h100-sxm5-80gb", "h100-pcie-80gb")]),
    accelerator_count=st.sampled_from([0.25, 1.0, 8.0]),
    memory_gib_per_accelerator=st.sampled_from([None, 20.0, 79.65]),
    price_usd_per_hour=st.sampled_from([None, 1.0, 55.04]),
    previous_price_usd_per_hour=st.sampled_from([None, 0.0, 2.0]),
    vcpus=st.sampled_from([None, 8.0]),
    fabric=st.sampled_from([None, "efa"]),
    peer_to_peer=st.sampled_from([None, True, False]),
    term_months=st.sampled_from([None, 12]),
    flags=st.sampled_from([(), ("price_outlier",), ("odd", "price_moved")]),
)


@settings(deadline=None)
@given(st.lists(RECORDS, max_size=12, unique_by=lambda record: record.id))
def test_columns_say_of_every_offer_what_the_offer_says_itself(records: list[OfferRecord]) -> None:
    built = board.build(records, load_catalog(), "1")
    assert list(built.records) == sorted(records, key=lambda r: (r.provider, r.instance_type, r.region, r.id))
    for row, facts in enumerate(built.facts):
        assert built.facts[row] == facts
        assert built.row_of(facts.record.id) == row
        for column in OFFER_COLUMNS:
            assert column.value is not None
            value = column.value(facts)
            if column.kind == "text":
                assert built.texts[column.name].get(row) == (value or None), column.name
            elif column.kind != "list":
                number = built.numbers[column.name][row]
                if column.kind == "time" and value is not None:
                    value = value.timestamp()
                assert math.isnan(number) if value is None else number == pytest.approx(float(value)), (
                    column.name
                )
            if column.facet is not None:
                assert built.facets[column.name].get(row) == column.facet(facts)


def test_every_column_is_computed_for_all_offers_at_once() -> None:
    """A column whose value is more than a field gives an `array`; row by row a large board takes ten times as long."""
    slow = [
        c.name for c in OFFER_COLUMNS if c.kind != "list" and not (c.array or isinstance(c.value, Source))
    ]
    assert slow == []


@settings(deadline=None)
@given(st.lists(RECORDS, max_size=12, unique_by=lambda record: record.id))
def test_rows_of_one_machine_are_alike_and_rows_of_two_are_not(records: list[OfferRecord]) -> None:
    built = board.build(records, load_catalog(), "1")
    names = [
        (
            (r.accelerator or r.candidates or r.accelerator_label),
            r.accelerator_status,
            r.accelerator_count,
            r.memory_gib_per_accelerator if r.accelerator_count < 1 else None,
            r.fabric,
            r.peer_to_peer,
        )
        for r in built.records
    ]
    assert [names.index(name) for name in names] == [built.machines.firsts[m] for m in built.machines.of_row]


@pytest.mark.parametrize("wrong", ["", "x", "-1", "0x1", "1" * 17, " 000000000000001", "00000000000000AB"])
def test_what_is_no_id_finds_nothing(wrong: str) -> None:
    built = board.build([offer(1), offer(0xAB)], None, "1")
    with pytest.raises(NotFound):
        built.row_of(wrong)


def test_what_is_worked_out_of_a_board_is_forgotten_with_it() -> None:
    asked = []

    @per_board(2)
    def rows_of(given: board.Board, provider: str) -> int:
        asked.append(provider)
        return int(given.texts["provider"].where(lambda name: name == provider).sum())

    built = board.build([offer(1), offer(2)], None, "1")
    assert [rows_of(built, "aws"), rows_of(built, "aws"), rows_of(built, "gcp")] == [2, 2, 0]
    assert asked == ["aws", "gcp"]
    column = weakref.ref(built.numbers["vcpus"])
    del built
    gc.collect()
    assert column() is None


def test_a_replaced_board_goes_with_its_last_reader_and_waits_for_no_collector() -> None:
    catalog = load_catalog()
    holder = BoardHolder(board.build([offer(1), offer(2)], catalog, "1"))
    frame_of(holder.current, None)
    hardware_index(holder.current, catalog)
    assert holder.current.records[0].provider == "aws"
    reader = holder.current
    column = weakref.ref(reader.numbers["vcpus"])
    gc.disable()
    try:
        holder.swap(board.build([offer(1)], catalog, "2"))
        assert column() is not None
        del reader
        assert column() is None
    finally:
        gc.enable()


def test_a_board_of_several_sources_sorts_by_who_else_told() -> None:
    resold = offer(1, source="Reseller", source_kind="aggregator")
    told = merge(
        OfferTable.of([offer(1), resold, offer(2), msgspec.structs.replace(resold, source="Another")])
    )
    built = board.build_from(told, load_catalog(), "1")
    words = built.texts["other_sources"]
    assert [words.get(built.row_of(f"{number:016x}")) for number in (1, 2)] == ["Another Reseller", None]
    cited = built.records[built.row_of(f"{1:016x}")].other_sources
    assert [text.partition(":")[0] for text in cited] == ["Another", "Reseller"]
