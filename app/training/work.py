"""What a run has to do, and what must be carried in and out; the same for every offer but for its speed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from app.domain.errors import BadInput
from app.domain.run import TrainingRun
from app.domain.units import hours_from_seconds
from app.training.assumptions_cost import cost_assumption

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Work:
    """What is to be done, and how fast each offer does it. Arrays have shape (n,), aligned with Prices.

    Rates in tokens per second of the whole job (NaN = unknown). `state_gb` = one full checkpoint, `load_gb` = what
    is read before training starts. `checkpoint_minutes` None = the best interval, `interruptions_per_hour` (of a spot
    node) None = as the offer has it. `spread_commitment` = other work uses the rest of a reservation.
    """

    tokens: float
    tokens_per_s: FloatArray
    low_tokens_per_s: FloatArray
    high_tokens_per_s: FloatArray
    state_gb: float = 0.0
    load_gb: float = 0.0
    dataset_gb: float = 0.0
    egress_gb: float = 0.0
    idle_hours: float = 0.0
    spread_commitment: bool = False
    checkpoint_minutes: float | None = None
    deadline_hours: float | None = None
    interruptions_per_hour: float | None = None
    realise: bool = True


def work_of(
    run: TrainingRun,
    parameters: float,
    trained: float,
    rates: tuple[FloatArray, FloatArray, FloatArray],
) -> Work:
    """The work of a run: `parameters` in all, `trained` with optimizer states, `rates` low, expected, high.

    A checkpoint holds weights and states of what is trained; without `egress_gb` the trained weights go out.
    """
    frozen = run.method in ("lora", "qlora")
    weights_gb = 2.0 * (trained if frozen else parameters) / 1e9
    return Work(
        tokens=run.total_tokens,
        tokens_per_s=rates[1],
        low_tokens_per_s=rates[0],
        high_tokens_per_s=rates[2],
        state_gb=checkpoint_gb(trained),
        load_gb=2.0 * parameters / 1e9 if run.method != "pretrain" else 0.0,
        dataset_gb=run.dataset_gb,
        egress_gb=weights_gb if run.egress_gb is None else run.egress_gb,
        idle_hours=run.idle_hours,
        spread_commitment=run.spread_commitment,
        checkpoint_minutes=run.checkpoint_minutes,
        deadline_hours=run.deadline_hours,
        interruptions_per_hour=run.interruptions_per_hour,
    )


def checkpoint_gb(trained: float) -> float:
    """One full checkpoint, GB: weights and optimizer states of the `trained` parameters."""
    return _value("checkpoint.bytes") * trained / 1e9


def realised_share(accelerator_hours: FloatArray) -> FloatArray:
    """Share of the steady rate that whole runs realise (restarts, evaluations, ramp-up), by their size.

    Falls with the logarithm of accelerator-hours between the three assumed points, constant outside.
    """
    points = [np.log(_value(f"realised.{size}_hours")) for size in ("small", "middle", "large")]
    shares = [_value(f"realised.{size}") for size in ("small", "middle", "large")]
    return np.asarray(np.interp(np.log(np.maximum(accelerator_hours, 1e-9)), points, shares))


def whole_hours(tokens: float, tokens_per_s: float, accelerators: float, nodes: int) -> float:
    """Hours of a whole run on `nodes` nodes of so many accelerators: the share of the steady rate that whole runs
    realise, after a usual start and warm-up; what only an offer knows (load, interruptions) is left out."""
    steady = hours_from_seconds(tokens / tokens_per_s)
    share = float(realised_share(np.asarray(steady * accelerators * nodes)))
    start = _value("start.cluster_s" if nodes > 1 else "start.single_s") + _value("start.warm_up_s")
    return steady / share + hours_from_seconds(start)


def check(work: Work) -> None:
    """Refuse amounts that cannot be. Raises BadInput naming the field."""
    if not work.tokens > 0:
        raise BadInput("tokens", "there must be something to train on")
    if work.deadline_hours is not None and not work.deadline_hours > 0:
        raise BadInput("deadline_hours", "the deadline lies in the past")
    if work.checkpoint_minutes is not None and not work.checkpoint_minutes > 0:
        raise BadInput("checkpoint_minutes", "the time between checkpoints must be positive")
    if work.interruptions_per_hour is not None and not work.interruptions_per_hour >= 0:
        raise BadInput("interruptions_per_hour", "cannot be negative")
    for name in ("state_gb", "load_gb", "dataset_gb", "egress_gb", "idle_hours"):
        if getattr(work, name) < 0:
            raise BadInput(name, "cannot be negative")


def _value(name: str) -> float:
    return cost_assumption(name).value
