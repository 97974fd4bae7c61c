"""Work: what a run carries in and out, and what share of the steady rate it realises."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.training.work import realised_share, whole_hours, work_of
from tests.training.clusters import run

RATE = (np.asarray([4e4]), np.asarray([5e4]), np.asarray([6e4]))


def test_a_full_checkpoint_holds_states_and_the_weights_go_out() -> None:
    found = work_of(run(), 8e9, 8e9, RATE)
    assert found.state_gb == pytest.approx(112.0)
    assert found.egress_gb == found.load_gb == pytest.approx(16.0)


def test_lora_saves_and_sends_out_the_adapter_only() -> None:
    found = work_of(run(method="lora"), 8e9, 40e6, RATE)
    assert found.state_gb < 1.0 and found.egress_gb < 0.1
    assert found.load_gb == pytest.approx(16.0)


def test_pretraining_loads_no_weights_and_ones_own_egress_is_kept() -> None:
    found = work_of(run(method="pretrain", egress_gb=0), 8e9, 8e9, RATE)
    assert found.load_gb == 0.0 and found.egress_gb == 0.0


def test_the_tokens_are_those_of_the_run() -> None:
    assert (
        work_of(run(samples=1000, epochs=3, sequence_length=2048), 8e9, 8e9, RATE).tokens == 1000 * 3 * 2048
    )


@given(hours=st.floats(1e-3, 1e9), more=st.floats(1.0, 1e3))
def test_larger_runs_realise_less_but_always_take_longer(hours: float, more: float) -> None:
    small, large = realised_share(np.asarray([hours, hours * more]))
    assert 0.5 < large <= small < 1.0
    assert hours * more / large >= hours / small


def test_a_whole_run_takes_its_steady_hours_over_the_share_realised_after_a_start() -> None:
    steady = 1e11 / 5e5 / 3600
    small, joined = (whole_hours(1e11, 5e5, 8.0, nodes) for nodes in (1, 4))
    assert small - steady / float(realised_share(np.asarray(steady * 8))) == pytest.approx((240 + 270) / 3600)
    assert joined - steady / float(realised_share(np.asarray(steady * 32))) == pytest.approx(
        (900 + 270) / 3600
    )
