"""From a model and a recipe to what is computed and moved for each token."""

from __future__ import annotations

from app.domain.accelerator import Accelerator
from app.domain.model import ModelShape
from app.training.assumptions_time import SOFTWARE
from app.training.compute import Workload
from app.training.machine import PRECISIONS, peaks_of
from app.training.parameters import count
from app.training.recipe import Recipe

_PRECISION = {"bf16-mixed": "bf16", "bf16": "bf16", "fp16-mixed": "fp16", "fp32": "fp32", "fp8-mixed": "fp8"}
QUANTISED_BYTES = 0.55


def workload_of(shape: ModelShape, recipe: Recipe) -> Workload:
    """What `recipe` does with `shape`, per token; counts in parameters, widths in elements.

    All active parameters count, the input embedding too: the published rates that the constants were fitted to are
    given for models by that number.
    """
    sizes = count(shape)
    frozen = recipe.method in ("lora", "qlora")
    heads = shape.attention_heads * (shape.v_head_dim or shape.head_dim)
    return Workload(
        linear=float(sizes.active),
        stored=float(sizes.total),
        trained=float(recipe.trainable_parameters(shape)),
        layers=float(max(shape.layers, 1)),
        hidden=float(max(shape.hidden_size, 1)),
        attention_width=float(heads or shape.hidden_size),
        kv_width=float((shape.kv_heads * shape.head_dim) or shape.hidden_size),
        heads=float(shape.attention_heads or 1),
        sequence=float(recipe.sequence_length),
        precision=PRECISIONS.index(_PRECISION[recipe.precision]),
        software=SOFTWARE.index(recipe.software_class),
        backward=1.0 if frozen else 2.0,
        span=1.0 if shape.modality in ("encoder", "vision", "diffusion") else 0.5,
        quantised=1.0 if recipe.method == "qlora" else 0.0,
        frozen=1.0 if frozen else 0.0,
        flash=0.0 if recipe.attention == "eager" else 1.0,
        experts_per_token=float(shape.experts_per_token + shape.shared_experts if shape.experts else 0),
        weight_bytes=QUANTISED_BYTES
        if recipe.method == "qlora"
        else 4.0
        if recipe.precision == "fp32"
        else 2.0,
    )


def has_known_rate(accelerator: Accelerator, precision: str) -> bool:
    """Whether a peak rate is published for the products of a run's `precision`; without one its speed is unknown."""
    return peaks_of(accelerator)[PRECISIONS.index(_PRECISION[precision])] > 0
