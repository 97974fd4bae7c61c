"""Model shapes: recounted against the published totals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from app.catalog import Catalog
from app.catalog.architectures import read_architectures
from app.catalog.models import read_models
from app.domain.errors import CatalogError, NotFound
from app.training.parameters import count

STRUCTURELESS = ("diffusion", "cnn")


def test_every_structure_counts_up_to_its_published_total(catalog: Catalog) -> None:
    rounded = {"falcon-180b": 1e-3, "kimi-k2": 1e-3}  # published as round figures
    recounted = [m for m in catalog.models.values() if m.recounted and m.modality not in STRUCTURELESS]
    assert len(recounted) >= 155
    for shape in recounted:
        total = count(shape).total
        assert total == pytest.approx(shape.stated_parameters, rel=rounded.get(shape.key, 4e-4)), shape.key


def test_the_usual_models_count_to_the_last_parameter(catalog: Catalog) -> None:
    for key in (
        "llama-3.1-8b",
        "gpt2",
        "bert-base",
        "t5-small",
        "gpt-oss-20b",
        "deepseek-v3",
        "whisper-tiny",
        "vit-b-16",
    ):
        shape = catalog.model(key)
        assert count(shape).total == shape.stated_parameters, key


def test_active_parameters_of_a_mixture_are_those_of_its_publisher(catalog: Catalog) -> None:
    for key in ("mixtral-8x7b", "qwen3-30b-a3b", "deepseek-v3"):
        shape = catalog.model(key)
        assert count(shape).active == pytest.approx(shape.stated_active_parameters, rel=0.02), key


def test_a_model_without_structure_keeps_its_total(catalog: Catalog) -> None:
    shape = catalog.model("resnet-50")
    assert count(shape).total == 25_557_032
    assert (shape.layers, shape.hidden_size) == (50, 0)


def test_a_key_that_is_not_there_is_not_found(catalog: Catalog) -> None:
    with pytest.raises(NotFound, match="no model 'llama-9'"):
        catalog.model("llama-9")
    with pytest.raises(NotFound, match="no accelerator 'h100'"):
        catalog.accelerator("h100")


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("llama-3.1-8b", "llama-3.1-8b"),
        ("Llama 3.1 70B", "llama-3.1-70b"),
        ("qwen 2.5 7b", "qwen2.5-7b"),
        ("whisper large turbo", "whisper-large-v3-turbo"),
        ("mixtral", "mixtral-8x7b"),
    ],
)
def test_models_are_found_by_words(catalog: Catalog, text: str, first: str) -> None:
    assert catalog.search_models(text)[0].key == first


def test_a_search_without_words_lists_all_and_a_strange_one_nothing(catalog: Catalog) -> None:
    assert len(catalog.search_models(" ")) == len(catalog.models)
    assert catalog.search_models("no such model") == []


def test_one_parameter_more_or_less_would_be_noticed(catalog: Catalog) -> None:
    shape = replace(catalog.model("llama-3.1-8b"), kv_heads=32)
    assert count(shape).total != shape.stated_parameters


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("models.csv", "GPT-2,gpt2,decoder", "GPT-2,gpt22,decoder", r"models\.csv, line 2, column architecture"),
        ("models.csv", "gpt2-medium,", "gpt2,", r"models\.csv, line 3, column key: gpt2 is there twice"),
        ("models.csv", ",12,,768,12,12,", ",12,,768,12,5,", r"models\.csv, line 2, column kv_heads: 5 does not divide 12"),
        ("models.csv", ",12,,768,12,", ",12,,,12,", r"models\.csv, line 2, column hidden_size: must be given"),
        ("architectures.toml", 'norm = "rms"', 'nrom = "rms"', "architectures.toml, llama: unknown field nrom"),
        ("architectures.toml", 'extra = "bert"', 'extra = "bret"', "architectures.toml, bert: unknown recipe bret"),
        ("architectures.toml", 'like = "llama"', 'like = "lama"', "architectures.toml, mistral: like 'lama'"),
    ],
)  # fmt: skip
def test_a_malformed_row_is_refused(
    spoiled: Callable[[str, str, str], Path], file: str, old: str, new: str, said: str
) -> None:
    folder = spoiled(file, old, new)
    with pytest.raises(CatalogError, match=said):
        read_models(folder, read_architectures(folder))


@pytest.mark.parametrize("text", ["Llama 3.1 8B", "meta-llama/Llama-3.1-8B", "llama-3.1-8b", "LLAMA 3.1-8b"])
def test_a_model_answers_to_its_key_its_name_and_its_hugging_face_id(catalog: Catalog, text: str) -> None:
    found = catalog.model_called(text)
    assert found is not None
    assert found.key == "llama-3.1-8b"


def test_every_model_answers_to_its_own_key_and_no_model_to_nonsense(catalog: Catalog) -> None:
    for key in catalog.models:
        found = catalog.model_called(key)
        assert found is not None
        assert found.key == key
    assert catalog.model_called("llama") is None
    assert catalog.model_called("") is None
