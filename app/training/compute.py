"""Time that accelerators spend on their own: matrix products, attention, memory traffic, kernel launches.

Formulas follow the roofline with soft maximum described on the methods page; FLOPs of attention after PaLM,
appendix B (arXiv 2204.02311), halved where attention is causal.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from app.training.assumptions_time import FAMILIES, SOFTWARE, Constants
from app.training.layout import Layouts
from app.training.machine import PRECISIONS, Machines

FloatArray = npt.NDArray[np.float64]
Number = float | FloatArray
Index = int | npt.NDArray[np.int64]

_HOPPER = np.asarray([family.startswith("hopper") for family in FAMILIES])
EAGER = SOFTWARE.index("eager")
ALIGNED_WIDTH = 64  # elements: 128 bytes of 16-bit numbers, the tile of tensor cores since Ampere
_FULL = PRECISIONS.index("fp32")
_ELEMENT_BYTES = np.asarray([4.0 if name == "fp32" else 2.0 for name in PRECISIONS])
_FP8 = [name in ("fp8", "mxfp8", "fp8+fp4") for name in PRECISIONS]


@dataclass(frozen=True, slots=True)
class Workload:
    """What is computed for each token. Fields are single figures, or arrays of shape (n,) aligned with the layouts.

    `linear` = parameters that take part in a matrix product for each token (active experts only, no input
    embedding); `stored` = parameters that are held and sharded; `trained` = those with gradients. `backward` is
    2 for full training and 1 for a frozen base. `span` is 0.5 for causal attention, 1 for bidirectional.
    `precision` indexes PRECISIONS, `software` SOFTWARE. `weight_bytes`, `gradient_bytes`: as communicated.
    """

    linear: Number
    stored: Number
    trained: Number
    layers: Number
    hidden: Number
    attention_width: Number
    kv_width: Number
    sequence: Number
    heads: Number
    precision: Index
    software: Index
    backward: Number = 2.0
    span: Number = 0.5
    quantised: Number = 0.0
    frozen: Number = 0.0
    flash: Number = 1.0
    experts_per_token: Number = 0.0
    weight_bytes: Number = 2.0
    gradient_bytes: Number = 2.2


@dataclass(frozen=True, slots=True)
class ComputeTime:
    """Seconds per optimizer step and accelerator, shape (n,); `busy` is the soft maximum of work and
    launches, `fixed` what a step costs in calls whatever its size."""

    linear: FloatArray
    attention: FloatArray
    traffic: FloatArray
    dequantise: FloatArray
    launch: FloatArray
    optimizer: FloatArray
    fixed: FloatArray
    busy: FloatArray
    tokens: FloatArray


def model_flops_per_token(work: Workload) -> Number:
    """FLOPs that count for MFU: 6 N + 12 L a s, attention not halved (PaLM convention); 4 N for a frozen base."""
    return (
        2.0 + 2.0 * work.backward
    ) * work.linear + 12.0 * work.layers * work.attention_width * work.sequence


def recompute_share(layouts: Layouts, constants: Constants) -> FloatArray:
    """Forward passes repeated in the backward pass: 0 none, 1 full."""
    return np.asarray([0.0, constants["selective_recompute"], 1.0])[layouts.checkpointing]


def held_share(work: Workload, layouts: Layouts) -> FloatArray:
    """Share of all weights that one model-parallel rank holds: experts are further split over expert ranks."""
    active = np.minimum(np.asarray(work.linear) / work.stored, 1.0)
    routed = np.where(np.asarray(work.experts_per_token) > 0, 1.0 - active, 0.0)
    split = layouts.tensor_parallel * layouts.pipeline_parallel
    return np.asarray((1.0 - routed + routed / layouts.expert_parallel) / split)


def compute_time(work: Workload, layouts: Layouts, machines: Machines, constants: Constants) -> ComputeTime:
    """The parts of a step that need no other accelerator, in seconds."""
    split = layouts.tensor_parallel * layouts.pipeline_parallel * layouts.context_parallel
    passes = layouts.gradient_accumulation * 1.0
    tokens = layouts.micro_batch_size * passes * work.sequence / split
    again = recompute_share(layouts, constants)
    linear = (2.0 + 2.0 * work.backward + 2.0 * again) * work.linear * tokens
    linear = linear / linear_rate(work, layouts, machines, constants)
    attention = _attention(work, tokens, again, machines, constants)
    traffic = (
        _ELEMENT_BYTES[work.precision] * constants["traffic.passes"] * work.layers * work.hidden * tokens
    )
    traffic = traffic * (1.0 + constants["traffic.recompute"] * (layouts.checkpointing == 2)) / machines.hbm
    # Software before 2023 fused as little between its matrix products as eager software does today.
    traffic = traffic * np.where(np.asarray(work.software) >= EAGER, constants["traffic.eager"], 1.0)
    dequantise = work.quantised * constants["traffic.dequantise"] * work.stored * passes / machines.hbm
    launch = constants.launch[work.software] * work.layers / layouts.pipeline_parallel * passes
    launch = launch * (1.0 + again / 3.0) * (1.0 + (constants["launch.quantised"] - 1.0) * work.quantised)
    eager = np.asarray(work.software) == EAGER
    launch = launch * np.where(eager & (np.asarray(work.frozen) == 0), constants["launch.trained"], 1.0)
    power = constants["launch.power"]
    busy = ((linear + attention + traffic + dequantise) ** power + launch**power) ** (1.0 / power)
    return ComputeTime(
        linear=np.asarray(linear),
        attention=np.asarray(attention),
        traffic=np.asarray(traffic),
        dequantise=np.asarray(dequantise),
        launch=np.asarray(launch),
        optimizer=_optimizer(work, layouts, machines, constants),
        fixed=_fixed(work, layouts, constants),
        busy=np.asarray(busy),
        tokens=np.asarray(tokens),
    )


def linear_rate(work: Workload, layouts: Layouts, machines: Machines, constants: Constants) -> FloatArray:
    """FLOP/s that matrix products reach: peak × family × precision × shape, shape (n,); the matrix units do not know
    whose software feeds them."""
    peak = np.take_along_axis(
        machines.flops, np.broadcast_to(np.asarray(work.precision), (len(machines),))[:, None], axis=1
    )[:, 0]
    low = np.asarray(_FP8)[work.precision]
    special = np.ones(len(PRECISIONS))
    special[PRECISIONS.index("fp4")] = constants["fp4"]
    special[PRECISIONS.index("fp8+fp4")] = constants["fp8+fp4"]
    precision = np.where(low, constants.fp8[machines.family], 1.0) * special[work.precision]
    mixture = np.where(np.asarray(work.experts_per_token) > 0, constants["moe"], 1.0)
    rate = peak * constants.gemm[machines.family] * precision * mixture
    return np.asarray(np.maximum(rate * _shape_share(work, layouts, constants), 1.0))


def _shape_share(work: Workload, layouts: Layouts, constants: Constants) -> FloatArray:
    """Share of that rate that matrices of these shapes reach: narrow, short or unaligned ones reach less. An expert
    is given the active share of the tokens of all its expert ranks, so its products are shorter than a dense layer's.
    """
    width = constants["shape.width"] * layouts.tensor_parallel ** constants["shape.width_power"] / work.hidden
    rows = layouts.micro_batch_size * work.sequence / layouts.context_parallel
    routed = layouts.expert_parallel * np.asarray(work.linear) / work.stored
    rows = rows * np.where(np.asarray(work.experts_per_token) > 0, routed, 1.0)
    odd = np.asarray(work.hidden) / layouts.tensor_parallel % ALIGNED_WIDTH != 0
    aligned = np.where(odd, constants["shape.unaligned"], 1.0)
    return np.asarray(aligned / ((1.0 + width) * (1.0 + constants["shape.tokens"] / rows)))


def _attention(
    work: Workload, tokens: Number, again: FloatArray, machines: Machines, constants: Constants
) -> FloatArray:
    """Seconds of attention. Fused kernels take 16-bit tensors only (flash-attention README); in fp32 the products of
    attention run at the same TF32 or FP32 peak as all others."""
    flops = (12.0 + 4.0 * again) * work.layers * work.attention_width * work.sequence * tokens
    peak = np.where(np.asarray(work.precision) == _FULL, machines.flops[:, _FULL], machines.flops[:, 0])
    peak = np.maximum(peak, 1.0)
    older = _HOPPER[machines.family] & (np.asarray(work.software) != 0)
    share = np.where(older, constants["attention.hopper-flash2"], constants.attention[machines.family])
    fused = work.span * flops / (peak * share)
    unfused = flops / (peak * constants.gemm[machines.family])
    unfused = unfused + _score_bytes(work, constants) * (1.0 + again / 3.0) * tokens / machines.hbm
    return np.asarray(np.where(np.asarray(work.flash) > 0, fused, unfused))


def _score_bytes(work: Workload, constants: Constants) -> Number:
    """Bytes that unfused attention reads and writes for each token: every score of every head passes through memory
    for mask, softmax, dropout and both products, forward and backward; no causal half is skipped."""
    each = constants["attention.scores"] * _ELEMENT_BYTES[work.precision] / 2.0
    return each * work.layers * work.heads * work.sequence


def _optimizer(work: Workload, layouts: Layouts, machines: Machines, constants: Constants) -> FloatArray:
    group = np.where(
        layouts.sharding == 4, layouts.shard_group, layouts.data_parallel * layouts.context_parallel
    )
    local = work.trained * held_share(work, layouts) / np.where(layouts.sharding > 0, group, 1)
    return np.asarray(constants["traffic.optimizer"] * local / machines.hbm)


def _fixed(work: Workload, layouts: Layouts, constants: Constants) -> FloatArray:
    each = np.where(np.asarray(work.software) != EAGER, constants["step.fused"], constants["step.eager"])
    return np.asarray(each * work.layers / layouts.pipeline_parallel)
