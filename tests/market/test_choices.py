"""The choices are what a person would find by reading the whole table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from hypothesis import given
from hypothesis import strategies as st

from app.market.choices import choose, neighbours, pareto_front

NUMBERS = st.one_of(st.integers(1, 12).map(float), st.just(float("nan")))


@dataclass
class Table:
    hours: npt.NDArray[np.float64]
    total_usd: npt.NDArray[np.float64]


def table(pairs: list[tuple[float, float]]) -> tuple[Table, npt.NDArray[np.int64]]:
    hours = np.asarray([h for h, _ in pairs], dtype=float)
    usd = np.asarray([u for _, u in pairs], dtype=float)
    return Table(hours, usd), np.arange(len(pairs))


def known(pairs: list[tuple[float, float]]) -> list[int]:
    return [i for i, (h, u) in enumerate(pairs) if not np.isnan(h) and not np.isnan(u)]


@given(st.lists(st.tuples(NUMBERS, NUMBERS), max_size=25))
def test_the_front_is_exactly_what_nobody_beats(pairs: list[tuple[float, float]]) -> None:
    estimates, rows = table(pairs)
    front = pareto_front(estimates, rows)

    def beaten(i: int) -> bool:
        return any(
            pairs[j][0] <= pairs[i][0] and pairs[j][1] <= pairs[i][1] and pairs[j] != pairs[i]
            for j in known(pairs)
        )

    assert {pairs[i] for i in front} == {pairs[i] for i in known(pairs) if not beaten(i)}
    assert len({pairs[i] for i in front}) == len(front)


@given(st.lists(st.tuples(NUMBERS, NUMBERS), max_size=25), st.integers(1, 12), st.integers(1, 12))
def test_choices_respect_budget_and_deadline(
    pairs: list[tuple[float, float]], budget: int, deadline: int
) -> None:
    estimates, rows = table(pairs)
    found = choose(estimates, rows, budget, deadline)
    usable = known(pairs)
    if usable:
        assert found.cheapest is not None
        assert pairs[found.cheapest][1] == min(pairs[i][1] for i in usable)
    affordable = [i for i in usable if pairs[i][1] <= budget]
    assert (found.fastest_within_budget is None) == (not affordable)
    if found.fastest_within_budget is not None:
        assert pairs[found.fastest_within_budget][0] == min(pairs[i][0] for i in affordable)
    in_time = [i for i in usable if pairs[i][0] <= deadline]
    assert (found.cheapest_within_deadline is None) == (not in_time)
    if found.cheapest_within_deadline is not None:
        assert pairs[found.cheapest_within_deadline][1] == min(pairs[i][1] for i in in_time)


def test_neighbours_are_the_next_step_in_each_direction() -> None:
    pairs = [(10.0, 10.0), (5.0, 20.0), (2.0, 60.0), (6.0, 40.0)]
    estimates, rows = table(pairs)
    front = pareto_front(estimates, rows)
    assert front == (0, 1, 2)
    beside = neighbours(estimates, front, 3)
    assert (beside.faster, beside.cheaper, beside.better) == (2, 0, 1)
    middle = neighbours(estimates, front, 1)
    assert (middle.faster, middle.cheaper, middle.better) == (2, 0, None)
    assert neighbours(estimates, front, 2).faster is None
    assert neighbours(estimates, front, 0).cheaper is None
