"""The memory of one accelerator as a bar: every part of the peak, the error band and what the driver reports.

Places are percentages of the width, so that lines keep their weight at any size; a text beside it says the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

PARTS = ("weights", "gradients", "optimizer_states", "activations", "loss", "buffers", "overhead")


@dataclass(frozen=True, slots=True)
class MemoryBar:
    """`parts` are (class, name, GiB) of the peak, zero ones left out; `low` and `high` bound their sum. All GiB per
    accelerator; `capacity_gib` is what the driver reports, None where it is not known."""

    parts: tuple[tuple[str, str, float], ...]
    capacity_gib: float | None
    low: float
    high: float

    def drawn(self) -> Markup:
        """The picture, hidden from screen readers."""
        return memory_bar(
            [(kind, value) for kind, _, value in self.parts], (self.low, self.high), self.capacity_gib
        )


def bar_of(memory: Any, capacity_gib: float | None) -> MemoryBar:
    """The bar of a memory breakdown."""
    sizes = [(f"s{place}", name, float(getattr(memory, name))) for place, name in enumerate(PARTS, 1)]
    parts = tuple(part for part in sizes if part[2] > 0)
    return MemoryBar(parts, capacity_gib, float(memory.low), float(memory.high))


def memory_bar(
    parts: Sequence[tuple[str, float]], band: tuple[float, float], capacity: float | None
) -> Markup:
    """A stacked bar of (class, value) with the band of its end and a line at `capacity`; one unit for all."""
    end = max(sum(value for _, value in parts), band[1], capacity or 0.0) * 1.02 or 1.0

    def place(value: float) -> str:
        return f"{value / end * 100:.3f}%"

    drawn, at = [], 0.0
    for kind, value in parts:
        drawn.append(f'<rect class="{kind}" x="{place(at)}" y="6" width="{place(value)}" height="24"/>')
        at += value
    room = place(capacity if capacity is not None else at)
    low, high = place(band[0]), place(band[1])
    limit = "" if capacity is None else f'<line class="limit" x1="{room}" y1="0" x2="{room}" y2="42"/>'
    return Markup(
        '<svg class="membar" aria-hidden="true" focusable="false">'
        f'<rect class="bar" x="0" y="6" width="{room}" height="24"/>{"".join(drawn)}'
        f'<line class="whisker" x1="{low}" y1="36" x2="{high}" y2="36"/>'
        f'<line class="whisker" x1="{low}" y1="32" x2="{low}" y2="40"/>'
        f'<line class="whisker" x1="{high}" y1="32" x2="{high}" y2="40"/>{limit}</svg>'
    )
