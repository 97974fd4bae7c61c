"""The fit form and the contract of a training run are the same thing."""

from __future__ import annotations

from collections import Counter

import pytest
from fastapi.testclient import TestClient

from app.domain.run import TrainingRun
from app.market.query import OfferQuery
from app.web.offers import preset_links
from app.web.run_form import Field, steps


def fields(asked: dict[str, object] | None = None) -> list[Field]:
    return [field for step in steps(asked or {}) for field in (*step.fields, *step.details)]


def test_every_field_of_a_run_is_on_the_form_exactly_once() -> None:
    assert Counter(field.name for field in fields()) == Counter(list(TrainingRun.model_fields))


def test_an_untouched_form_asks_for_nothing() -> None:
    assert all(field.value == "" for field in fields())
    for field in fields():
        assert not field.choices or "" in dict(field.choices), field.name


def test_every_choice_of_the_form_is_a_value_of_the_run() -> None:
    for field in fields():
        for value, _ in field.choices:
            run = TrainingRun.from_fields({"model": "x", field.name: value})
            default = TrainingRun.from_fields({"model": "x"})
            assert (run == default) == (
                value == "" or getattr(run, field.name) == getattr(default, field.name)
            )


def test_what_was_asked_is_shown_as_it_can_be_asked_again() -> None:
    run = TrainingRun.from_fields(
        {"model": "x", "tokens": 1e12, "cpu_offload": True, "deadline_hours": 24, "lora_rank": 8}
    )
    shown = {field.name: field.value for field in fields(run.to_fields()) if field.value}
    assert TrainingRun.from_fields(shown) == run
    assert shown["deadline_hours"] == "24"


def test_folded_details_open_when_something_in_them_is_set() -> None:
    assert [step.details_set for step in steps({"optimizer": "lion", "tensor_parallel": 2})] == [0, 2, 0]


def test_the_presets_are_questions_that_can_be_asked() -> None:
    for _, link in preset_links():
        assert OfferQuery.parse(link.partition("?")[2]).run is not None


@pytest.mark.parametrize("path", ["/", "/fit"])
def test_what_is_filled_in_without_a_model_is_said_to_change_nothing_yet(
    client: TestClient, path: str
) -> None:
    told = (
        client.get(f"{path}?tokens=5e7&budget_usd=40").text.partition('id="idle"')[2].partition("</div>")[0]
    )
    assert "No model is named yet" in told
    assert told.endswith("Tokens to train on · Budget</p>")
    for asked in ("", "model=llama-3.1-8b&tokens=5e7", "provider=lambda"):
        assert 'id="idle"' not in client.get(f"{path}?{asked}").text
