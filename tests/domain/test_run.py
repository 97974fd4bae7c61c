"""The training run: one contract for form, URL, API body and command line."""

from __future__ import annotations

import pytest

from app.domain.errors import BadInput, UnknownParameter
from app.domain.run import YES_OR_NO, TrainingRun


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
        ({"tokens": True}, "tokens"),
        ({"layers": True}, "layers"),
        ({"max_nodes": False}, "max_nodes"),
        ({"link_share_limit": True}, "link_share_limit"),
        ({"tokens": "0,5"}, "tokens"),
        ({"tokens": "many"}, "tokens"),
        ({"sequence_length": "4.5"}, "sequence_length"),
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


def test_every_field_is_a_figure_a_text_or_a_yes_or_no_and_only_the_latter_take_true() -> None:
    for name in set(TrainingRun.model_fields) - YES_OR_NO:
        with pytest.raises(BadInput) as caught:
            TrainingRun.from_fields({"model": "gpt2", name: True})
        assert caught.value.field == name
    for name in YES_OR_NO:
        assert getattr(TrainingRun.from_fields({"model": "gpt2", name: True}), name) is True


@pytest.mark.parametrize(
    ("field", "written", "meant"),
    [
        ("tokens", "50M", 5e7),
        ("tokens", "50 million", 5e7),
        ("tokens", "1.5B", 1.5e9),
        ("tokens", "50,000,000", 5e7),
        ("tokens", "5e7", 5e7),
        ("samples", "12k", 12_000),
        ("parameters", "7b", 7e9),
        ("sequence_length", "8,192", 8192),
        ("deadline_hours", "2 days", 48),
        ("deadline_hours", "1d", 24),
        ("deadline_hours", "36h", 36),
        ("budget_usd", "1.2k", 1200),
        ("budget_usd", "$40", 40),
        ("budget_usd", "40 USD", 40),
        ("budget_usd", "US$ 1,200.50", 1200.5),
        ("budget_usd", "1.2k usd", 1200),
    ],
)
def test_figures_are_read_as_people_write_them(field: str, written: str, meant: float) -> None:
    assert getattr(TrainingRun.from_fields({"model": "gpt2", field: written}), field) == meant


@pytest.mark.parametrize(
    ("field", "written", "meant"), [("budget_usd", "2,5", "2.5"), ("tokens", "1.500.000", "1500000")]
)
def test_a_decimal_comma_is_refused_with_the_way_to_write_it(field: str, written: str, meant: str) -> None:
    with pytest.raises(BadInput, match=f"write '{meant}'"):
        TrainingRun.from_fields({"model": "gpt2", field: written})


def test_a_limit_is_written_in_full() -> None:
    with pytest.raises(BadInput) as caught:
        TrainingRun.from_fields({"model": "gpt2", "sequence_length": 10**12})
    assert "e+" not in str(caught.value)


@pytest.mark.parametrize(
    ("given", "named"), [("40 EUR", "EUR"), ("€40", "€"), ("40 azn", "AZN"), ("£1,200", "£")]
)
def test_a_budget_in_another_currency_is_refused_by_its_name(given: str, named: str) -> None:
    with pytest.raises(BadInput) as caught:
        TrainingRun.from_fields({"model": "gpt2", "budget_usd": given})
    assert caught.value.field == "budget_usd"
    assert f"must be in US dollars, not in {named} " in caught.value.message
