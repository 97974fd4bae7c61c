"""Estimate the fitted constants of step time, and what they are worth on sources they have not seen.

    python tools/fit_throughput.py fit CASES.csv            new values beside the present ones
    python tools/fit_throughput.py write CASES.csv          the same, written into assumptions_time.py
    python tools/fit_throughput.py sources CASES.csv        leave one source out, each in turn
    python tools/fit_throughput.py folds CASES.csv          five random halves, both directions

Damped Gauss-Newton on the logarithm of tokens/s with a soft-L1 loss. The prior (throughput_priors.csv: centre and
relative spread of each constant, with what it rests on) is as heavy as it takes for sources that were left out to be
met best. Matrix efficiencies rest on measured single products (MAMF) and share what training loses to them, over all
accelerators and within a generation. Repeatable: no randomness but a fixed seed.
"""

from __future__ import annotations

import csv
import re
import sys
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np

from app.catalog.accelerators import read_accelerators
from app.market.accuracy.throughput_cases import Case, read_cases
from app.training.assumptions_time import ASSUMPTIONS, Constants
from app.training.compute import Workload
from app.training.layout import Layouts
from app.training.machine import Machines, machines_of
from app.training.throughput import aligned, time_of_work

STRENGTH = 3.5
KNEE = 0.09
SHARED_BY_ALL = 0.15
SHARED_BY_GENERATION = 0.1
FITTED = tuple(a for a in ASSUMPTIONS if a.source.startswith("fit") and a.low < a.high)


@dataclass(frozen=True)
class Data:
    work: Workload
    layouts: Layouts
    machines: Machines
    measured: np.ndarray
    group: np.ndarray
    cases: list[Case]

    def take(self, which: np.ndarray) -> Data:
        rows = np.flatnonzero(which)
        work = Workload(**{f.name: np.asarray(getattr(self.work, f.name))[rows] for f in fields(Workload)})
        picked = [self.cases[i] for i in rows]
        return Data(
            work,
            self.layouts.take(rows),
            self.machines.take(rows),
            self.measured[rows],
            self.group[rows],
            picked,
        )


@dataclass(frozen=True)
class Prior:
    """`centre` by name; `root` (k, k) with |root · (x − log centre)|² the penalty on logarithms of the constants."""

    centre: dict[str, float]
    root: np.ndarray


def read_prior() -> Prior:
    """Independent spreads, and what matrix efficiencies have in common as further covariance."""
    with Path(__file__).with_name("throughput_priors.csv").open(newline="") as file:
        rows = {row["name"]: row for row in csv.DictReader(file)}
    names = [a.name for a in FITTED]
    covariance = np.diag([float(rows[name]["spread"]) ** 2 for name in names])
    kinds = [name.split(".")[1].split("-")[0][:4] if name.startswith("gemm.") else "" for name in names]
    both = np.asarray([[bool(a and b) for b in kinds] for a in kinds])
    same = np.asarray([[bool(a and a == b) for b in kinds] for a in kinds])
    covariance += SHARED_BY_ALL**2 * both + SHARED_BY_GENERATION**2 * same
    root = np.linalg.cholesky(np.linalg.inv(covariance)).T * KNEE * np.sqrt(STRENGTH)
    return Prior({name: float(rows[name]["value"]) for name in names}, root)


def load(path: Path) -> Data:
    catalog = Path(__file__).parents[1] / "app/catalog/data"
    cases, _ = read_cases(path, read_accelerators(catalog).values())
    cases = [case for case in cases if not case.is_total]
    return data_of(cases)


def data_of(cases: list[Case]) -> Data:
    work = Workload(
        **{f.name: np.asarray([getattr(c.work, f.name) for c in cases]) for f in fields(Workload)}
    )
    return Data(
        work=work,
        layouts=Layouts.of(*(c.layout for c in cases)),
        machines=machines_of(*(c.cluster for c in cases)),
        measured=np.asarray([c.measured for c in cases]),
        group=np.asarray([c.row["group"] for c in cases]),
        cases=cases,
    )


def predict(data: Data, values: dict[str, float]) -> np.ndarray:
    table = time_of_work(
        data.work, data.layouts, aligned(data.machines, len(data.measured)), Constants.of(values)
    )
    return table.tokens_per_s_per_accelerator


