"""Estimate the fitted constants of step time, and what they are worth on sources they have not seen.

    python tools/fit_throughput.py fit CASES.csv            new values beside the present ones
    python tools/fit_throughput.py write CASES.csv          the same, written into assumptions_time.py
    python tools/fit_throughput.py sources CASES.csv        leave one source out, each in turn
    python tools/fit_throughput.py folds CASES.csv          five random halves, both directions

Damped Gauss-Newton on the logarithm of tokens/s with a soft-L1 loss; a weak prior holds each constant near the
value in throughput_priors.csv, which no later fit has touched. Sources count by the square root of their rows. Repeatable: no randomness but a fixed seed.
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

PRIOR = 4.0
KNEE = 0.15
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


def priors() -> dict[str, float]:
    """Centre of the prior of each fitted constant."""
    with Path(__file__).with_name("throughput_priors.csv").open(newline="") as file:
        return {row["name"]: float(row["value"]) for row in csv.DictReader(file)}


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


def fit(data: Data, start: dict[str, float], steps: int = 25) -> dict[str, float]:
    """Constants that minimise the weighted soft-L1 of the log error, within their ranges."""
    names = [a.name for a in FITTED]
    low = np.log([max(a.low, 1e-6) for a in FITTED])
    high = np.log([a.high for a in FITTED])
    centre = np.log([max(start[n], 1e-6) for n in names])
    counts = {g: (data.group == g).sum() for g in set(data.group)}
    weight = np.asarray([1 / np.sqrt(counts[g]) for g in data.group]) * usable(data)
    weight = weight / weight.mean()
    x, damping = np.clip(centre, low, high), 1e-2
    loss, residual, jacobian = _state(data, start, names, x, centre, weight)
    for _ in range(steps):
        hessian = jacobian.T @ jacobian
        move = np.linalg.solve(hessian + damping * np.diag(np.diag(hessian) + 1e-9), -jacobian.T @ residual)
        trial = np.clip(x + np.clip(move, -0.5, 0.5), low, high)
        new = _loss(data, start, names, trial, centre, weight)
        if new < loss:
            gain = loss - new
            x, damping = trial, damping / 3
            loss, residual, jacobian = _state(data, start, names, x, centre, weight)
            if gain < 1e-5 * loss:
                break
        else:
            damping *= 5
    return {**start, **dict(zip(names, np.exp(x).tolist(), strict=True))}


def usable(data: Data) -> np.ndarray:
    """Rows that may teach: not from a host-memory run, not doubtful quality."""
    return np.asarray([0.0 if c.row["quality"] == "C" or c.layout.cpu_offload else 1.0 for c in data.cases])


def _errors(data, start, names, x, weight):
    values = {**start, **dict(zip(names, np.exp(x), strict=True))}
    return np.log(predict(data, values) / data.measured)


def _loss(data, start, names, x, centre, weight):
    e = _errors(data, start, names, x, weight)
    rho = 2 * KNEE**2 * (np.sqrt(1 + (e / KNEE) ** 2) - 1)
    return float((weight * rho).sum() + (KNEE**2 * PRIOR / 100 * ((x - centre) ** 2 / 0.04)).sum())


def _state(data, start, names, x, centre, weight):
    e = _errors(data, start, names, x, weight)
    robust = np.sqrt(weight / np.sqrt(1 + (e / KNEE) ** 2))
    jacobian = np.empty((len(e), len(x)))
    for i in range(len(x)):
        ahead = x.copy()
        ahead[i] += 1e-4
        jacobian[:, i] = (_errors(data, start, names, ahead, weight) - e) / 1e-4
    pull = np.sqrt(KNEE**2 * PRIOR / 100 / 0.04)
    full = np.vstack([jacobian * robust[:, None], np.eye(len(x)) * pull])
    residual = np.concatenate([e * robust, (x - centre) * pull])
    return _loss(data, start, names, x, centre, weight), residual, full


def summary(error: np.ndarray) -> str:
    return f"n={len(error)} median={np.median(np.abs(error)):.3f} p90={np.quantile(np.abs(error), 0.9):.3f}"


def quality_a(data: Data) -> np.ndarray:
    return np.asarray([c.row["quality"] == "A" for c in data.cases])


def main(mode: str, path: Path) -> None:
    data = load(path)
    present = {a.name: a.value for a in ASSUMPTIONS}
    start = {**present, **priors()}
    a_rows = quality_a(data)
    now = predict(data, present) / data.measured - 1
    print("present constants, A rows:", summary(now[a_rows]))
    if mode in ("fit", "write"):
        values = fit(data, start)
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
            error[out] = predict(data.take(out), fit(data.take(~out), start)) / data.measured[out] - 1
            print(f"{group:16s} {summary(error[out])}")
    else:
        error = _folds(data, start)
    print("left out, A rows:", summary(error[a_rows]), " all:", summary(error))


def write(values: dict[str, float]) -> None:
    """Replace the fitted values in assumptions_time.py, three significant digits."""
    path = Path(__file__).parents[1] / "app/training/assumptions_time.py"
    text = path.read_text()
    for a in FITTED:
        text = re.sub(rf'(_fit\("{re.escape(a.name)}", )[-+.e0-9]+', rf"\g<1>{values[a.name]:.3g}", text)
    path.write_text(text)


def _folds(data: Data, start: dict[str, float]) -> np.ndarray:
    total = np.zeros(len(data.measured))
    rounds = 3
    for seed in range(rounds):
        half = np.random.default_rng(seed).random(len(data.measured)) < 0.5
        for side in (half, ~half):
            total[side] += np.log(
                predict(data.take(side), fit(data.take(~side), start)) / data.measured[side]
            )
    return np.exp(total / rounds) - 1


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
