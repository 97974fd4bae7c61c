"""The frame: order without sorting everything, unknown last, plain cells."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from app.market.frame import Frame, first_rows, plain
from tests.market.samples import market_of, offer


@given(
    st.lists(st.sampled_from([0.0, 1.0, 2.0, 3.0, float("inf")]), max_size=40),
    st.integers(0, 45),
    st.integers(1, 20),
)
def test_a_page_of_the_order_is_a_slice_of_the_whole_order(keys: list[float], start: int, size: int) -> None:
    array = np.asarray(keys, dtype=np.float64)
    whole = np.argsort(array, kind="stable")
    assert first_rows(array, start, start + size).tolist() == whole[start : start + size].tolist()


def test_unknown_sorts_after_everything_in_both_directions() -> None:
    frame = Frame(market_of(offer(1, vcpus=None), offer(2, vcpus=8), offer(3, vcpus=96)).board)
    rows = np.arange(3)
    for descending in (False, True):
        keys = frame.sort_keys("vcpus", descending, rows)
        assert np.isinf(keys[0])
        assert (keys[1] < keys[2]) != descending


def test_cells_are_plain_values_and_unknown_is_none() -> None:
    assert plain(np.float64(2.5)) == 2.5
    assert isinstance(plain(np.float64(2.5)), float)
    assert plain(float("nan")) is None
    frame = Frame(market_of(offer(1, accelerator_count=0, price_usd_per_hour=4.0, vcpus=None)).board)
    assert frame.value("vcpus", 0) is None
    assert frame.value("price_usd_per_accelerator_hour", 0) is None
