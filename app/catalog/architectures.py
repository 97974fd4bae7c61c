"""What an architecture's name implies: biases, norms, tying, and the parameters that no regular term counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from app.catalog.files import read_toml
from app.domain.errors import CatalogError
from app.domain.model import ModelShape

_SHAPE_FIELDS = {item.name for item in fields(ModelShape)}
_OWN_FIELDS = {"tied", "positions", "extra", "like"}


@dataclass(frozen=True, slots=True)
class Architecture:
    """Traits of one `model_type`: values for ModelShape, the default of tied embeddings, rows that a learned
    position table has beyond the context (None = no table), and the recipe for other parameters."""

    name: str
    tied: bool
    positions: int | None
    extra: str | None
    traits: Mapping[str, Any] = field(default_factory=dict)


def read_architectures(folder: Path) -> dict[str, Architecture]:
    """model_type → traits from `architectures.toml`.

    Raises:
        CatalogError: malformed, an unknown field or recipe, `like` an architecture that is not there.
    """
    entries = read_toml(folder / "architectures.toml")
    return {name: _architecture(name, _flat(name, entries)) for name in entries}


def _flat(name: str, entries: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    own = dict(entries[name])
    seen = {name}
    while (parent := own.pop("like", None)) is not None:
        if parent not in entries or parent in seen:
            raise CatalogError(
                f"architectures.toml, {name}: like {parent!r}, which is not there or goes in a circle"
            )
        seen.add(parent)
        own = {**entries[parent], **own}
    return own


def _architecture(name: str, entry: Mapping[str, Any]) -> Architecture:
    traits = {key: value for key, value in entry.items() if key not in _OWN_FIELDS}
    if unknown := sorted(set(traits) - _SHAPE_FIELDS):
        raise CatalogError(f"architectures.toml, {name}: unknown field {unknown[0]}")
    extra = entry.get("extra")
    if extra is not None and extra not in EXTRAS:
        raise CatalogError(f"architectures.toml, {name}: unknown recipe {extra}")
    return Architecture(name, bool(entry.get("tied", False)), entry.get("positions"), extra, traits)


def _none(shape: ModelShape) -> int:
    return 0


def _embedding_norm(shape: ModelShape) -> int:
    return 2 * shape.hidden_size


def _bert(shape: ModelShape) -> int:
    """Pooler, two token types (one in RoBERTa, a difference of one row), norm of the embedding."""
    return shape.hidden_size * (shape.hidden_size + 1) + 2 * shape.hidden_size + 2 * shape.hidden_size


def _deberta(shape: ModelShape) -> int:
    """512 relative positions, norms of the embedding and of the positions."""
    return (512 + 4) * shape.hidden_size


def _t5(shape: ModelShape) -> int:
    """32 buckets of relative position for both stacks, and the second final norm."""
    return 2 * 32 * shape.attention_heads + shape.hidden_size


def _bart(shape: ModelShape) -> int:
    """Position tables and embedding norms of both stacks."""
    return 2 * ((shape.max_context or 1024) + 4) * shape.hidden_size


def _whisper(shape: ModelShape) -> int:
    """Two convolutions over 80 (128 since v3) mel bins, both position tables, the second final norm, biases of
    the cross attention; no key projection has a bias."""
    hidden, bins = shape.hidden_size, 128 if shape.vocab_size > 51865 else 80
    crossed = shape.layers - shape.encoder_layers
    convolutions = 3 * hidden * (bins + hidden) + 2 * hidden
    biases = (3 * crossed - shape.layers) * hidden
    return convolutions + (1500 + 448) * hidden + 2 * hidden + biases


def _head_bias(shape: ModelShape) -> int:
    return shape.vocab_size


def _vit(shape: ModelShape) -> int:
    """Patches of 16 × 16 × 3, the class token and the position table."""
    return (16 * 16 * 3 + 1 + 1 + (shape.max_context or 197)) * shape.hidden_size


def _gpt_oss(shape: ModelShape) -> int:
    """Attention sinks, router biases and expert biases."""
    experts = shape.experts * (2 * shape.moe_ffn_hidden_size + shape.hidden_size)
    return shape.layers * (shape.attention_heads + shape.experts + experts)


def _router_bias(shape: ModelShape) -> int:
    """The correction that balances the experts without a loss."""
    return (shape.layers - shape.dense_layers) * shape.experts


def _shared_gate(shape: ModelShape) -> int:
    return shape.layers * shape.hidden_size


EXTRAS: Mapping[str, Callable[[ModelShape], int]] = {
    "embedding_norm": _embedding_norm,
    "bert": _bert,
    "deberta": _deberta,
    "t5": _t5,
    "bart": _bart,
    "whisper": _whisper,
    "vit": _vit,
    "clip": _none,
    "vision": _none,
    "gpt_oss": _gpt_oss,
    "head_bias": _head_bias,
    "router_bias": _router_bias,
    "shared_gate": _shared_gate,
}


def with_traits(shape: ModelShape, architecture: Architecture) -> ModelShape:
    """The shape with the position table and the extra parameters that its architecture has."""
    if architecture.positions is not None and not shape.learned_positions and shape.max_context:
        shape = replace(shape, learned_positions=shape.max_context + architecture.positions)
    if architecture.extra is None:
        return shape
    return replace(shape, extra_parameters=shape.extra_parameters + EXTRAS[architecture.extra](shape))
