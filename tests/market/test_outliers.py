"""Prices beside everybody else's."""

from __future__ import annotations

import msgspec
import pytest

from app.domain.record import OfferRecord
from app.market.outliers import FLAGS, flag_outliers, usual_prices
from tests.db.test_merge import ONE


def at(provider: str, per_accelerator: float | None, **changes: object) -> OfferRecord:
    price = None if per_accelerator is None else per_accelerator * 8
    return msgspec.structs.replace(ONE, provider=provider, price_usd_per_hour=price, **changes)


USUAL = [at("a", 2.0), at("b", 2.5), at("c", 3.0)]


@pytest.mark.parametrize(("price", "flagged"), [(0.56, True), (0.57, False), (10.99, False), (11.01, True)])
def test_price_beyond_four_times_the_median_is_flagged(price: float, flagged: bool) -> None:
    """The median of four providers lies between the two in the middle: 2.25 with a low price, 2.75 with a high one."""
    *_, last = flag_outliers([*USUAL, at("d", price)])
    assert last.flags == (("price_outlier",) if flagged else ())


def test_one_large_list_does_not_outvote_three_providers() -> None:
    crowd = [at("a", 100.0)] * 1000
    assert usual_prices([*crowd, at("b", 2.0), at("c", 2.2)])[("h100-sxm5-80gb", "on_demand")] == 2.2


def test_two_providers_make_no_median_and_only_the_impossible_is_flagged() -> None:
    flagged = flag_outliers([at("a", 2.0), at("b", 20.0), at("b", 0.001), at("b", 61.0)])
    assert [record.flags for record in flagged] == [(), (), ("price_implausible",), ("price_implausible",)]


def test_spot_is_compared_with_spot() -> None:
    spot = [at(name, 0.4, purchase_option="spot") for name in "abc"]
    assert all(record.flags == () for record in flag_outliers([*USUAL, *spot]))


def test_unpriced_and_slices_are_left_alone_and_the_order_stays() -> None:
    records = [*USUAL, at("d", None), at("e", 99.0, accelerator_status="slice"), at("f", 99.0)]
    flagged = flag_outliers(records)
    assert [record.provider for record in flagged] == list("abcdef")
    assert [record.flags for record in flagged] == [(), (), (), (), (), ("price_outlier",)]


def test_every_flag_has_words() -> None:
    assert all(words and words[0].isupper() for words in FLAGS.values())
