"""Why a row is ruled out: codes for all at once, sentences one by one."""

from __future__ import annotations

import numpy as np

from tests.market.runs import estimated, row, single
from tests.market.samples import offer


def test_each_row_says_what_rules_it_out_itself() -> None:
    offers = [
        offer(1),
        offer(2, ram_gib=8),
        offer(3, price_usd_per_hour=None),
        offer(4, price_usd_per_hour=50_000.0),
    ]
    board, found = estimated(*offers, sharding="full", tokens=1e8, budget_usd=5_000)
    told = {
        number: (found.reason[row(board, number)], str(found.why[row(board, number)]))
        for number in range(1, 5)
    }
    assert told[1][0] is None
    assert told[2][0] == "host_ram" and "there are 8" in told[2][1]
    assert told[3] == ("price_unknown", "what it costs is not known")
    assert told[4][0] == "budget" and told[4][1].endswith("the budget is 5,000.00")
    assert [str(why) for why in found.why] == [str(found.why[at]) for at in range(len(board))]


def test_a_commitment_counts_against_the_budget_and_says_so() -> None:
    bound = offer(1, price_usd_per_hour=20.0, purchase_option="reserved", term_months=36)
    board, found = estimated(bound, sharding="full", tokens=1e8, budget_usd=5_000)
    at, owed = row(board, 1), 20.0 * 36 * 730
    assert found.reason[at] == "budget" and not found.shown[at]
    assert str(found.why[at]) == f"the commitment costs {owed:,.2f} USD; the budget is 5,000.00"


def test_a_deadline_rules_out_what_takes_longer_and_says_how_long() -> None:
    board, found = estimated(single(1), method="full", tokens=1e12, deadline_hours=1, max_nodes=1)
    at = row(board, 1)
    assert not found.shown[at]
    if np.isfinite(found.hours[at]):
        assert str(found.why[at]).startswith(f"takes {found.hours[at]:,.1f} h")


def test_a_cost_that_is_unknown_for_want_of_a_speed_says_so_and_not_that_the_price_is() -> None:
    image = {"model": "sdxl", "method": "lora", "samples": 1e4}
    board, found = estimated(offer(1), offer(2, price_usd_per_hour=None), **image, budget_usd=40)
    assert [found.reason[row(board, number)] for number in (1, 2)] == ["time_unknown", "time_unknown"]
    assert "how long" in str(found.why[row(board, 1)])
