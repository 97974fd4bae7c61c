"""Names of models as people type them, and the keys that they mean."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache

from app.domain.errors import BadInput
from app.domain.figures import plain
from app.domain.model import ModelShape
from app.domain.sentence import N_, Sentence
from app.market.service import Market
from app.web import formatting
from app.web.language import speaking

MOST_SUGGESTIONS = 6
Asked = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """A model for the list under the model field: `key` is what is asked, `label` what one reads, `about` its
    architecture in a few words."""

    key: str
    label: str
    about: Sentence


@lru_cache(maxsize=4)
def model_choices(market: Market) -> tuple[ModelChoice, ...]:
    """All models of the catalog."""
    return tuple(
        ModelChoice(key, label_of(shape), architecture_of(shape))
        for key, shape in market.catalog.models.items()
    )


def label_of(shape: ModelShape) -> str:
    """Name and size: "Llama 3.1 8B · 8.03B". It is typed back, hence the same in every language."""
    with speaking("en"):
        size = formatting.compact(shape.stated_parameters)
    return f"{shape.name} · {size}" if size else shape.name


def architecture_of(shape: ModelShape) -> Sentence:
    """Layers and width, and the experts of a mixture: "32 layers × 4,096"; what is not known is left out."""
    values = {
        "layers": shape.layers,
        "hidden": plain(shape.hidden_size or 0),
        "experts": shape.experts,
        "visited": shape.experts_per_token,
        "kind": shape.modality,
    }
    if not shape.layers or not shape.hidden_size:
        return Sentence("{kind}", values)
    if shape.experts:
        text = N_("{layers} layers × {hidden}, {experts} experts of which a token visits {visited}")
        return Sentence(text, values)
    return Sentence(N_("{layers} layers × {hidden}"), values)


def resolve_model(market: Market, asked: dict[str, list[str]]) -> dict[str, list[str]]:
    """The question with a model's name replaced by the key it means; anything less than certain stays as typed."""
    text = asked.get("model", [""])[0]
    if not text or text in market.catalog.models:
        return asked
    found = market.catalog.search_models(text)
    certain = _spellings(market).get(_plain(text)) or (found[0].key if len(found) == 1 else None)
    return asked if certain is None else asked | {"model": [certain]}


@lru_cache(maxsize=4)
def _spellings(market: Market) -> Mapping[str, str]:
    """Key, name and label of every model → its key; a spelling that two models share is left out."""
    spelled: dict[str, set[str]] = {}
    for key, shape in market.catalog.models.items():
        for text in (key, shape.name, label_of(shape)):
            spelled.setdefault(_plain(text), set()).add(key)
    return {text: keys.pop() for text, keys in spelled.items() if len(keys) == 1}


def near(market: Market, asked: Asked, error: BadInput) -> tuple[ModelShape, ...]:
    """Models that an unknown name may mean: those that hold all its words, else most of them, else those of its family,
    else those written most alike: a slip of the hand, or a repository's name with who publishes it and for what."""
    text = (asked.get("model") or [""])[0]
    if error.field != "model" or not text:
        return ()
    words = text.split()
    for count in range(len(words), 0, -1):
        found = market.catalog.search_models(" ".join(words[:count]))
        if found and len(found) < len(market.catalog.models):
            return tuple(found[:MOST_SUGGESTIONS])
    if kin := market.catalog.models_like(text):
        return tuple(kin[:MOST_SUGGESTIONS])
    spellings = _spellings(market)
    alike = get_close_matches(_plain(text.rpartition("/")[2]), spellings, 3 * MOST_SUGGESTIONS)
    keys = list(dict.fromkeys(spellings[spelling] for spelling in alike))
    return tuple(market.catalog.models[key] for key in keys[:MOST_SUGGESTIONS])


def _plain(text: str) -> str:
    return re.sub(r"[^a-z0-9.]+", "", text.lower())
