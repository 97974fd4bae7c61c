"""The rules of thumb say what their users compute by hand."""

from __future__ import annotations

import pytest

from app.market.naive import naive_rules
from tests.market.runs import run


def test_the_rules_are_the_ones_that_people_quote() -> None:
    weights, states = naive_rules(8e9, run())
    assert weights.total_gib == pytest.approx(8e9 * 2 * 1.35 / 2**30)
    assert states.total_gib == pytest.approx(8e9 * 16 / 2**30)
    assert states.per_accelerator_gib(8) == pytest.approx(states.total_gib / 8)


def test_qlora_quarters_the_weights_of_the_first_rule_only() -> None:
    full, quantised = naive_rules(8e9, run()), naive_rules(8e9, run(method="qlora"))
    assert quantised[0].total_gib == pytest.approx(full[0].total_gib / 4)
    assert quantised[1].total_gib == full[1].total_gib
