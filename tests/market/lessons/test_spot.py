"""The lesson on spot: pairs are the same machine, intervals follow the formulas, bands are cited."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.record import OfferRecord
from app.market.lessons import lesson
from app.market.lessons.basis import run_of
from app.market.lessons.spot import SpotLesson, spot_pairs
from app.market.query import OfferQuery
from app.market.service import Market
from tests.market.samples import market_of, offer


@pytest.fixture
def told(market: Market) -> SpotLesson:
    found = lesson(market, "spot")
    assert isinstance(found, SpotLesson)
    return found


def test_the_discount_is_that_of_the_same_machine(told: SpotLesson) -> None:
    assert told.pairs == 7
    assert told.discount == pytest.approx(0.6)
    assert all(row.low == pytest.approx(0.6) == row.high for row in told.discounts)
    assert sum(row.pairs for row in told.discounts) == told.pairs


@given(st.floats(0.01, 0.99))
def test_any_discount_is_found_and_another_place_is_no_pair(share: float) -> None:
    here = offer(1), offer(2, purchase_option="spot", price_usd_per_hour=55.04 * (1 - share))
    assert _pairs(*here) == [(2, 1, pytest.approx(share))]
    for change in (
        {"region": "eu-west-1"},
        {"zone": "a"},
        {"native_id": "7"},
        {"flags": ("odd",)},
        {"price_usd_per_hour": None},
    ):
        assert _pairs(here[0], offer(2, **{"purchase_option": "spot"} | change)) == []


def _pairs(*offers: OfferRecord) -> list[tuple[int, int, float]]:
    """Numbers of the offers of each pair, and the share between them."""
    board = market_of(*offers).board
    found = spot_pairs(board)
    numbers = [
        [int(board.records[row].id, 16) for row in rows]
        for rows in (found.spot.tolist(), found.on_demand.tolist())
    ]
    return list(zip(*numbers, found.shares.tolist(), strict=True))


def test_of_two_alike_on_demand_the_first_of_the_board_is_beside_every_spot_offer() -> None:
    spots = [offer(number, purchase_option="spot", price_usd_per_hour=5.504) for number in (3, 4)]
    assert [pair[:2] for pair in _pairs(offer(2, price_usd_per_hour=9.0), offer(1), *spots)] == [
        (3, 1),
        (4, 1),
    ]


def test_the_example_is_the_first_row_of_the_table_and_its_breakdown(
    told: SpotLesson, market: Market
) -> None:
    page = market.list_offers(OfferQuery.parse(f"{told.run_query}&purchase_option=spot&flagged=0"))
    assert told.example == page.rows[0].record
    assert told.spot_usd == page.rows[0]["total_usd"]
    assert told.resilience == market.explain(page.rows[0].id, run_of(model="llama-3.1-8b")).resilience
    assert told.on_demand_usd is not None
    assert told.spot_usd is not None
    assert told.spot_usd < told.on_demand_usd


def test_the_best_interval_loses_least_and_youngs_formula_is_close(told: SpotLesson) -> None:
    found = told.resilience
    assert found is not None
    assert found.best_minutes is not None
    assert found.young_minutes is not None
    rate = found.cases[1].per_node_per_hour + found.failures_per_hour
    assert found.young_minutes == pytest.approx(60 * math.sqrt(2 * found.stall_s / 3600 / rate), rel=1e-6)
    lost = {row.minutes: row.lost[1] for row in told.intervals}
    near = min(lost, key=lambda minutes: abs(math.log(minutes / found.best_minutes)))  # type: ignore[operator]
    assert min(lost.values()) == pytest.approx(lost[near], rel=0.15)
    assert all(low < expected < high for row in told.intervals for low, expected, high in [row.lost])


def test_published_bands_are_cited_and_counted(told: SpotLesson) -> None:
    bands = {band.instances: band for band in told.bands}
    assert bands["p5.48xlarge"].offers == 1
    assert all(band.source and band.as_of for band in told.bands)
    assert bands["p5.48xlarge"].per_hour == pytest.approx(-math.log(0.9) / 730)


def test_without_spot_offers_nothing_is_made_up() -> None:
    told = lesson(market_of(offer(1)), "spot")
    assert (told.pairs, told.discount, told.example, told.resilience, told.intervals) == (
        0,
        None,
        None,
        None,
        (),
    )
