"""Model shapes that the catalog knows by name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from difflib import SequenceMatcher
from pathlib import Path
from typing import cast, get_args

from app.catalog.architectures import Architecture, with_traits
from app.catalog.files import Row, read_table
from app.domain.model import Modality, ModelShape

COUNTS = (
    "layers",
    "encoder_layers",
    "hidden_size",
    "attention_heads",
    "kv_heads",
    "head_dim",
    "ffn_hidden_size",
    "vocab_size",
)
EXPERTS = (
    "experts",
    "experts_per_token",
    "shared_experts",
    "moe_ffn_hidden_size",
    "shared_ffn_hidden_size",
    "dense_layers",
    "q_lora_rank",
    "kv_lora_rank",
    "qk_rope_head_dim",
    "qk_nope_head_dim",
    "v_head_dim",
)
COLUMNS = (
    "key",
    "name",
    "family",
    "architecture",
    "modality",
    "total",
    "active",
    *COUNTS,
    "tied_embeddings",
    "gated_mlp",
    *EXPERTS,
    "extra_parameters",
    "max_context",
    "recounted",
    "licence",
    "source",
    "notes",
)
_PLAIN = ("diffusion", "cnn")


def read_models(folder: Path, architectures: Mapping[str, Architecture]) -> dict[str, ModelShape]:
    """Key → shape from `models.csv`, in the order of the file.

    Raises:
        CatalogError: malformed, a key twice, an unknown architecture, dimensions that contradict each other.
    """
    found: dict[str, ModelShape] = {}
    for row in read_table(folder / "models.csv", COLUMNS):
        shape = _shape(row, architectures)
        if shape.key in found:
            raise row.fail("key", f"{shape.key} is there twice")
        found[shape.key] = shape
    return found


def search(models: Mapping[str, ModelShape], text: str) -> list[ModelShape]:
    """Models whose key, name or family holds every word of `text`, closest first; all of them for no words."""
    words = re.findall(r"[a-z0-9.]+", text.lower())
    ranked = []
    for place, shape in enumerate(models.values()):
        key = shape.key.lower()
        text_of = f"{key} {shape.name} {shape.family}".lower()
        plain = re.sub(r"[^a-z0-9]", "", text_of)
        if all(word in text_of or word.replace(".", "") in plain for word in words):
            start = 0 if "".join(words) == re.sub(r"[^a-z0-9.]", "", key) else 1
            ranked.append((start, place, shape))
    return [shape for _, _, shape in sorted(ranked, key=lambda item: item[:2])]


def abbreviated(models: Mapping[str, ModelShape], text: str) -> list[ModelShape]:
    """Models of the family that `text` begins with and of whose words it has one more at least, written out or shortened
    (large, L), the most alike first: `google/vit-large-patch16` is ViT-L/16."""
    given = _WORDS.findall(text.rpartition("/")[2].lower())
    ranked = []
    for shape in models.values():
        own = set(_WORDS.findall(f"{shape.key} {shape.name}".lower()))
        shared = sum(
            word in own or any(word.startswith(part) for part in own if part.isalpha()) for word in given
        )
        if shared > 1 and given[0] in own:
            alike = SequenceMatcher(None, _plain(text), _plain(shape.key)).ratio()
            ranked.append((-shared, -alike, shape))
    return [shape for _, _, shape in sorted(ranked, key=lambda item: item[:2])]


_WORDS = re.compile(r"[a-z]+|\d+(?:\.\d+)?")


def called(models: Mapping[str, ModelShape], text: str) -> ModelShape | None:
    """The one model whose key or name is spelled like `text`, an owner before a slash left out
    (`meta-llama/Llama-3.1-8B`); None where none or several are."""
    for wanted in (_plain(text), _plain(text.rpartition("/")[2])):
        found = [shape for shape in models.values() if wanted in (_plain(shape.key), _plain(shape.name))]
        if found:
            return found[0] if len(found) == 1 else None
    return None


def _plain(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())


def _shape(row: Row, architectures: Mapping[str, Architecture]) -> ModelShape:
    modality = cast(Modality, row.choice("modality", get_args(Modality)))
    name = row.optional("architecture")
    if name is not None and name not in architectures:
        raise row.fail("architecture", f"there is no architecture {name}")
    architecture = architectures[name] if name else Architecture("", False, None, None)
    shape = ModelShape(
        key=row.required("key"),
        name=row.required("name"),
        family=row.required("family"),
        max_context=row.integer("max_context"),
        stated_parameters=int(row.positive("total")),
        stated_active_parameters=int(row.positive("active")),
        recounted=row.flag("recounted"),
        licence=row.required("licence"),
        source=row.required("source"),
        notes=row.text("notes"),
        extra_parameters=row.integer("extra_parameters") or 0,
        **{column: row.integer(column) or 0 for column in (*COUNTS, *EXPERTS)},  # type: ignore[arg-type]
    )
    traits = {**architecture.traits, "modality": modality}
    for column, default in (("tied_embeddings", architecture.tied), ("gated_mlp", shape.gated_mlp)):
        stated = row.optional_flag(column)
        traits[column] = traits.get(column, default) if stated is None else stated
    _check(row, shape, modality)
    return with_traits(replace(shape, **traits), architecture)


def _check(row: Row, shape: ModelShape, modality: Modality) -> None:
    if modality in _PLAIN:
        return
    for column in ("layers", "hidden_size", "attention_heads", "kv_heads", "head_dim", "ffn_hidden_size"):
        if not getattr(shape, column):
            raise row.fail(column, "must be given")
    if shape.attention_heads % shape.kv_heads:
        raise row.fail(
            "kv_heads", f"{shape.kv_heads} does not divide {shape.attention_heads} attention heads"
        )
    if bool(shape.experts) != bool(shape.experts_per_token) or shape.experts_per_token > shape.experts:
        raise row.fail("experts_per_token", "must be between 1 and the experts")
    if modality == "encoder-decoder" and not 0 < shape.encoder_layers < shape.layers:
        raise row.fail("encoder_layers", "must be a part of the layers")
