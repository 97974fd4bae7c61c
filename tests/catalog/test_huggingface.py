"""A config.json → a shape that counts up to the published weights; anything else → a sentence naming its field."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.catalog import Catalog
from app.catalog.huggingface import shape_from_config
from app.domain.errors import BadInput
from app.training.parameters import count
from tests.catalog.configs import LLAMA, PUBLISHED, TOWERS, Config


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_config_counts_up_to_the_published_weights(name: str) -> None:
    config, total = PUBLISHED[name]
    assert count(shape_from_config(config)).total == pytest.approx(total, rel=1e-5)


@pytest.mark.parametrize("name", TOWERS)
def test_a_second_tower_is_counted_from_its_own_config(name: str) -> None:
    config, total = TOWERS[name]
    assert count(shape_from_config(config)).total == pytest.approx(total, rel=0.01)


def test_a_config_and_the_catalog_agree_on_the_shape(catalog: Catalog) -> None:
    for name in ("llama-3.1-8b", "gpt2", "gemma-2-2b", "deepseek-v3", "gpt-oss-20b", "bert-base", "t5-small"):
        own, known = shape_from_config(PUBLISHED[name][0]), catalog.model(name)
        for field in (
            "layers",
            "hidden_size",
            "kv_heads",
            "head_dim",
            "ffn_hidden_size",
            "experts",
            "norms_per_layer",
        ):
            assert getattr(own, field) == getattr(known, field), (name, field)
        assert count(own) == count(known), name


def test_a_tower_whose_size_is_not_given_is_said_to_be_left_out() -> None:
    config = dict(TOWERS["gemma-3-4b"][0], vision_config={"model_type": "siglip_vision_model"})
    assert "vision tower: not in the config, not counted" in shape_from_config(config).assumed


def test_every_known_architecture_reads_a_plain_config(catalog: Catalog) -> None:
    plain = {
        "hidden_size": 1024, "intermediate_size": 4096, "num_hidden_layers": 8, "num_attention_heads": 8,
        "vocab_size": 32000, "max_position_embeddings": 2048, "encoder_layers": 4, "decoder_layers": 4,
        "num_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 1024,
        "kv_lora_rank": 512, "qk_rope_head_dim": 64, "qk_nope_head_dim": 128, "v_head_dim": 128,
    }  # fmt: skip
    tower = {"vision_config": plain, "text_config": plain}
    for kind, architecture in catalog.architectures.items():
        more = tower if architecture.extra == "clip" else {}
        assert count(shape_from_config({"model_type": kind, **plain, **more})).total > 50e6, kind


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"model_type": None}, "model_type is missing"),
        ({"model_type": "mamba"}, "model_type 'mamba' is not known"),
        ({"model_type": 7}, "model_type must be a text"),
        ({"hidden_size": None}, "hidden_size is missing"),
        ({"hidden_size": "4,096"}, "hidden_size must be a whole number"),
        ({"hidden_size": "wide"}, "(given: 'wide')"),
        ({"hidden_size": 4097}, "hidden_size 4097 is not divisible by num_attention_heads 32"),
        ({"num_hidden_layers": 0}, "num_hidden_layers must be a whole number from 1 to 10,000 (given: '0')"),
        ({"num_hidden_layers": 10**9}, "from 1 to 10,000 (given: '1000000000')"),
        ({"num_hidden_layers": True}, "num_hidden_layers must be a whole number"),
        ({"num_attention_heads": None}, "num_attention_heads is missing"),
        ({"num_key_value_heads": 5}, "num_key_value_heads 5 does not divide num_attention_heads 32"),
        ({"intermediate_size": None}, "intermediate_size is missing"),
        ({"vocab_size": None}, "vocab_size is missing"),
        ({"vocab_size": None, "padded_vocab_size": None}, "vocab_size is missing"),
        ({"tie_word_embeddings": "no"}, "tie_word_embeddings must be true or false"),
        ({"num_local_experts": 8}, "num_experts_per_tok is missing"),
        ({"model_type": "mixtral"}, "the number of experts is missing"),
        ({"model_type": "qwen3_moe"}, "the number of experts is missing"),
        ({"model_type": "deepseek_v3"}, "kv_lora_rank is missing"),
        (
            {"num_local_experts": 8, "num_experts_per_tok": 9},
            "num_experts_per_tok 9 is more than num_local_experts 8",
        ),
        ({"num_experts": 8, "num_experts_per_tok": 2}, "moe_intermediate_size is missing"),
        ({"kv_lora_rank": 512}, "qk_rope_head_dim is missing"),
    ],
)
def test_a_config_that_cannot_be_read_names_its_field(change: Config, said: str) -> None:
    with pytest.raises(BadInput) as caught:
        shape_from_config({**LLAMA, **change})
    assert caught.value.field == "config"
    assert said in caught.value.message


def test_what_is_missing_is_called_as_people_know_it_and_not_by_the_rarest_spelling() -> None:
    with pytest.raises(BadInput, match="config: vocab_size is missing"):
        shape_from_config({**LLAMA, "vocab_size": None})
    nameless = {key: value for key, value in LLAMA.items() if key != "num_hidden_layers"}
    with pytest.raises(BadInput, match="config: n_layer is missing"):
        shape_from_config({**nameless, "n_layer": None})


def test_a_whole_number_written_as_a_text_is_read_as_one() -> None:
    written = {name: str(value) if type(value) is int else value for name, value in LLAMA.items()}
    assert shape_from_config(written) == shape_from_config(LLAMA)


@pytest.mark.parametrize("config", [None, [], "{}", 3])
def test_what_is_no_object_is_refused(config: Any) -> None:
    with pytest.raises(BadInput, match="must be the object of a config"):
        shape_from_config(config)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**9), 10**9)
    | st.floats(allow_nan=False)
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=4,
)


@given(
    st.dictionaries(
        st.sampled_from([*LLAMA, "text_config", "num_experts", "kv_lora_rank", "id2label"]), JSON, max_size=5
    )
)
def test_any_object_gives_a_shape_or_a_sentence(change: Config) -> None:
    try:
        shape = shape_from_config({**LLAMA, **change})
    except BadInput as error:
        assert error.field == "config" and error.message
    else:
        assert count(shape).total > 0


def test_a_width_given_as_a_ratio_is_read_as_dinov2_means_it() -> None:
    config = {
        "model_type": "dinov2", "hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12,
        "image_size": 518, "patch_size": 14, "mlp_ratio": 4,
    }  # fmt: skip
    shape = shape_from_config(config)
    assert shape.ffn_hidden_size == 3072
    assert count(shape).total == pytest.approx(86_580_480, rel=1e-3)