def fit(data: Data, prior: Prior, steps: int = 25) -> dict[str, float]:
    """Constants that minimise the soft-L1 of the log error, within their ranges."""
    low = np.log([max(a.low, 1e-6) for a in FITTED])
    high = np.log([a.high for a in FITTED])
    task = Task(data, prior, usable(data))
    x, damping = np.clip(task.centre, low, high), 1e-2
    loss = task.loss(x)
    residual, jacobian = task.linearised(x)
    for _ in range(steps):
        hessian = jacobian.T @ jacobian
        move = np.linalg.solve(hessian + damping * np.diag(np.diag(hessian) + 1e-9), -jacobian.T @ residual)
        trial = np.clip(x + np.clip(move, -0.5, 0.5), low, high)
        new = task.loss(trial)
        if new >= loss:
            damping *= 5
            continue
        gain, x, loss, damping = loss - new, trial, new, damping / 3
        if gain < 1e-5 * loss:
            break
        residual, jacobian = task.linearised(x)
    return task.values(x)


@dataclass(frozen=True)
class Task:
    """What is minimised over x (k,), the logarithms of the fitted constants."""

    data: Data
    prior: Prior
    weight: np.ndarray

    @property
    def centre(self) -> np.ndarray:
        return np.log([self.prior.centre[a.name] for a in FITTED])

    def values(self, x: np.ndarray) -> dict[str, float]:
        fitted = dict(zip((a.name for a in FITTED), np.exp(x).tolist(), strict=True))
        return {**{a.name: a.value for a in ASSUMPTIONS}, **fitted}

    def errors(self, x: np.ndarray) -> np.ndarray:
        return np.log(predict(self.data, self.values(x)) / self.data.measured)

    def loss(self, x: np.ndarray) -> float:
        rho = 2 * KNEE**2 * (np.sqrt(1 + (self.errors(x) / KNEE) ** 2) - 1)
        return float((self.weight * rho).sum() + ((self.prior.root @ (x - self.centre)) ** 2).sum())

    def linearised(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Residuals (n + k,) and their derivatives (n + k, k), weighted as the soft-L1 loss has them."""
        error = self.errors(x)
        robust = np.sqrt(self.weight / np.sqrt(1 + (error / KNEE) ** 2))
        ahead = [self.errors(x + 1e-4 * unit) - error for unit in np.eye(len(x))]
        jacobian = np.stack(ahead, axis=1) / 1e-4
        residual = np.concatenate([error * robust, self.prior.root @ (x - self.centre)])
        return residual, np.vstack([jacobian * robust[:, None], self.prior.root])


def usable(data: Data) -> np.ndarray:
    """Rows that may teach: not from a host-memory run, not doubtful quality."""
    return np.asarray([0.0 if c.row["quality"] == "C" or c.layout.cpu_offload else 1.0 for c in data.cases])


def summary(error: np.ndarray) -> str:
    return f"n={len(error)} median={np.median(np.abs(error)):.3f} p90={np.quantile(np.abs(error), 0.9):.3f}"


def quality_a(data: Data) -> np.ndarray:
    return np.asarray([c.row["quality"] == "A" for c in data.cases])


def main(mode: str, path: Path) -> None:
    data = load(path)
    present = {a.name: a.value for a in ASSUMPTIONS}
    prior = read_prior()
    a_rows = quality_a(data)
    now = predict(data, present) / data.measured - 1
    print("present constants, A rows:", summary(now[a_rows]))
    if mode in ("fit", "write"):
        values = fit(data, prior)
        error = predict(data, values) / data.measured - 1
        print("fitted, A rows:", summary(error[a_rows]))
        for a in FITTED:
            print(f"{a.name:32s} {a.value:10.5g} -> {values[a.name]:10.5g}  [{a.low:g}, {a.high:g}]")
        if mode == "write":
            write(values)
        return
    error = np.full(len(data.measured), np.nan)
    if mode == "sources":
        for group in sorted(set(data.group)):
            out = data.group == group
            error[out] = predict(data.take(out), fit(data.take(~out), prior)) / data.measured[out] - 1
            print(f"{group:16s} {summary(error[out])}")
    else:
        error = _folds(data, prior)
    print("left out, A rows:", summary(error[a_rows]), " all:", summary(error))


def write(values: dict[str, float]) -> None:
    """Replace the fitted values in assumptions_time.py, three significant digits."""
    path = Path(__file__).parents[1] / "app/training/assumptions_time.py"
    text = path.read_text()
    for a in FITTED:
        text = re.sub(rf'(_fit\(\s*"{re.escape(a.name)}", )[-+.e0-9]+', rf"\g<1>{values[a.name]:.3g}", text)
    path.write_text(text)


def _folds(data: Data, prior: Prior) -> np.ndarray:
    total = np.zeros(len(data.measured))
    rounds = 3
    for seed in range(rounds):
        half = np.random.default_rng(seed).random(len(data.measured)) < 0.5
        for side in (half, ~half):
            total[side] += np.log(
                predict(data.take(side), fit(data.take(~side), prior)) / data.measured[side]
            )
    return np.exp(total / rounds) - 1


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
