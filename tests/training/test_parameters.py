"""Parameters are recounted from the shape, never taken from the name."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.catalog import load_catalog
from app.domain.model import ModelShape
from app.training.parameters import count, structure

MODELS = load_catalog().models
RECOUNTED = [
    key for key, shape in MODELS.items() if shape.recounted and shape.modality == "decoder" and shape.layers
]


@pytest.mark.parametrize(
    ("key", "total"),
    [
        ("llama-3.1-8b", 8_030_261_248),
        ("gpt2", 124_439_808),
        ("qwen3-4b", 4_022_468_096),
        ("mixtral-8x7b", 46_702_792_704),
        ("bert-base", 109_482_240),
        ("t5-base", 222_903_552),
    ],
)
def test_known_models_are_recounted_to_the_last_parameter(key: str, total: int) -> None:
    assert count(MODELS[key]).total == total


@pytest.mark.parametrize("key", RECOUNTED)
def test_every_recounted_decoder_meets_the_published_total(key: str) -> None:
    shape = MODELS[key]
    assert shape.stated_parameters
    assert count(shape).total == pytest.approx(shape.stated_parameters, rel=1e-3)


def test_a_token_meets_only_its_experts() -> None:
    sizes = count(MODELS["mixtral-8x7b"])
    assert sizes.active == pytest.approx(12_879_925_248, rel=1e-3)
    assert sizes.matmul_active < sizes.active < sizes.total


def test_parts_add_up() -> None:
    sizes = count(MODELS["llama-3.1-8b"])
    assert sizes.embedding + sizes.head + sizes.blocks == sizes.total
    assert sizes.linear < sizes.blocks


def test_a_shape_that_cannot_be_recounted_keeps_the_published_total() -> None:
    shape = replace(MODELS["llama-3.1-8b"], recounted=False, stated_parameters=9_000_000_000)
    assert count(shape).total == 9_000_000_000


def test_a_bare_parameter_count_becomes_a_decoder_of_that_size() -> None:
    bare = ModelShape(key="x", name="x", modality="parameters-only", stated_parameters=70_000_000_000)
    filled = structure(bare)
    assert filled.hidden_size == 128 * filled.attention_heads
    assert 60 <= filled.layers <= 100
    assert count(bare).total == 70_000_000_000
