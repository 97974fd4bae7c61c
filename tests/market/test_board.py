"""The board: immutable, swapped whole, every column read once."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.catalog import load_catalog
from app.domain.errors import NotFound
from app.market import board
from app.market.board import BoardHolder, Coded
from app.market.columns import OFFER_COLUMNS
from tests.market.samples import offer


@given(st.lists(st.one_of(st.none(), st.text(max_size=3))))
def test_coded_words_read_back_as_they_were(words: list[str | None]) -> None:
    coded = Coded.of(words)
    assert [coded.names[code] if code >= 0 else None for code in coded.codes] == [
        word or None for word in words
    ]
    assert list(coded.names) == sorted(coded.names, key=lambda name: (name.casefold(), name))
    assert coded.where(lambda name: False, unknown=True).tolist() == [not word for word in words]


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


def test_who_holds_a_board_keeps_it_when_another_is_swapped_in() -> None:
    holder = BoardHolder(board.build([offer(1)], None, "1"))
    held = holder.current
    holder.swap(board.build([offer(1), offer(2)], None, "2"))
    assert len(held) == 1
    assert len(holder.current) == 2
