"""Shapes of measured rows: from the catalog where the key is known and agrees, else from the row's columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from app.catalog.models import called
from app.domain.errors import BadInput
from app.domain.model import Modality, ModelShape
from app.market.accuracy.cells import Row, figure, squeezed, word
from app.market.accuracy.memory_words import says_yes

ENCODERS = ("bert", "roberta", "deberta", "electra")
VISION = ("vit", "dino", "clip", "swin")
CNN = ("resnet", "r-cnn", "rcnn", "retinanet", "mask", "convnext", "efficientnet", "yolo", "fcos")
TRAITS = (
    "family", "modality", "norm", "norm_vectors", "norms_per_layer", "qk_norm", "qk_norm_wide", "attention_bias",
    "output_bias", "mlp_bias", "soft_capping",
)  # fmt: skip
DIFFUSION = ("diffusion", "flux", "sd-", "sdxl", "unet", "dit")


def shape_of(row: Row, models: Mapping[str, ModelShape]) -> ModelShape:
    """The model of a row.

    Raises:
        BadInput: neither a known key nor a shape nor a parameter count.
    """
    known = _known(row, models)
    layers, hidden = figure(row, "layers"), figure(row, "hidden")
    if known is not None and (layers is None or not known.layers or layers == known.layers):
        return known
    total = _total(row)
    if not layers or not hidden:
        if total is None:
            raise BadInput("model", "neither a shape nor a parameter count is given")
        return _bare(row, total)
    shape = _explicit(row, total)
    relative = _relative(shape, models)
    return shape if relative is None else _like(shape, relative)


def _total(row: Row) -> int | None:
    """Parameters, from billions or (oracle rows) from their count."""
    billions, counted = figure(row, "params_b"), figure(row, "params")
    return round(billions * 1e9) if billions else round(counted) if counted else None


def _known(row: Row, models: Mapping[str, ModelShape]) -> ModelShape | None:
    """By key, or spelled in some other way ("meta-llama/Llama-3.1-8B")."""
    names = [name for column in ("model_key", "model") if (name := (row.get(column) or "").strip())]
    exact = next((models[name] for name in names if name in models), None)
    return exact or next((found for name in names if (found := called(models, name))), None)


def _relative(shape: ModelShape, models: Mapping[str, ModelShape]) -> ModelShape | None:
    """A model of the family that the shape's name names, with the same kind of feed-forward part; the longest name of
    a family counts."""
    given = squeezed(shape.name)
    kin = [one for one in models.values() if one.layers and squeezed(one.family) in given]
    return max(kin, key=lambda one: (len(one.family), one.gated_mlp == shape.gated_mlp), default=None)


def _like(shape: ModelShape, relative: ModelShape) -> ModelShape:
    """The shape with what its columns do not say, as in a model of its family."""
    traits = {name: getattr(relative, name) for name in TRAITS}
    encoder = round(shape.layers * relative.encoder_layers / relative.layers)
    return replace(shape, encoder_layers=encoder, **traits)


def modality_of(name: str) -> Modality:
    """What kind of model a name says; decoder where it says nothing."""
    name = name.lower()
    if any(part in name for part in CNN):
        return "cnn"
    if any(part in name for part in DIFFUSION):
        return "diffusion"
    if any(part in name for part in VISION):
        return "vision"
    return "encoder" if any(part in name for part in ENCODERS) else "decoder"


def _bare(row: Row, total: int) -> ModelShape:
    name = row.get("model") or ""
    kind = modality_of(f"{name} {word(row, 'model_key')}")
    return ModelShape(
        key=row.get("model_key") or "",
        name=name,
        modality=kind if kind in ("cnn", "diffusion") else "parameters-only",
        stated_parameters=total,
    )


def _explicit(row: Row, total: int | None) -> ModelShape:
    def whole(column: str) -> int:
        return int(figure(row, column) or 0)

    gated = word(row, "gated") not in ("0", "no", "false")
    name = row.get("model") or ""
    shape = ModelShape(
        key=row.get("model_key") or "",
        name=name,
        modality=modality_of(f"{name} {word(row, 'model_key')}"),
        layers=whole("layers"),
        hidden_size=whole("hidden"),
        attention_heads=whole("heads"),
        kv_heads=whole("kv_heads") or whole("heads"),
        head_dim=whole("head_dim"),
        ffn_hidden_size=whole("ffn"),
        vocab_size=whole("vocab"),
        tied_embeddings=says_yes(row, "tied"),
        gated_mlp=gated,
        norm="rms" if gated else "layer",
        attention_bias=not gated,
        output_bias=not gated,
        mlp_bias=not gated,
        experts=whole("experts"),
        stated_parameters=total,
    )
    return _experts(row, shape) if shape.experts else shape


def _experts(row: Row, shape: ModelShape) -> ModelShape:
    """Width and number per token of the experts, from the total and active parameters."""
    total, active = figure(row, "params_b"), figure(row, "active_params_b")
    if total is None or active is None:
        return replace(
            shape, experts_per_token=min(2, shape.experts), moe_ffn_hidden_size=shape.ffn_hidden_size
        )
    outer = shape.vocab_size * shape.hidden_size * (1 if shape.tied_embeddings else 2)
    attention = 2 * shape.hidden_size * shape.head_dim * (shape.attention_heads + shape.kv_heads)
    routed = max(0.0, total * 1e9 - outer - attention * shape.layers)
    width = routed / (shape.layers * shape.experts * shape.hidden_size * (3 if shape.gated_mlp else 2))
    met = max(0.0, active * 1e9 - outer - attention * shape.layers) / max(1.0, routed)
    per_token = min(shape.experts, max(1, round(met * shape.experts)))
    return replace(shape, moe_ffn_hidden_size=max(1, round(width)), experts_per_token=per_token)
