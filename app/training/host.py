"""What a run asks of the host: memory as part of the verdict, the rest as warnings (throughput_model.md §8)."""

from __future__ import annotations

from app.domain.hardware import Host, Node
from app.domain.model import ModelShape
from app.domain.run import Method
from app.domain.sentence import N_, Sentence
from app.domain.units import gib_from_bytes
from app.training.assumptions_fit import (
    DISK_CHECKPOINTS,
    LOAD_BYTES_PER_PARAMETER,
    VCPUS_PER_ACCELERATOR,
)
from app.training.layout import Layout
from app.training.parameters import count
from app.training.recipe import Recipe


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


def host_warnings(node: Node, host: Host, state_gb: float, dataset_gb: float) -> tuple[Sentence, ...]:
    """What may hold the job up though it runs: few CPU cores, little memory, little disk. Unknown warns of nothing."""
    cards = max(int(node.count), 1)
    memory = cards * node.accelerator.usable_gib
    disk = DISK_CHECKPOINTS.value * state_gb + dataset_gb
    found: list[Sentence] = []
    wanted = VCPUS_PER_ACCELERATOR.value * cards
    if host.vcpus is not None and host.vcpus < wanted:
        text = N_("{have} vCPUs for {cards} accelerators: a data loader wants {wanted}")
        found.append(Sentence(text, {"have": f"{host.vcpus:g}", "cards": cards, "wanted": f"{wanted:g}"}))
    if host.ram_gib is not None and host.ram_gib < memory:
        text = N_(
            "{have} GiB of host memory beside {memory} GiB on the accelerators: loading and saving want as much"
        )
        found.append(Sentence(text, {"have": f"{host.ram_gib:.0f}", "memory": f"{memory:.0f}"}))
    if host.local_disk_gb is not None and host.local_disk_gb < disk:
        text = N_("{have} GB of local disk: {copies} checkpoints and the data set take {disk} GB")
        values = {
            "have": f"{host.local_disk_gb:.0f}",
            "copies": f"{DISK_CHECKPOINTS.value:g}",
            "disk": f"{disk:.0f}",
        }
        found.append(Sentence(text, values))
    return tuple(found)
