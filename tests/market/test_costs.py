"""Terms of offers: published interruptions bound the low case of spot offers and nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from app.market import board, estimates
from app.market.board import Board
from app.market.costs import billing_terms, interruption_band, prices_for, published_interruptions
from app.training.assumptions_cost import cost_assumption
from app.training.interruption import hourly_from_monthly
from tests.market.runs import CATALOG, run
from tests.market.samples import offer

RATE = cost_assumption("spot.stops")


def offers() -> Board:
    spot = offer(1, purchase_option="spot", price_usd_per_hour=20.0)
    other = offer(2, purchase_option="spot", instance_type="p6-nobody-knows")
    return board.build([spot, other, offer(3)], CATALOG, "1")


def test_a_published_band_bounds_the_low_case_and_leaves_the_others() -> None:
    market = offers()
    rows = np.asarray([market.row_of(f"{n:016x}") for n in (1, 2, 3)])
    prices = prices_for(market, rows, np.ones(3))
    assert prices.low_stops == pytest.approx([hourly_from_monthly(0.1), RATE.low, 0.0])
    assert prices.stops == pytest.approx([RATE.value, RATE.value, 0.0])
    assert prices.high_stops == pytest.approx([RATE.high, RATE.high, 0.0])


def test_only_spot_offers_of_the_type_carry_the_published_rate() -> None:
    market = offers()
    rows = np.asarray([market.row_of(f"{n:016x}") for n in (1, 2, 3)])
    terms, of_row = billing_terms(market, rows)
    assert [terms[number].published_per_hour is not None for number in of_row] == [True, False, False]
    assert interruption_band(market, int(rows[2])) is None


def test_the_published_figure_is_told_with_source_day_and_doubt() -> None:
    market = offers()
    told = str(published_interruptions(market, market.row_of(f"{1:016x}")))
    for words in ("5% to 10%", "AWS Spot Advisor", "2025-07-01", "0.00014 per node and hour", "only bounds"):
        assert words in told
    explained = estimates.explain(market, f"{1:016x}", run(), CATALOG)
    assert str(explained.published_interruptions) == told
    assert estimates.explain(market, f"{3:016x}", run(), CATALOG).published_interruptions is None
