"""One's own trial: what bounded it, and how it corrects every other estimate."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from app.domain.errors import BadInput
from app.domain.figures import plain
from app.domain.sentence import N_, Sentence

TrialBound = Literal["compute", "memory", "link", "input", "unclear"]

BUSY_SHARE = 0.75  # below: the accelerator waits for something outside itself
LINK_SHARE = 0.35  # of what the link can carry one way
MEMORY_SHARE = 0.6  # of the time that memory is read or written
POWER_SHARE = 0.7  # of the power limit: arithmetic units are fed
SIMILAR = 0.5  # how much of a correction carries over to another kind of accelerator
WIDEST = (0.2, 5.0)

WHY: dict[TrialBound, str] = {
    "compute": N_(
        "compute-bound: busy {busy} of the time at {power} of its power limit; a faster accelerator helps"
    ),
    "memory": N_(
        "memory-bound: memory is in use {memory} of the time; more bandwidth or a larger micro-batch helps"
    ),
    "link": N_(
        "link-bound: {link} GB/s over the bus while busy {busy} of the time; a faster link or less sharding helps"
    ),
    "input": N_(
        "input-bound: busy only {busy} of the time and the links are quiet; more loader workers or faster storage help"
    ),
    "unclear": N_(
        "unclear: the figures do not single out one bound (busy {busy}); sample for longer, after warm-up"
    ),
}


@dataclass(frozen=True, slots=True)
class Utilisation:
    """Averages over a trial, shares from 0 to 1; None = not measured. `link_gbytes_per_s` = PCIe traffic of one
    accelerator, both directions; `link_limit_gbytes_per_s` what it could carry."""

    busy: float
    memory: float | None = None
    power: float | None = None
    link_gbytes_per_s: float | None = None
    link_limit_gbytes_per_s: float | None = None
    peak_memory_gib: float | None = None
    samples: int = 1


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What bounded a trial, and the sentence that says so."""

    bound: TrialBound
    why: Sentence
    utilisation: Utilisation


@dataclass(frozen=True, slots=True)
class Correction:
    """Measured ÷ predicted of a trial: factors for tokens/s and for peak memory, 1 where not measured.

    `accelerator` is the catalog key that it was measured on.
    """

    accelerator: str
    speed: float = 1.0
    memory: float = 1.0

    def speed_for(self, accelerator: str) -> float:
        """The factor for another accelerator: all of it on the same kind, SIMILAR of it (in logarithm) elsewhere."""
        return self.speed if accelerator == self.accelerator else math.exp(SIMILAR * math.log(self.speed))


def correct(
    accelerator: str,
    measured_tokens_per_s: float | None,
    predicted_tokens_per_s: float | None,
    measured_peak_gib: float | None = None,
    predicted_peak_gib: float | None = None,
) -> Correction:
    """The correction that a trial implies. Peak memory carries over whole: it depends on the run, not the offer.

    Raises:
        BadInput: the trial lies so far from the estimate (beyond WIDEST) that it cannot be the same run.
    """
    speed = _ratio("measured_tokens_per_s", measured_tokens_per_s, predicted_tokens_per_s)
    memory = _ratio("measured_peak_gib", measured_peak_gib, predicted_peak_gib)
    return Correction(accelerator, speed, memory)


def diagnose(used: Utilisation) -> Diagnosis:
    """What bounded the trial, from averages.

    The kernel-busy share says whether the accelerator waited at all; traffic on the bus tells waiting for others
    from waiting for data; power and memory activity tell arithmetic from memory where it did not wait. A busy
    share counts kernels of the communication library too, so heavy traffic at low power is link-bound as well.
    """
    bound = _bound(used)
    values = {
        "busy": f"{used.busy:.0%}",
        "power": "?" if used.power is None else f"{used.power:.0%}",
        "memory": "?" if used.memory is None else f"{used.memory:.0%}",
        "link": "?" if used.link_gbytes_per_s is None else f"{used.link_gbytes_per_s:.1f}",
    }
    return Diagnosis(bound, Sentence(WHY[bound], values), used)


