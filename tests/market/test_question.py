"""One's own trial corrects every estimate, or is refused with the field."""

from __future__ import annotations

from typing import Any

import pytest

from app.domain.errors import BadInput
from app.domain.run import TrainingRun
from app.market import estimates
from app.market.question import Question
from tests.market.runs import CATALOG, estimated, row, run, single
from tests.market.samples import offer


def test_ones_own_trial_corrects_every_other_estimate() -> None:
    other = single(
        2,
        accelerator="h200-sxm-141gb",
        accelerator_count=8,
        link_domain=8,
        intra_node_link="nvlink4+nvswitch",
    )
    board, before = estimated(offer(1), other)
    one, two = row(board, 1), row(board, 2)
    slower = run(measured_on="h100-sxm5-80gb x8", measured_tokens_per_s=before.tokens_per_s[one] * 0.8)
    after = estimates.estimate(board, slower, CATALOG)
    assert after.tokens_per_s[one] == pytest.approx(0.8 * before.tokens_per_s[one])
    assert 0.8 < after.tokens_per_s[two] / before.tokens_per_s[two] < 1.0
    assert after.headroom_gib[one] == before.headroom_gib[one]
    assert after.total_usd[one] > before.total_usd[one]


def test_a_measured_peak_moves_the_verdict_of_every_card() -> None:
    board, before = estimated(offer(1), single(2))
    device = before.verdicts[before.hardware.of_row[row(board, 1)]].memory
    assert device is not None
    leaner = run(measured_on="h100-sxm5-80gb x8", measured_peak_gib=device["device"] * 0.4)
    after = estimates.estimate(board, leaner, CATALOG)
    assert before.verdict[row(board, 2)] == "does_not_fit"
    assert after.verdict[row(board, 2)] == "fits"


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"measured_on": "warp-drive x8", "measured_tokens_per_s": 1e4}, "measured_on"),
        ({"measured_on": "h100-sxm5-80gb", "measured_tokens_per_s": 1e4}, "measured_on"),
        ({"measured_on": "h100-sxm5-80gb x8", "measured_tokens_per_s": 1.0}, "measured_tokens_per_s"),
        ({"measured_on": "h100-sxm5-80gb x8", "measured_peak_gib": 9000.0}, "measured_peak_gib"),
    ],
)
def test_a_trial_that_cannot_be_this_run_is_refused(fields: dict[str, Any], field: str) -> None:
    with pytest.raises(BadInput) as caught:
        estimated(offer(1), **fields)
    assert caught.value.field == field


@pytest.mark.parametrize(
    ("fields", "length"),
    [
        ({"model": "vit-b-16"}, 197),
        ({"model": "gpt2"}, 1024),
        ({"model": "llama-3.1-8b"}, 4096),
        ({"model": "pythia-1b", "sequence_length": 4096}, 4096),
        ({"model": "resnet-50", "sequence_length": 4096}, 4096),
    ],
)
def test_a_run_without_a_length_takes_no_more_tokens_than_the_model_has_positions(
    fields: dict[str, Any], length: int
) -> None:
    assert Question.of(TrainingRun.from_fields(fields), CATALOG).run.sequence_length == length


def test_an_epoch_of_images_is_counted_in_patches() -> None:
    images = TrainingRun.from_fields({"model": "vit-b-16", "samples": 1000})
    assert Question.of(images, CATALOG).run.total_tokens == 197_000


def test_a_length_that_was_given_is_not_answered_by_what_was_kept_of_the_usual_one() -> None:
    board, usual = estimated(offer(1), model="pythia-1b")
    given = estimates.estimate(board, run(model="pythia-1b", sequence_length=4096), CATALOG)
    assert given.headroom_gib[0] != usual.headroom_gib[0]
