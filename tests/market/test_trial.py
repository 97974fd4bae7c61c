"""Figures of a trial are read as typed or pasted, and refused by their name."""

from __future__ import annotations

import pytest

from app.domain.errors import BadInput
from app.market import estimates
from app.market.trial import pasted, utilisation_of
from app.market.trials import judge_trial
from tests.market.runs import CATALOG, estimated, row, run
from tests.market.samples import offer
from tests.training.test_calibration import SMI


def test_a_paste_becomes_the_figures_that_can_be_typed() -> None:
    figures = pasted(SMI)
    assert figures["busy_percent"] == "98.0"
    assert figures["measured_peak_gib"] == "71.00"
    used = utilisation_of(figures)
    assert used is not None
    assert used.power == pytest.approx(0.929, abs=0.001)


@pytest.mark.parametrize(
    ("figures", "field"),
    [
        ({"busy_percent": "140"}, "busy_percent"),
        ({"busy_percent": "-1"}, "busy_percent"),
        ({"busy_percent": "many"}, "busy_percent"),
        ({"busy_percent": "nan"}, "busy_percent"),
        ({"power_percent": "80"}, "busy_percent"),
        ({"busy_percent": "50", "link_gbytes_per_s": "-3"}, "link_gbytes_per_s"),
    ],
)
def test_a_figure_that_cannot_be_is_refused_by_its_name(figures: dict[str, str], field: str) -> None:
    with pytest.raises(BadInput) as refused:
        utilisation_of(figures)
    assert refused.value.field == field


def test_a_paste_that_is_none_names_the_paste() -> None:
    with pytest.raises(BadInput) as refused:
        pasted("hello")
    assert refused.value.field == "nvidia_smi"


def test_the_data_sheet_says_what_the_bus_can_carry_where_nobody_did() -> None:
    heavy = {"busy_percent": "60", "link_gbytes_per_s": "50"}
    on = run(measured_on="rtx-4090-24gb x2", method="qlora")
    told = judge_trial(on, heavy, CATALOG)
    assert told.diagnosis is not None
    assert told.diagnosis.bound == "link"
    alone = judge_trial(None, heavy, CATALOG)
    assert alone.diagnosis is not None
    assert alone.diagnosis.bound == "input"
    assert alone.compared is None


def test_the_correction_is_in_the_table_in_the_breakdown_and_in_words() -> None:
    board, before = estimated(offer(1))
    at = row(board, 1)
    measured = run(measured_on="h100-sxm5-80gb x8", measured_tokens_per_s=before.tokens_per_s[at] * 0.7)
    after = estimates.estimate(board, measured, CATALOG)
    told = estimates.explain(board, f"{1:016x}", measured, CATALOG)
    assert told.time is not None
    assert told.cost is not None
    assert after.tokens_per_s[at] == pytest.approx(told.time.tokens_per_s) == 0.7 * before.tokens_per_s[at]
    assert told.cost.hours == pytest.approx(after.hours[at])
    assert "× 0.70 there" in str(told.calibration)
    assert estimates.explain(board, f"{1:016x}", run(), CATALOG).calibration is None
    assert estimates.answer(measured, CATALOG, board).question.calibration == told.calibration
