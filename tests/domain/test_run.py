"""The training run: one contract for form, URL, API body and command line."""

from __future__ import annotations

import pytest

from app.domain.errors import BadInput, UnknownParameter
from app.domain.run import TrainingRun


def test_lora_targets_may_be_a_list_of_names() -> None:
    run = TrainingRun.from_fields({"model": "gpt2", "method": "lora", "lora_targets": ["q_proj", "v_proj"]})
    assert run.lora_targets == "q_proj,v_proj"


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"tokens": "0"}, "tokens"),
        ({"tokens": "nan"}, "tokens"),
        ({"tokens": 1, "samples": 2}, "samples"),
        ({"deadline_hours": -1}, "deadline_hours"),
        ({"measured_peak_gib": 3}, "measured_on"),
        ({"layers": 0}, "layers"),
        ({"method": "magic"}, "method"),
    ],
)
def test_bad_input_names_its_field(fields: dict[str, object], named: str) -> None:
    with pytest.raises(BadInput) as caught:
        TrainingRun.from_fields(fields)
    assert caught.value.field == named


def test_an_unknown_field_is_an_unknown_parameter() -> None:
    with pytest.raises(UnknownParameter):
        TrainingRun.from_fields({"colour": "red"})


def test_only_what_differs_from_the_defaults_is_written_down() -> None:
    run = TrainingRun.from_fields(
        {"model": "gpt2", "method": "full", "sequence_length": "2048", "tokens": ""}
    )
    assert run.to_fields() == {"model": "gpt2", "sequence_length": 2048}
    assert TrainingRun.from_fields(run.to_fields()) == run
