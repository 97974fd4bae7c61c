"""What a run asks of the host: memory as part of the verdict, the rest as warnings (docs/throughput_model.md §8)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from app.domain.figures import plain
from app.domain.model import ModelShape
from app.domain.run import Method
from app.domain.sentence import N_, Sentence
from app.domain.units import SECONDS_PER_HOUR, gib_from_bytes
from app.training.assumptions_cost import cost_assumption
from app.training.assumptions_fit import (
    DISK_CHECKPOINTS,
    IMAGE_VCPUS_PER_ACCELERATOR,
    LOAD_BYTES_PER_PARAMETER,
    VCPUS_PER_ACCELERATOR,
)
from app.training.layout import Layout
from app.training.parameters import count
from app.training.recipe import Recipe

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]


def host_need_gib(shape: ModelShape, recipe: Recipe, layout: Layout, nodes: int, method: Method) -> float:
    """GiB of host memory that one node needs for certain: states that are offloaded, and the checkpoint that one
    rank of a sharded fine-tune holds while it is broadcast. Never both at once, so the larger counts."""
    offloaded = _offloaded_bytes(shape, recipe) * _copies(layout) / nodes if layout.cpu_offload else 0.0
    sharded = layout.sharding in ("full", "hybrid") and layout.world_size > 1
    load = LOAD_BYTES_PER_PARAMETER.value * count(shape).total if sharded and method != "pretrain" else 0.0
    return gib_from_bytes(max(offloaded, load))


def _offloaded_bytes(shape: ModelShape, recipe: Recipe) -> float:
    """One whole copy of what the recipe keeps on the host: optimizer states, and with `all` weights and gradients."""
    trained = recipe.trainable_parameters(shape)
    states = trained * (recipe.master_bytes + recipe.state_bytes)
    if recipe.offloads != "all":
        return states
    weight = recipe.weight_bytes if recipe.quantised_bytes is None else recipe.quantised_bytes
    return states + count(shape).total * weight + trained * recipe.gradient_bytes


def _copies(layout: Layout) -> float:
    """Whole copies of the states over all nodes."""
    ranks = layout.data_parallel * layout.context_parallel
    if layout.sharding == "none":
        return ranks
    return ranks / layout.shard_group if layout.sharding == "hybrid" else 1.0


@dataclass(frozen=True, slots=True)
class Hosts:
    """Hosts of n nodes beside what a run asks of each, arrays (n,), NaN = unknown. `cards` accelerators of `memory_gib`
    together; `disk_gb` = checkpoints kept and the data set; `loader_gbytes_per_s` = read of the data set while it
    trains; `vcpus_wanted` by its loader."""

    cards: FloatArray
    memory_gib: FloatArray
    vcpus: FloatArray
    ram_gib: FloatArray
    local_disk_gb: FloatArray
    disk_gb: FloatArray
    loader_gbytes_per_s: FloatArray
    vcpus_wanted: FloatArray


IMAGE_MODALITIES = ("vision", "cnn", "diffusion")
HOST_TROUBLES: dict[str, str] = {
    "few_vcpus": N_("few vCPUs"),
    "little_ram": N_("little host memory"),
    "small_disk": N_("small local disk"),
    "slow_storage": N_("storage may be too slow"),
}
"""What may hold a job up though it runs, in the order in which it is told."""
WHY: dict[str, str] = {
    "few_vcpus": N_("{vcpus} vCPUs for {cards} accelerators: a data loader wants {wanted}"),
    "little_ram": N_(
        "{ram} GiB of host memory beside {memory} GiB on the accelerators: loading and saving want as much"
    ),
    "small_disk": N_("{disk} GB of local disk: {copies} checkpoints and the data set take {needed} GB"),
    "slow_storage": N_(
        "the data set has to be read at {loader} GB/s per node; network storage is taken to give {storage} ({low} to {high}), so keep it on local disk"
    ),
}


def disk_need_gb(state_gb: float, dataset_gb: float) -> float:
    """Checkpoints kept and the data set, GB; `state_gb` = one full checkpoint."""
    return DISK_CHECKPOINTS.value * state_gb + dataset_gb


def loader_gbytes_per_s(dataset_gb: float, epochs: float, hours: FloatArray, nodes: FloatArray) -> FloatArray:
    """What one node reads of the data set, GB/s: each pass reads all of it, shared between the nodes."""
    return np.asarray(dataset_gb * max(epochs, 1.0) / (hours * SECONDS_PER_HOUR * nodes))


def vcpus_wanted(shape: ModelShape, cards: FloatArray) -> FloatArray:
    """vCPUs that the loader of a node of `cards` accelerators wants: images are decoded and augmented on the way, ready
    tokens only read (docs/throughput_model.md §8)."""
    images = shape.modality in IMAGE_MODALITIES
    return np.asarray((IMAGE_VCPUS_PER_ACCELERATOR if images else VCPUS_PER_ACCELERATOR).value * cards)


def host_troubles(hosts: Hosts) -> dict[str, BoolArray]:
    """Code of HOST_TROUBLES → which hosts have it, (n,): few CPU cores, little memory, little disk, slow storage
    (docs/throughput_model.md §8). Unknown has none."""
    return {
        "few_vcpus": hosts.vcpus < hosts.vcpus_wanted,
        "little_ram": hosts.ram_gib < hosts.memory_gib,
        "small_disk": hosts.local_disk_gb < hosts.disk_gb,
        "slow_storage": hosts.loader_gbytes_per_s > cost_assumption("start.load_rate").value,
    }


def host_warnings(hosts: Hosts) -> tuple[Sentence, ...]:
    """The troubles of the first host as sentences with the reason."""
    storage = cost_assumption("start.load_rate")
    values: dict[str, object] = {
        "vcpus": plain(float(hosts.vcpus[0])),
        "cards": plain(float(hosts.cards[0])),
        "wanted": plain(float(hosts.vcpus_wanted[0])),
        "ram": f"{hosts.ram_gib[0]:.0f}",
        "memory": f"{hosts.memory_gib[0]:.0f}",
        "disk": f"{hosts.local_disk_gb[0]:.0f}",
        "copies": plain(float(DISK_CHECKPOINTS.value)),
        "needed": f"{hosts.disk_gb[0]:.0f}",
        "loader": plain(float(hosts.loader_gbytes_per_s[0]), 2),
        "storage": plain(float(storage.value)),
        "low": plain(float(storage.low)),
        "high": plain(float(storage.high)),
    }
    return tuple(Sentence(WHY[code], values) for code, found in host_troubles(hosts).items() if found[0])
