"""Measure one rank of a step under FSDP2 on fake tensors and a fake process group, and print the peak of each phase.

    oracle/bin/python tools/measure_fake_fsdp.py --config config.json --model llama --ranks 8 --checkpointing full

Layers are units of their own, the rest is the root unit; fp32 shards are gathered in bf16 and reduced in fp32. The
options are those of `measure_fake`; these packages are no part of the product.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.distributed.fsdp._fully_shard import _fsdp_param, _fsdp_param_group
from torch.distributed.tensor import DTensor
from torch.testing._internal.distributed.fake_pg import FakeStore

sys.path.insert(0, str(Path(__file__).parent))
import measure_fake

GIB = 2**30


class ShardBytes(measure_fake.LiveBytes):
    """Counts a rank's part of sharded tensors, and follows the storages that FSDP empties and fills again."""

    def __init__(self) -> None:
        super().__init__()
        for name in ("free_storage", "alloc_storage"):
            followed = self._followed(getattr(_fsdp_param, name))
            for module in (_fsdp_param, _fsdp_param_group):
                if hasattr(module, name):
                    setattr(module, name, followed)

    def add(self, tensor: torch.Tensor) -> None:
        """Count the storage of `tensor`, of a sharded one what lies on this rank."""
        super().add(tensor._local_tensor if isinstance(tensor, DTensor) else tensor)

    def _followed(self, change: Any) -> Any:
        def changed(tensor: torch.Tensor) -> None:
            change(tensor)
            storage = tensor.untyped_storage()
            if (before := self._sizes.get(storage._cdata)) is not None:
                self._sizes[storage._cdata] = storage.nbytes()
                self.now += storage.nbytes() - before
                self.peak = max(self.peak, self.now)

        return changed


def main() -> None:
    """Command line: peaks in GiB as one line."""
    ranks = argparse.ArgumentParser(add_help=False)
    ranks.add_argument("--ranks", type=int, default=8)
    chosen, sys.argv[1:] = ranks.parse_known_args()
    options = measure_fake.parse()
    options.weights = "fp32"
    dist.init_process_group("fake", rank=0, world_size=chosen.ranks, store=FakeStore())
    mesh = init_device_mesh("cpu", (chosen.ranks,))
    measure_fake.LiveBytes = ShardBytes
    with FakeTensorMode(allow_non_fake_inputs=True):
        model = measure_fake.build(options)
        policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
        for unit in (*model.model.layers, model):
            fully_shard(unit, mesh=mesh, mp_policy=policy)
        peak = measure_fake.run(model, options)
    dist.destroy_process_group()
    print(
        " ".join(
            f"{name} {getattr(peak, name) / GIB:.3f}" for name in ("forward", "backward", "step", "resting")
        )
    )


if __name__ == "__main__":
    main()
