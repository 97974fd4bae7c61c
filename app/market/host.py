"""Host checks of a run: what may hold it up though it fits, as words for every row and as sentences on one."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from app.market.board import Board
from app.market.question import Question
from app.market.shapes import HardwareIndex, HardwareShape
from app.training.host import Hosts, disk_need_gb, host_troubles, loader_gbytes_per_s, vcpus_wanted
from app.training.work import checkpoint_gb

ALL_WELL = "ok"
FloatArray = npt.NDArray[np.float64]
RowArray = npt.NDArray[np.int64]
WordArray = npt.NDArray[np.object_]


def hosts_at(
    board: Board,
    question: Question,
    hardware: HardwareIndex,
    rows: RowArray,
    taken: tuple[FloatArray, FloatArray],
) -> Hosts:
    """The hosts of the offers at `rows` and what the run asks of them; `taken` = nodes and hours at these rows."""
    nodes, hours = taken
    run, numbers = question.run, board.numbers
    cards = np.maximum(numbers["accelerator_count"][rows], 1.0)
    usable = np.asarray([_usable(shape) for shape in hardware.shapes])[hardware.of_row[rows]]
    state = checkpoint_gb(float(question.recipe.trainable_parameters(question.shape)))
    return Hosts(
        cards=cards,
        memory_gib=cards * usable,
        vcpus=numbers["vcpus"][rows],
        ram_gib=numbers["ram_gib"][rows],
        local_disk_gb=numbers["local_disk_gb"][rows],
        disk_gb=np.full(len(rows), disk_need_gb(state, run.dataset_gb)),
        loader_gbytes_per_s=loader_gbytes_per_s(run.dataset_gb, run.epochs, hours, nodes),
        vcpus_wanted=vcpus_wanted(question.shape, cards),
    )


def host_words(hosts: Hosts) -> WordArray:
    """Codes of what may hold the job up, joined by `+`, (n,); `ok` where nothing would, None where vCPUs or memory are
    not known and nothing else is wrong."""
    troubles = host_troubles(hosts)
    known = np.isfinite(hosts.vcpus) & np.isfinite(hosts.ram_gib)
    words: WordArray = np.full(len(known), None, dtype=np.object_)
    words[known] = ALL_WELL
    kinds = np.zeros(len(known), np.intp)
    for bit, found in enumerate(troubles.values()):
        kinds |= found.astype(np.intp) << bit
    for kind in np.unique(kinds[kinds > 0]):
        words[kinds == kind] = "+".join(code for bit, code in enumerate(troubles) if kind >> bit & 1)
    return words


def _usable(shape: HardwareShape) -> float:
    return shape.cluster.node.accelerator.usable_gib if shape.cluster is not None else float("nan")
