"""Hardware by hardware: one answer per distinct machine, with its cheapest offer."""

from __future__ import annotations

from app.domain.run import TrainingRun
from tests.market.samples import market_of, offer

RUN = TrainingRun(model="llama-3.1-8b", method="full")
SMALL = {"accelerator": "l4-24gb", "memory_gib_per_accelerator": 22.5, "accelerator_count": 1}


def test_offers_of_one_machine_are_one_answer_with_the_cheapest_of_them() -> None:
    market = market_of(
        offer(1, price_usd_per_hour=60.0),
        offer(2, price_usd_per_hour=30.0, provider="gcp"),
        offer(3, price_usd_per_hour=None),
        offer(4, **SMALL),
    )
    best, worst = market.by_hardware(RUN)
    assert (best.accelerator, best.accelerator_count, best.offers) == ("h100-sxm5-80gb", 8, 3)
    assert best.offer == f"{2:016x}"
    assert best.cost is not None and best.cost["total_usd"]
    assert (worst.verdict, worst.reason, worst.offer, worst.cost) == ("does_not_fit", "memory", None, None)


def test_a_budget_that_is_too_small_leaves_no_offer() -> None:
    (answer,) = market_of(offer(1)).by_hardware(RUN.model_copy(update={"budget_usd": 0.01}))
    assert answer.verdict == "fits"
    assert answer.offer is None


def test_a_doubtful_price_is_the_cheapest_only_where_nothing_else_holds_the_run() -> None:
    doubtful = offer(2, price_usd_per_hour=5.0, flags=("price_outlier",))
    (answer,) = market_of(offer(1), doubtful).by_hardware(RUN)
    assert (answer.offer, answer.doubts) == (f"{1:016x}", ())
    (answer,) = market_of(doubtful).by_hardware(RUN)
    assert (answer.offer, answer.doubts) == (f"{2:016x}", ("price_outlier",))


def test_a_long_commitment_is_not_the_cheapest_for_a_short_run() -> None:
    bound = offer(2, price_usd_per_hour=20.0, purchase_option="reserved", term_months=36)
    (answer,) = market_of(offer(1), bound).by_hardware(RUN)
    assert answer.offer == f"{1:016x}"


def test_hardware_without_a_price_still_holds_the_run() -> None:
    (answer,) = market_of(offer(1, price_usd_per_hour=None)).by_hardware(RUN)
    assert answer.offer is not None
    assert answer.cost is not None and answer.cost["total_usd"] is None
