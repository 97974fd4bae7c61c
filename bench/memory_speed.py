"""How long the memory of one layout takes, amortised over many: `python -m bench.memory_speed`.

The promise is 50 µs a layout; exits 1 where it is broken.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from itertools import product

from app.domain.model import ModelShape
from app.domain.run import TrainingRun
from app.training.layout import Layout, Layouts
from app.training.memory import breakdown, memory_of
from app.training.recipe import recipe_for

PROMISE_US = 50.0
SHAPE = ModelShape(
    key="70b",
    name="70B",
    layers=80,
    hidden_size=8192,
    attention_heads=64,
    kv_heads=8,
    head_dim=128,
    ffn_hidden_size=28672,
    vocab_size=128256,
)


def main() -> int:
    """Best of five, in processor time."""
    choices = product(
        (1, 2, 4, 8, 16, 64), (1, 2, 4, 8), (1, 2, 4), (1, 2, 4, 8), ("none", "selective", "full")
    )
    layouts = Layouts.of(
        *(
            Layout(
                data_parallel=data,
                tensor_parallel=tensor,
                pipeline_parallel=stages,
                micro_batch_size=batch,
                gradient_accumulation=8,
                sharding="full",
                checkpointing=checkpointing,
            )
            for data, tensor, stages, batch, checkpointing in choices
        )
    )
    recipe = recipe_for(SHAPE, TrainingRun(model="70b"))
    memory_of(SHAPE, recipe, layouts)
    many = min(_seconds(lambda: memory_of(SHAPE, recipe, layouts)) for _ in range(5)) / len(layouts) * 1e6
    one = min(_seconds(lambda: breakdown(SHAPE, recipe, Layout(sharding="full"))) for _ in range(20)) * 1e6
    print(
        f"{len(layouts)} layouts at once: {many:.2f} µs a layout; one alone with all its terms: {one:.0f} µs"
    )
    return 0 if many <= PROMISE_US else 1


def _seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


if __name__ == "__main__":
    sys.exit(main())
