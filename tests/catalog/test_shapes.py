"""Which model a run means; what is derived is said."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.catalog import Catalog
from app.catalog.shapes import explicit_shape, shape_of, typical_shape
from app.domain.errors import BadInput
from app.domain.run import TrainingRun
from app.training.parameters import count
from tests.catalog.configs import LLAMA


def run(**fields: Any) -> TrainingRun:
    return TrainingRun.from_fields(fields)


def test_a_run_names_a_model_by_key(catalog: Catalog) -> None:
    assert shape_of(run(model="llama-3.1-8b"), catalog) is catalog.model("llama-3.1-8b")
    assert shape_of(run(model=" Llama-3.1-8B "), catalog).key == "llama-3.1-8b"


def test_a_run_brings_its_own_config(catalog: Catalog) -> None:
    assert count(shape_of(run(config=LLAMA), catalog)).total == 8_030_261_248


def test_a_run_describes_its_model_field_by_field(catalog: Catalog) -> None:
    shape = shape_of(
        run(
            layers=32,
            hidden_size=4096,
            attention_heads=32,
            kv_heads=8,
            ffn_hidden_size=14336,
            vocab_size=128256,
        ),
        catalog,
    )
    assert count(shape).total == 8_030_261_248
    assert [note.split(" = ")[0] for note in shape.assumed] == ["head_dim", "gated_mlp", "tied_embeddings"]


def test_fields_that_are_left_out_follow_from_the_others(catalog: Catalog) -> None:
    shape = shape_of(run(layers=12, hidden_size=768), catalog)
    assert (shape.attention_heads, shape.head_dim, shape.kv_heads) == (6, 128, 6)
    assert shape.ffn_hidden_size == 2688
    assert len(shape.assumed) == 7


def test_a_plain_mlp_is_four_times_as_wide(catalog: Catalog) -> None:
    assert shape_of(run(layers=12, hidden_size=768, gated_mlp=False), catalog).ffn_hidden_size == 3072


def test_experts_are_as_wide_as_the_feed_forward_part(catalog: Catalog) -> None:
    shape = shape_of(
        run(layers=32, hidden_size=4096, attention_heads=32, kv_heads=8, ffn_hidden_size=14336, vocab_size=32000,
            experts=8, experts_per_token=2),
        catalog,
    )  # fmt: skip
    assert count(shape).total == 46_702_792_704


@pytest.mark.parametrize(
    ("fields", "field", "said"),
    [
        ({}, "model", "say which model"),
        ({"model": "llama-3.1-8b", "parameters": 8e9}, "parameters", "already given by model"),
        ({"model": "llama-3.1-8b", "layers": 32, "hidden_size": 4096}, "layers", "already given by model"),
        ({"parameters": 8e9, "config": LLAMA}, "parameters", "already given by config"),
        ({"model": "llama-3.1-9b"}, "model", "no model 'llama-3.1-9b'"),
        ({"model": "qwen3"}, "model", "do you mean qwen3-0.6b"),
        ({"layers": 32}, "hidden_size", "is needed"),
        ({"hidden_size": 4096}, "layers", "is needed"),
        ({"layers": 2, "hidden_size": 4096, "attention_heads": 33}, "attention_heads", "33 does not divide"),
        (
            {"layers": 2, "hidden_size": 4096, "attention_heads": 32, "kv_heads": 5},
            "kv_heads",
            "5 does not divide",
        ),
        ({"layers": 2, "hidden_size": 4096, "experts": 8}, "experts_per_token", "is needed"),
        (
            {"layers": 2, "hidden_size": 4096, "experts": 8, "experts_per_token": 9},
            "experts_per_token",
            "between 1 and",
        ),
        ({"layers": 2, "hidden_size": 4096, "experts_per_token": 2}, "experts_per_token", "between 1 and"),
        ({"config": {"model_type": "mamba"}}, "config", "'mamba' is not known"),
    ],
)
def test_what_names_no_model_names_the_field_that_is_wrong(
    catalog: Catalog, fields: dict[str, Any], field: str, said: str
) -> None:
    with pytest.raises(BadInput) as caught:
        shape_of(run(**fields), catalog)
    assert caught.value.field == field
    assert said in caught.value.message


def test_a_bare_number_becomes_a_typical_decoder_and_says_so(catalog: Catalog) -> None:
    shape = shape_of(run(parameters=7e9), catalog)
    assert count(shape).total == 7_000_000_000
    assert 28 <= shape.layers <= 40 and 3500 <= shape.hidden_size <= 4300
    assert shape.assumed[0].startswith("shape: ")


@given(st.floats(2e7, 2e12))
def test_a_typical_shape_recounts_to_its_number(parameters: float) -> None:
    shape = typical_shape(parameters)
    assert count(shape).total == int(parameters)
    assert count(replace(shape, recounted=True)).total == pytest.approx(parameters, rel=0.12)
    assert shape.attention_heads % shape.kv_heads == 0


@given(st.floats(1e8, 1e12), st.floats(1.1, 4))
def test_more_parameters_never_give_a_narrower_shape(parameters: float, factor: float) -> None:
    assert typical_shape(parameters * factor).hidden_size >= typical_shape(parameters).hidden_size - 512


@given(st.integers(1, 20_000), st.integers(1, 200))
def test_any_hidden_size_finds_heads_that_divide_it(hidden: int, layers: int) -> None:
    shape = explicit_shape({"layers": layers, "hidden_size": hidden})
    assert shape.attention_heads * shape.head_dim == hidden


@pytest.mark.parametrize(
    ("stored", "method", "said"),
    [
        ({"quant_method": "gptq", "bits": 4}, "full", "(gptq, 4 bit): taken dequantised"),
        ({"quant_method": "awq", "bits": 4}, "lora", "(awq, 4 bit): taken dequantised"),
        ({"quant_method": "fp8"}, "pretrain", "(fp8): taken dequantised"),
        ({"quant_method": "bitsandbytes", "load_in_4bit": True}, "qlora", "(bitsandbytes, 4 bit): taken as"),
        ({"bits": [4], "quant_method": 7}, "full", "(?): taken dequantised"),
    ],
)
def test_quantised_weights_of_a_config_are_an_assumption_that_is_said(
    catalog: Catalog, stored: dict[str, Any], method: str, said: str
) -> None:
    asked = run(config={**LLAMA, "quantization_config": stored}, method=method)
    shape, plain = shape_of(asked, catalog), shape_of(run(config=LLAMA, method=method), catalog)
    assert [said in str(item) for item in shape.assumed] == [True]
    assert replace(shape, assumed=plain.assumed) == plain
    assert count(shape).total == count(plain).total


def test_a_config_without_quantised_weights_assumes_nothing_of_them(catalog: Catalog) -> None:
    for stored in (None, {}, "gptq"):
        assert shape_of(run(config={**LLAMA, "quantization_config": stored}), catalog).assumed == ()
