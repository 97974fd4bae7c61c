"""What a figure rests on is what the table shows."""

from __future__ import annotations

from app.market.lessons.basis import FULL_8B, Basis, estimates_of, fit_query, question, rows_of, run_of
from app.market.service import Market


def test_a_basis_counts_what_a_run_leaves_and_carries_the_question(market: Market) -> None:
    basis = Basis.of(market, **FULL_8B, accelerator_count=8)
    assert basis.n == len(rows_of(market, question(**FULL_8B, accelerator_count=8)))
    assert 0 < basis.n < len(market.board)
    assert basis.query == "accelerator_count=8&model=llama-3.1-8b"


def test_nothing_has_no_age(market: Market) -> None:
    basis = Basis.of(market, accelerator="v100-sxm2-16gb")
    assert (basis.n, basis.oldest, basis.newest) == (0, None, None)


def test_a_run_is_written_by_what_differs_from_the_defaults() -> None:
    assert (
        fit_query(model="llama-3.1-8b", method="full", micro_batch_size=1)
        == "model=llama-3.1-8b&micro_batch_size=1"
    )


def test_estimates_are_those_of_the_table(market: Market) -> None:
    assert estimates_of(market, **FULL_8B) is market.frame(run_of(**FULL_8B)).estimates
