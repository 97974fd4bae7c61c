"""Which model a run trains: a catalog key, a config, explicit fields, or a bare parameter count."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from app.catalog.huggingface import shape_from_config
from app.catalog.quantised import assumed_of
from app.domain.errors import BadInput
from app.domain.figures import plain
from app.domain.model import ModelShape
from app.domain.run import SHAPE_FIELDS, Method, TrainingRun
from app.domain.sentence import Sentence

if TYPE_CHECKING:
    from app.catalog.catalog import Catalog

MOST_NAME = 200
TYPICAL_HEAD_DIM = 128
TYPICAL_VOCAB = 128_256
TYPICAL_KV_HEADS = 8
GATED_WIDTH = 3.5
"""Feed-forward width over hidden size of a gated decoder (Llama 3: 14336 / 4096)."""


def shape_of(run: TrainingRun, catalog: Catalog) -> ModelShape:
    """The shape of the run's model; what is derived or typical stands in `assumed`.

    Raises:
        BadInput: no model or more than one way of naming it, an unknown key, a config that cannot be read,
            fields that contradict each other; names the field.
    """
    explicit = {name: value for name in SHAPE_FIELDS if (value := getattr(run, name)) is not None}
    ways = [way for way in ("model", "config", "parameters") if getattr(run, way) is not None]
    if explicit:
        ways.append(next(iter(explicit)))
    if not ways:
        raise BadInput(
            "model", "say which model: a catalog key, a config, shape fields or a number of parameters"
        )
    if len(ways) > 1:
        raise BadInput(
            ways[1], Sentence("the model is already given by {field}; give one of them", {"field": ways[0]})
        )
    if run.model is not None:
        return _by_key(run.model, catalog)
    if run.config is not None:
        return _by_config(run.config, run.method)
    if run.parameters is not None:
        return typical_shape(run.parameters)
    return explicit_shape(explicit)


def _by_config(config: Mapping[str, Any], method: Method) -> ModelShape:
    shape, stored = shape_from_config(config), assumed_of(config, method)
    return shape if stored is None else replace(shape, assumed=(*shape.assumed, stored))


def _by_key(key: str, catalog: Catalog) -> ModelShape:
    found = catalog.models.get(key.strip().lower()) or catalog.model_called(key)
    if found is not None:
        return found
    near = ", ".join(
        shape.key for shape in (catalog.search_models(key) or catalog.models_like(key[:MOST_NAME]))[:3]
    )
    given = {"name": repr(key[:80]), "near": near}
    if near:
        raise BadInput(
            "model", Sentence("there is no model {name} in the catalog; do you mean {near}?", given)
        )
    raise BadInput("model", Sentence("there is no model {name} in the catalog", given))


def explicit_shape(given: dict[str, Any]) -> ModelShape:
    """A decoder from the fields that were given; the rest follows from them and is named in `assumed`.

    Raises:
        BadInput: `layers` or `hidden_size` missing, or fields that contradict each other.
    """
    for name in ("layers", "hidden_size"):
        if name not in given:
            raise BadInput(name, "is needed to describe a model by its shape")
    values = dict(given)
    assumed = []

    def derive(name: str, value: int | bool, how: str) -> None:
        if name not in values:
            values[name] = value
            assumed.append(f"{name} = {value}: {how}")

    hidden = values["hidden_size"]
    derive("attention_heads", _heads(hidden, values.get("head_dim")), "hidden size over the head size")
    heads = values["attention_heads"]
    if "head_dim" not in values and hidden % heads:
        raise BadInput(
            "attention_heads",
            Sentence(
                "{heads} does not divide hidden_size {size}; give head_dim", {"heads": heads, "size": hidden}
            ),
        )
    derive("head_dim", hidden // heads, "hidden size over heads")
    derive("kv_heads", heads, "every head has its own keys and values")
    derive("gated_mlp", True, "usual in decoders")
    width = 4.0 if not values["gated_mlp"] else GATED_WIDTH
    derive("ffn_hidden_size", int(width * hidden), f"{width:g} × hidden size")
    derive("vocab_size", TYPICAL_VOCAB, "typical")
    derive("tied_embeddings", False, "usual in decoders")
    _check(values)
    if values.get("experts"):
        values["moe_ffn_hidden_size"] = values["ffn_hidden_size"]
    return ModelShape(
        key="shape", name=_name(values), source="the fields given", assumed=tuple(assumed), **values
    )


def _heads(hidden: int, head_dim: int | None) -> int:
    """Heads of the wanted size, or of the next smaller size that divides the hidden size."""
    for size in range(min(head_dim or TYPICAL_HEAD_DIM, hidden), 0, -1):
        if hidden % size == 0:
            return hidden // size
    return 1


def _check(values: dict[str, Any]) -> None:
    if values["attention_heads"] % values["kv_heads"]:
        given = {"part": values["kv_heads"], "heads": values["attention_heads"]}
        raise BadInput("kv_heads", Sentence("{part} does not divide attention_heads {heads}", given))
    experts, chosen = values.get("experts", 0), values.get("experts_per_token")
    if experts and chosen is None:
        raise BadInput("experts_per_token", "is needed for a mixture of experts")
    if chosen is not None and not (1 <= chosen <= experts or chosen == experts == 0):
        raise BadInput(
            "experts_per_token",
            Sentence("must be between 1 and the experts ({experts})", {"experts": experts}),
        )


def _name(values: dict[str, Any]) -> str:
    experts = f", {values['experts']} experts" if values.get("experts") else ""
    return f"decoder of {values['layers']} layers × {values['hidden_size']}{experts}"


def typical_shape(parameters: float) -> ModelShape:
    """A Llama-like decoder of that many parameters; `stated_parameters` keeps the exact number.

    Layers follow from L ≈ hidden / 128 (Kaplan et al. 2020 and the published shapes of 1B to 405B models);
    per layer (2 + 2·kv/heads)·h² of attention and 3·3.5·h² of feed-forward.
    """
    vocab, tied = _vocab(parameters), _tied(parameters)
    parts = 1 if tied else 2
    hidden = TYPICAL_HEAD_DIM
    while _decoder_size(hidden + TYPICAL_HEAD_DIM, parts * vocab) <= parameters:
        hidden += TYPICAL_HEAD_DIM
    layers = max(1, round((parameters - parts * vocab * hidden) / _layer_size(hidden)))
    heads = hidden // TYPICAL_HEAD_DIM
    return ModelShape(
        key="parameters",
        name=f"decoder of {plain(parameters / 1e9, 4)} B parameters",
        modality="decoder",
        layers=layers,
        hidden_size=hidden,
        attention_heads=heads,
        kv_heads=_kv_heads(heads),
        head_dim=TYPICAL_HEAD_DIM,
        ffn_hidden_size=int(GATED_WIDTH * hidden),
        vocab_size=vocab,
        tied_embeddings=tied,
        stated_parameters=int(parameters),
        recounted=False,
        source="a typical decoder of that many parameters",
        assumed=(f"shape: {layers} layers × {hidden}, typical of a decoder of that size",),
    )


def _kv_heads(heads: int) -> int:
    return next(kv for kv in range(min(TYPICAL_KV_HEADS, heads), 0, -1) if heads % kv == 0)


def _vocab(parameters: float) -> int:
    if parameters >= 1e9:
        return TYPICAL_VOCAB
    return 32_000 if parameters >= 2e7 else max(256, int(parameters / 512))


def _tied(parameters: float) -> bool:
    return parameters < 4e9


def _layer_size(hidden: int) -> float:
    heads = hidden // TYPICAL_HEAD_DIM
    return (2 + 2 * _kv_heads(heads) / heads + 3 * GATED_WIDTH) * hidden * hidden


def _decoder_size(hidden: int, words: int) -> float:
    return hidden / TYPICAL_HEAD_DIM * _layer_size(hidden) + words * hidden
