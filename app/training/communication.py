"""Time that accelerators wait for each other: tensor, data, pipeline, context and expert parallel traffic.

Collectives are rings over three levels: the link domain, the rest of the node, the fabric; a level's time counts
where the group spans it, and the slowest level sets the pace.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from app.training.assumptions_time import SOFTWARE, Constants
from app.training.compute import ComputeTime, Number, Workload, held_share, recompute_share
from app.training.layout import SHARDINGS, Layouts
from app.training.machine import Machines

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
LEGACY = SOFTWARE.index("legacy")
GRADIENTS = SHARDINGS.index("gradients")


@dataclass(frozen=True, slots=True)
class CommunicationTime:
    """Seconds per step, shape (n,). `tensor`, `data`, `context`, `expert`, `stages`, `offload` are raw; `exposed_*`
    is what compute does not hide. `fabric` tells where the fabric, not a link inside the node, sets the pace."""

    tensor: FloatArray
    data: FloatArray
    context: FloatArray
    expert: FloatArray
    stages: FloatArray
    offload: FloatArray
    exposed_tensor: FloatArray
    exposed_data: FloatArray
    exposed_other: FloatArray
    bubble: FloatArray
    sync: FloatArray
    fabric: npt.NDArray[np.bool_]


def communication_time(
    work: Workload, layouts: Layouts, machines: Machines, compute: ComputeTime, constants: Constants
) -> CommunicationTime:
    """Raw and exposed communication, pipeline bubble and synchronisation, in seconds per step."""
    tensor = _tensor(work, layouts, machines, constants)
    context = _context(work, layouts, machines)
    expert = _expert(work, layouts, machines)
    data, over_fabric = _data(work, layouts, machines, constants)
    transfer, leaves_node = _stages(work, layouts, machines)
    offload = _offload(work, layouts, machines)
    exposed_tensor = _exposed_tensor(work, tensor, compute, constants)
    exposed_other = np.maximum(0.0, context - compute.attention) + constants["expert.exposed"] * expert
    inner = compute.busy + exposed_tensor + exposed_other
    window = constants["data.window"] * inner
    steps = layouts.gradient_accumulation
    empty = (layouts.pipeline_parallel - 1) / (steps * layouts.virtual_stages)
    per_pass = np.where(layouts.sharding < GRADIENTS, steps, 1)
    return CommunicationTime(
        tensor=tensor,
        data=data,
        context=context,
        expert=expert,
        stages=transfer,
        offload=offload,
        exposed_tensor=exposed_tensor,
        exposed_data=_beyond(data, window / per_pass, constants),
        exposed_other=exposed_other + _beyond(transfer, window, constants),
        bubble=inner * empty,
        sync=_sync(work, layouts, machines, constants),
        fabric=over_fabric
        | (layouts.tensor_parallel > machines.node_size)
        | (leaves_node & (transfer > data)),
    )


def ring(
    volume: Number, ranks: IntArray, stride: IntArray, machines: Machines
) -> tuple[FloatArray, FloatArray]:
    """Seconds of a ring that moves `volume` bytes per rank over `ranks` ranks, `stride` accelerators apart:
    inside the node, and over the fabric (0 where the group stays inside)."""
    reach = ranks * stride
    domain = np.maximum(machines.domain, 1)
    in_domain = np.clip(domain // stride, 1, ranks)
    node = np.maximum(domain, machines.node_size)
    in_node = np.clip(node // stride, 1, ranks)
    inside = volume * (in_domain - 1) / in_domain / machines.link
    wider = in_node > in_domain
    inside = np.where(
        wider, np.maximum(inside, volume * (in_node - 1) / in_node / machines.node_link), inside
    )
    across = -(-ranks // in_node)
    fabric = np.where(across > 1, volume * (across - 1) / across / (in_node * machines.fabric), 0.0)
    return np.asarray(np.where(reach > stride, inside, 0.0)), np.asarray(fabric)


def _exposed_tensor(
    work: Workload, raw: FloatArray, compute: ComputeTime, constants: Constants
) -> FloatArray:
    """A share always waits; the rest only beyond what compute can hide."""
    megatron = np.asarray(work.software) == 0
    share = np.where(megatron, constants["tensor.exposed.megatron"], constants["tensor.exposed.other"])
    unhidden = np.maximum(0.0, raw - constants["tensor.window"] * compute.busy)
    return np.asarray(share * raw + (1.0 - share) * unhidden)


def _beyond(raw: FloatArray, window: FloatArray, constants: Constants) -> FloatArray:
    """What does not fit the window of compute, and the leak of what does."""
    return np.asarray(np.maximum(0.0, raw - window) + constants["data.leak"] * np.minimum(raw, window))


def _sync(work: Workload, layouts: Layouts, machines: Machines, constants: Constants) -> FloatArray:
    domains = np.ceil(layouts.world_size / np.maximum(machines.domain, machines.node_size))
    each = np.where(np.asarray(work.software) == 0, constants["sync.megatron"], constants["sync.other"])
    return np.asarray(each * (domains - 1.0))


def _tensor(work: Workload, layouts: Layouts, machines: Machines, constants: Constants) -> FloatArray:
    degree = layouts.tensor_parallel
    again = recompute_share(layouts, constants)
    rows = layouts.micro_batch_size * work.sequence / layouts.context_parallel
    volume = (4.0 + 2.0 * again) * work.layers / layouts.pipeline_parallel * rows * work.hidden * 2.0
    volume = volume * 2.0 * layouts.gradient_accumulation
    inside, fabric = ring(volume, degree, np.ones_like(degree), machines)
    return np.asarray(inside + fabric)


def _data(
    work: Workload, layouts: Layouts, machines: Machines, constants: Constants
) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
    """Weights and gradients over the data-parallel ranks (context ranks hold the same weights and join them).

    Once per step where gradients stay whole; every micro-step where they are sharded, and twice the weights
    (forward and backward) where those are sharded too.
    """
    ranks = layouts.data_parallel * layouts.context_parallel
    stride = layouts.tensor_parallel
    local = held_share(work, layouts)
    share, trained = work.stored * local, work.trained * local
    passes = layouts.gradient_accumulation
    full = (layouts.sharding == 3) | (layouts.sharding == 4)
    every_pass = np.where(layouts.sharding >= GRADIENTS, passes, 1)
    weights = np.where(full, 2.0 * work.weight_bytes * share, work.weight_bytes * trained) * every_pass
    gradients = work.gradient_bytes * trained * every_pass
    hybrid = layouts.sharding == 4
    group = np.where(hybrid, np.minimum(layouts.shard_group, ranks), ranks)
    inside, fabric = ring(weights + gradients, group, stride, machines)
    replicas = ranks // np.maximum(group, 1)
    once = 2.0 * work.gradient_bytes * trained / np.maximum(group, 1)
    more_inside, more_fabric = ring(once, np.where(hybrid, replicas, 1), stride * group, machines)
    old = full & (np.asarray(work.software) == LEGACY)
    slow = np.where(old, constants["fabric_share.zero3_2021"] / constants["fabric_share.rdma"], 1.0)
    inside, fabric = inside + more_inside, (fabric + more_fabric) / slow
    return np.maximum(inside, fabric), fabric > inside


def _stages(work: Workload, layouts: Layouts, machines: Machines) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
    """Activations of every micro-batch to the next stage and their gradients back; over the fabric where a stage
    ends with its node (the accelerators of that stage share the node's network)."""
    rows = layouts.micro_batch_size * work.sequence / (layouts.context_parallel * layouts.tensor_parallel)
    volume = 2.0 * 2.0 * rows * work.hidden * layouts.gradient_accumulation * layouts.virtual_stages
    sending = np.minimum(layouts.world_size // layouts.pipeline_parallel, machines.node_size)
    leaves_node = layouts.world_size > np.maximum(machines.node_size, machines.domain)
    inside = np.where(machines.domain >= machines.node_size, machines.link, machines.node_link)
    rate = np.where(leaves_node, machines.fabric * machines.node_size / sending, inside)
    piped = layouts.pipeline_parallel > 1
    return np.asarray(np.where(piped, volume / rate, 0.0)), leaves_node & piped


def _context(work: Workload, layouts: Layouts, machines: Machines) -> FloatArray:
    """Keys and values travel round the context ranks: forward once, backward twice."""
    degree = layouts.context_parallel
    rows = layouts.micro_batch_size * work.sequence
    volume = 3.0 * 2.0 * 2.0 * work.kv_width / layouts.tensor_parallel * rows
    volume = volume * work.layers / layouts.pipeline_parallel * layouts.gradient_accumulation
    inside, fabric = ring(volume, degree, layouts.tensor_parallel, machines)
    return np.asarray(np.maximum(inside, fabric))


def _expert(work: Workload, layouts: Layouts, machines: Machines) -> FloatArray:
    """Tokens travel to their experts and back, forward and backward."""
    degree = layouts.expert_parallel
    rows = layouts.micro_batch_size * work.sequence / (layouts.context_parallel * layouts.tensor_parallel)
    volume = 4.0 * 2.0 * work.experts_per_token * work.hidden * rows
    volume = volume * work.layers / layouts.pipeline_parallel * layouts.gradient_accumulation
    node = np.maximum(machines.domain, machines.node_size)
    outside = np.maximum(0.0, 1.0 - node / np.maximum(degree, 1))
    return np.asarray(
        np.where(
            degree > 1,
            volume * np.maximum((degree - 1) / degree / machines.link, outside / machines.fabric),
            0.0,
        )
    )


def _offload(work: Workload, layouts: Layouts, machines: Machines) -> FloatArray:
    """States in host memory: weights to the accelerator twice, gradients back, every pass, over the host link."""
    ranks = np.where(layouts.sharding >= 3, layouts.data_parallel * layouts.context_parallel, 1)
    local = (2.0 * work.weight_bytes * work.stored + work.gradient_bytes * work.trained) / ranks
    local = local * held_share(work, layouts)
    return np.asarray(layouts.cpu_offload * local * layouts.gradient_accumulation / machines.host)
