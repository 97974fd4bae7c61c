"""Levels, spread, units and discounts say what the offers say."""

from __future__ import annotations

from datetime import timedelta

import pytest

from app.catalog import load_catalog
from app.market import board as boards
from app.market.board import Board
from app.market.price_levels import discounts, levels
from tests.market.samples import H100, offer

CATALOG = load_catalog()


def board_of(*records: object) -> Board:
    return boards.build(records, CATALOG, "1")  # type: ignore[arg-type]


def test_a_level_is_per_accelerator_and_leaves_out_what_is_doubtful() -> None:
    found = levels(
        board_of(
            offer(1, price_usd_per_hour=16.0),
            offer(2, price_usd_per_hour=32.0, region="west"),
            offer(3, price_usd_per_hour=24.0, provider="lambda", provider_name="Lambda"),
            offer(4, price_usd_per_hour=1.0, region="odd", flags=("price_outlier",)),
            offer(5, price_usd_per_hour=None, region="silent"),
            offer(6, price_usd_per_hour=0.5, accelerator_status="slice", accelerator_count=0.125),
            offer(7, price_usd_per_hour=8.0, purchase_option="spot"),
            offer(8, price_usd_per_hour=8.0, accelerator=None, accelerator_status="ambiguous"),
        ),
        CATALOG,
        "on_demand",
    )
    (level,) = found
    assert (level.low, level.median, level.high) == (2.0, 3.0, 4.0)
    assert (level.offers, level.flagged, level.unpriced) == (3, 1, 1)
    assert [(low.record.provider, low.usd, low.offers) for low in level.providers] == [
        ("aws", 2.0, 2),
        ("lambda", 3.0, 1),
    ]
    assert (level.ratio, level.middle) == (1.5, 2.5)
    assert level.usd_per_gib_hour == pytest.approx(2.0 / (level.card.memory_gib or 0))
    assert level.usd_per_tflops_hour == pytest.approx(2.0 / (level.card.bf16_tflops or 0))


def test_age_spans_from_the_oldest_to_the_newest_price() -> None:
    early = H100.observed_at - timedelta(days=9)
    (level,) = levels(board_of(offer(1), offer(2, region="west", observed_at=early)), CATALOG, "on_demand")
    assert (level.oldest, level.newest) == (early, H100.observed_at)


def test_one_provider_has_no_spread_and_no_offer_no_level() -> None:
    (level,) = levels(board_of(offer(1)), CATALOG, "on_demand")
    assert level.ratio is None
    assert levels(board_of(offer(1)), CATALOG, "spot") == []
    assert levels(board_of(offer(1, flags=("price_outlier",))), CATALOG, "on_demand") == []
    assert levels(board_of(), CATALOG, "on_demand") == []


def test_a_discount_compares_the_same_machine_only() -> None:
    (found,) = discounts(
        board_of(
            offer(1, price_usd_per_hour=40.0),
            offer(2, price_usd_per_hour=10.0, purchase_option="spot", zone="a"),
            offer(3, price_usd_per_hour=20.0, purchase_option="spot", zone="b"),
            offer(4, price_usd_per_hour=1.0, purchase_option="spot", region="elsewhere"),
            offer(5, price_usd_per_hour=30.0, purchase_option="reserved", term_months=12),
            offer(
                6,
                price_usd_per_hour=1.0,
                purchase_option="reserved",
                term_months=36,
                flags=("price_outlier",),
            ),
        ),
        CATALOG,
    )
    assert (found.spot.share, found.spot.offers, found.spot.providers) == (pytest.approx(0.625), 2, 1)
    assert (found.reserved[12].share, found.reserved[12].offers) == (pytest.approx(0.25), 1)
    assert (found.reserved[36].share, found.reserved[36].offers) == (None, 0)
    assert discounts(board_of(offer(1)), CATALOG) == []