def read_nvidia_smi(text: str) -> Utilisation:
    """Averages from `nvidia-smi --query-gpu=… --format=csv` (with header; units and order as they come).

    Known columns: utilization.gpu, utilization.memory, power.draw, power.limit (or enforced.power.limit),
    memory.used, pcie.link.gen.current (or .gpucurrent), pcie.link.width.current. Samples before the accelerators
    first work are left out. Traffic is not in this query: pass it from `nvidia-smi dmon -s t` by hand.

    Raises:
        BadInput: no header, no `utilization.gpu`, or no sample.
    """
    rows = [[cell.strip() for cell in row] for row in csv.reader(io.StringIO(text.strip())) if any(row)]
    if not rows:
        raise BadInput("utilisation", "paste the output of nvidia-smi --query-gpu=… --format=csv")
    names = [_name(cell) for cell in rows[0]]
    if "utilization.gpu" not in names:
        raise BadInput("utilisation", "the first line must name the columns, utilization.gpu among them")
    columns = {name: _numbers(rows[1:], i) for i, name in enumerate(names)}
    busy = columns["utilization.gpu"]
    started = _since_start(busy)
    if not started.any():
        raise BadInput("utilisation", "there is no sample in which an accelerator worked")
    return _averages(columns, started)


def _ratio(field: str, measured: float | None, predicted: float | None) -> float:
    if measured is None or not predicted:
        return 1.0
    ratio = measured / predicted
    if not WIDEST[0] <= ratio <= WIDEST[1]:
        said = {"measured": plain(measured), "ratio": plain(ratio, 2), "estimate": plain(predicted, 4)}
        text = N_("{measured} is {ratio} times the estimate of {estimate}; was it the same run and machine?")
        raise BadInput(field, Sentence(text, said))
    return ratio


def _bound(used: Utilisation) -> TrialBound:
    traffic = 0.0
    if used.link_gbytes_per_s is not None and used.link_limit_gbytes_per_s:
        traffic = used.link_gbytes_per_s / used.link_limit_gbytes_per_s
    starved = used.power is not None and used.power < POWER_SHARE
    if traffic >= LINK_SHARE and (used.busy < BUSY_SHARE or starved):
        return "link"
    if used.busy < BUSY_SHARE:
        return "input" if used.link_gbytes_per_s is not None or used.busy < 0.5 else "unclear"
    if used.memory is not None and used.memory >= MEMORY_SHARE and (used.power is None or starved):
        return "memory"
    return "unclear" if starved else "compute"


def _name(cell: str) -> str:
    return (
        re.sub(r"\s*\[.*\]$", "", cell)
        .lower()
        .replace("enforced.power.limit", "power.limit")
        .replace("gpucurrent", "current")
    )


def _numbers(rows: Sequence[Sequence[str]], index: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    found = [re.match(r"-?\d+(\.\d+)?", row[index]) if index < len(row) else None for row in rows]
    return np.asarray([float(match[0]) if match else np.nan for match in found], dtype=np.float64)


def _since_start(
    busy: np.ndarray[tuple[int], np.dtype[np.float64]],
) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Samples from the first to the last in which something worked."""
    working = np.flatnonzero(np.nan_to_num(busy) > 0)
    inside = np.zeros(len(busy), dtype=np.bool_)
    if len(working):
        inside[working[0] : working[-1] + 1] = True
    return inside


def _averages(
    columns: dict[str, np.ndarray[tuple[int], np.dtype[np.float64]]],
    rows: np.ndarray[tuple[int], np.dtype[np.bool_]],
) -> Utilisation:
    def mean(name: str) -> float | None:
        values = columns[name][rows] if name in columns else np.empty(0)
        values = values[~np.isnan(values)]
        return float(values.mean()) if len(values) else None

    draw, limit, used = mean("power.draw"), mean("power.limit"), mean("utilization.memory")
    generation, width = mean("pcie.link.gen.current"), mean("pcie.link.width.current")
    peak = columns["memory.used"][rows] if "memory.used" in columns else np.empty(0)
    carried = 2.0 * (2.0 ** (generation - 3)) * 15.75 * width / 16.0 if generation and width else None
    return Utilisation(
        busy=(mean("utilization.gpu") or 0.0) / 100.0,
        memory=None if used is None else used / 100.0,
        power=draw / limit if draw is not None and limit else None,
        link_limit_gbytes_per_s=carried,
        peak_memory_gib=float(np.nanmax(peak)) / 1024.0 if np.isfinite(peak).any() else None,
        samples=int(rows.sum()),
    )
