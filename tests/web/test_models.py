"""Model names as typed: certain ones become keys, others stay and bring suggestions."""

from __future__ import annotations

import pytest

from app.domain.errors import BadInput
from app.market.service import Market
from app.web.models import label_of, model_choices, near, resolve_model


@pytest.mark.parametrize("text", ["llama-3.1-8b", "Llama 3.1 8B", "llama 3.1 8b", "LLAMA-3.1 8B"])
def test_a_name_that_means_one_model_becomes_its_key(market: Market, text: str) -> None:
    assert resolve_model(market, {"model": [text], "q": ["x"]}) == {"model": ["llama-3.1-8b"], "q": ["x"]}


def test_every_label_of_the_list_can_be_typed(market: Market) -> None:
    for key, shape in market.catalog.models.items():
        found = resolve_model(market, {"model": [label_of(shape)]})["model"][0]
        assert label_of(market.catalog.models[found]) == label_of(shape), key
    assert len(model_choices(market)) == len(market.catalog.models)


@pytest.mark.parametrize("text", ["llama", "no such model", "8b"])
def test_a_name_that_may_mean_several_is_left_as_typed(market: Market, text: str) -> None:
    assert resolve_model(market, {"model": [text]}) == {"model": [text]}


def test_suggestions_come_for_the_model_only(market: Market) -> None:
    asked = {"model": ["llama 3.1 9000b"]}
    assert "llama-3.1-8b" in {shape.key for shape in near(market, asked, BadInput("model", "x"))}
    assert near(market, asked, BadInput("tokens", "x")) == ()
    assert near(market, {"model": ["zzz"]}, BadInput("model", "x")) == ()


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("lama 3 8b", "llama-3-8b"),
        ("lamma-3.1-8b", "llama-3.1-8b"),
        ("mistrl 7b", "mistral-7b"),
        ("qwn2.5 7b", "qwen2.5-7b"),
        ("gema 2 9b", "gemma-2-9b"),
        ("Qwen/Qwen2.5-14B-Instruct", "qwen2.5-14b"),
        ("meta-llama/Llama-3.1-8B-Instruct", "llama-3.1-8b"),
        ("vit-large", "vit-l-16"),
        ("google/vit-base-patch16-224-in21k", "vit-b-16"),
        ("openai/clip-vit-large-patch14-336", "clip-vit-l-14"),
    ],
)
def test_a_slip_or_the_name_of_a_repository_brings_what_was_meant_first(
    market: Market, text: str, meant: str
) -> None:
    assert near(market, {"model": [text]}, BadInput("model", "x"))[0].key == meant


@pytest.mark.parametrize(
    ("text", "key"), [("mistral7b", "mistral-7b"), ("qwen 14b", "qwen-14b"), ("gemma 9b", "gemma-2-9b")]
)
def test_a_name_written_together_or_apart_is_understood(market: Market, text: str, key: str) -> None:
    assert (
        resolve_model(market, {"model": [text]})["model"] == [key]
        or near(market, {"model": [text]}, BadInput("model", "x"))[0].key == key
    )
