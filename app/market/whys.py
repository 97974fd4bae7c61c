"""Why a row is judged as it is: by its machine, or by host memory, deadline or budget. Codes for all rows at once; the
sentence of a row is written when somebody reads it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from app.domain.run import TrainingRun
from app.domain.sentence import Sentence
from app.training.cost import CostTable

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
WordArray = npt.NDArray[np.object_]
RULES = ("", "host_ram", "deadline", "time_unknown", "budget", "price_unknown")
"""What rules a row out beside its machine, by number; the first is nothing."""
_HOST_RAM, _DEADLINE, _TIME_UNKNOWN, _BUDGET, _PRICE_UNKNOWN = range(1, len(RULES))


@dataclass(frozen=True, slots=True, eq=False)
class Whys(Sequence[Sentence]):
    """One sentence a row, (n,). `rules` number RULES; `host_gib` is the host memory that a row needs and has."""

    of_machine: Sequence[Sentence]
    of_row: npt.NDArray[np.intp]
    rules: npt.NDArray[np.int8]
    run: TrainingRun
    costs: CostTable
    host_gib: tuple[FloatArray, FloatArray]

    def __len__(self) -> int:
        return len(self.of_row)

    def __iter__(self) -> Iterator[Sentence]:
        return map(self.__getitem__, range(len(self)))

    def __getitem__(self, row: int) -> Sentence:  # type: ignore[override]
        match int(self.rules[row]):
            case 1:
                return self._host(row)
            case 2:
                limit = f"{self.run.deadline_hours:,.1f}"
                words = {"hours": f"{self.costs.hours[row]:,.1f}", "limit": limit}
                return Sentence("takes {hours} h; the deadline is {limit} h", words)
            case 3:
                return Sentence("how long it takes is not known")
            case 4:
                return self._budget(row)
            case 5:
                return Sentence("what it costs is not known")
        return self.of_machine[int(self.of_row[row])]

    def _budget(self, row: int) -> Sentence:
        budget, committed = self.run.budget_usd or 0.0, float(self.costs.committed_usd[row])
        limit = f"{budget:,.2f}"
        if committed > budget and self.costs.unused_usd[row] > 0:
            words = {"usd": f"{committed:,.2f}", "limit": limit}
            return Sentence("the commitment costs {usd} USD; the budget is {limit}", words)
        words = {"usd": f"{self.costs.total_usd[row]:,.2f}", "limit": limit}
        return Sentence("costs {usd} USD in all; the budget is {limit}", words)

    def _host(self, row: int) -> Sentence:
        need, ram = (f"{gib[row]:.0f}" for gib in self.host_gib)
        return Sentence(
            "needs about {need} GiB of host memory per instance; there are {ram}", {"need": need, "ram": ram}
        )


def host_rules(needs: FloatArray, ram: FloatArray) -> npt.NDArray[np.int8]:
    """Rows whose host memory is known to be too small, as numbers of RULES, (n,)."""
    return np.where(ram < needs, _HOST_RAM, 0).astype(np.int8)


def with_limits(
    rules: npt.NDArray[np.int8], run: TrainingRun, costs: CostTable, holds: BoolArray
) -> npt.NDArray[np.int8]:
    """The same with deadline and budget, where the run sets them. Unknown is not within a budget; a cost is unknown
    because of the time where that is unknown too."""
    unpriced = np.where(np.isfinite(costs.hours), _PRICE_UNKNOWN, _TIME_UNKNOWN)
    for limit, taken, beyond, unknown in (
        (run.deadline_hours, costs.hours, _DEADLINE, np.full_like(unpriced, _TIME_UNKNOWN)),
        (run.budget_usd, costs.total_usd, _BUDGET, unpriced),
    ):
        if limit is not None:
            out = holds & ~(taken <= limit)
            rules = np.where(out, np.where(np.isfinite(taken), beyond, unknown), rules).astype(np.int8)
    return rules
