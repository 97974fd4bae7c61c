"""Measure the peak memory of a real PyTorch training step on fake tensors, and print an oracle row.

No accelerator and hardly any memory are needed: FakeTensorMode runs every operation on shapes alone, and a dispatch
mode counts the bytes of all live storages. What comes out is what PyTorch allocates, without allocator and driver.

    python -m venv oracle && oracle/bin/pip install torch transformers peft
    oracle/bin/python tools/measure_fake.py --model qwen3 --config config.json --id O99 --micro-batch 2 --seq-len 2048

Decoders, mixtures of experts, encoders (as classifiers), encoder-decoders, vision transformers and Whisper work. The
kernels are those of a CPU: fused attention whose values are narrower than its keys (latent attention) falls back to
plain products there, so measure it with `--attention eager`.

`--config` is a Hugging Face config.json; `--print-header` prints the columns first. These packages are no part of
the product.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
import weakref
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
import transformers
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from transformers import initialization

COLUMNS = [
    "id",
    "model",
    "method",
    "weights",
    "optimizer",
    "micro_batch",
    "seq_len",
    "checkpointing",
    "attention",
    "lora_rank",
    "params",
    "trainable",
    "peak_bytes",
    "peak_gib",
    "lora_targets",
    "adapters",
    "framework",
    "torch",
    "quality",
]
STEPS = 2
# What is trained: the first head that the configuration has. Encoders are fine-tuned as classifiers.
KINDS = (
    transformers.AutoModelForImageClassification,
    transformers.AutoModelForSpeechSeq2Seq,
    transformers.AutoModelForSeq2SeqLM,
    transformers.AutoModelForCausalLM,
    transformers.AutoModelForSequenceClassification,
)
ENCODERS = ("bert", "roberta", "distilbert", "modernbert", "deberta-v2", "electra")


@dataclass
class Peak:
    """Peaks of the last step by phase, bytes."""

    forward: int = 0
    backward: int = 0
    step: int = 0
    resting: int = 0
    marks: dict[str, int] = field(default_factory=dict)

    @property
    def highest(self) -> int:
        """The peak of the whole step."""
        return max(self.forward, self.backward, self.step)


class LiveBytes(TorchDispatchMode):
    """Counts the bytes of every storage that an operation made and that is still referred to."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0
        self.peak = 0
        self._sizes: dict[int, int] = {}

    def add(self, tensor: torch.Tensor) -> None:
        """Count the storage of `tensor` once, until it is freed."""
        storage = tensor.untyped_storage()
        key = storage._cdata
        if key not in self._sizes:
            self._sizes[key] = storage.nbytes()
            self.now += storage.nbytes()
            self.peak = max(self.peak, self.now)
            weakref.finalize(storage, self._drop, key)

    def _drop(self, key: int) -> None:
        self.now -= self._sizes.pop(key, 0)

    def restart(self) -> int:
        """The peak so far; counting starts again from what is live."""
        before, self.peak = self.peak, self.now
        return before

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        made = function(*args, **(kwargs or {}))
        for leaf in tree_leaves(made):
            if isinstance(leaf, torch.Tensor):
                self.add(leaf)
        return made


def main() -> None:
    """Command line: one measured row as CSV on standard output."""
    options = parse()
    with FakeTensorMode(allow_non_fake_inputs=True):
        model = build(options)
        peak = run(model, options)
    parameters = sum(p.numel() for p in model.parameters())
    trainable = sum(p.numel() for p in model.parameters() if p.requires_grad)
    row = {
        "id": options.id,
        "model": options.model,
        "method": options.method,
        "weights": options.weights,
        "optimizer": options.optimizer,
        "micro_batch": options.micro_batch,
        "seq_len": options.seq_len,
        "checkpointing": options.checkpointing,
        "attention": options.attention,
        "lora_rank": options.lora_rank if options.method == "lora" else "",
        "params": parameters,
        "trainable": trainable,
        "peak_bytes": peak.highest,
        "peak_gib": round(peak.highest / 2**30, 3),
        "lora_targets": ",".join(options.lora_targets) if options.method == "lora" else "",
        "adapters": options.adapters if options.method == "lora" else "",
        "framework": f"transformers {transformers.__version__}",
        "torch": torch.__version__,
        "quality": "B" if options.weights == "fp32-amp" else "A",
    }
    writer = csv.DictWriter(sys.stdout, COLUMNS)
    if options.print_header:
        writer.writeheader()
    writer.writerow(row)


def parse() -> argparse.Namespace:
    """The options, in the words of the oracle's columns."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--config", type=Path, required=True)
    parser.add_argument("--model", required=True, help="the catalog key that the row names")
    parser.add_argument("--id", default="O00")
    parser.add_argument("--method", choices=("full", "lora"), default="full")
    parser.add_argument("--weights", choices=("bf16", "fp32", "fp32-amp"), default="bf16")
    parser.add_argument("--optimizer", choices=("adamw_fused", "adamw_foreach"), default="adamw_fused")
    parser.add_argument("--micro-batch", type=int, default=1)
    parser.add_argument("--seq-len", type=int, default=1024)
    parser.add_argument("--checkpointing", choices=("none", "full"), default="none")
    parser.add_argument("--attention", choices=("sdpa", "eager"), default="sdpa")
    parser.add_argument("--lora-rank", type=int, default=16)
    parser.add_argument(
        "--lora-targets", nargs="+", default=[f"{n}_proj" for n in ("q", "k", "v", "o", "gate", "up", "down")]
    )
    parser.add_argument("--adapters", choices=("bf16", "fp32"), default="bf16")
    parser.add_argument("--print-header", action="store_true")
    return parser.parse_args()


def build(options: argparse.Namespace) -> torch.nn.Module:
    """The model as Transformers and PEFT build it, without weights: a truncated normal would look at their values."""
    initialization.trunc_normal_ = lambda tensor, *args, **kwargs: tensor
    config = transformers.AutoConfig.for_model(**json.loads(options.config.read_text(encoding="utf-8")))
    config.use_cache = False
    config.problem_type = "single_label_classification"
    heads = KINDS[-1:] if config.model_type in ENCODERS else KINDS
    kind = next(kind for kind in heads if type(config) in kind._model_mapping)
    dtype = torch.bfloat16 if options.weights == "bf16" else torch.float32
    model = kind.from_config(config, dtype=dtype, attn_implementation=options.attention)
    model.train()
    if options.method == "lora":
        model = adapt(model, options)
    if options.checkpointing == "full":
        model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
        if options.method == "lora":
            model.enable_input_require_grads()
    return model


def adapt(model: torch.nn.Module, options: argparse.Namespace) -> torch.nn.Module:
    """Adapters by PEFT. Its conversions swap tensors in place, which fake tensors cannot: the default dtype makes
    the adapters in the right format at once, and the conversions are left out."""
    from peft import LoraConfig, get_peft_model
    from peft.tuners.tuners_utils import BaseTunerLayer

    BaseTunerLayer._move_adapter_to_device_of_base_layer = lambda *args, **kwargs: None
    convert, torch.nn.Module.to = torch.nn.Module.to, lambda module, *args, **kwargs: module
    torch.set_default_dtype(torch.float32 if options.adapters == "fp32" else torch.bfloat16)
    try:
        wanted = LoraConfig(r=options.lora_rank, target_modules=options.lora_targets, lora_dropout=0.0)
        return get_peft_model(model, wanted, autocast_adapter_dtype=False)
    finally:
        torch.set_default_dtype(torch.float32)
        torch.nn.Module.to = convert


def batch(model: torch.nn.Module, options: argparse.Namespace) -> dict[str, torch.Tensor]:
    """One micro-batch: tokens, which an encoder-decoder reads and writes in equal number; or images."""
    config = model.config
    tokens = torch.randint(0, 1000, (options.micro_batch, options.seq_len))
    classes = torch.zeros(options.micro_batch, dtype=torch.long)
    if hasattr(config, "image_size"):
        size = (options.micro_batch, 3, config.image_size, config.image_size)
        return {"pixel_values": torch.zeros(size, dtype=model.dtype), "labels": classes}
    if hasattr(config, "num_mel_bins"):
        sound = (options.micro_batch, config.num_mel_bins, 2 * config.max_source_positions)
        return {"input_features": torch.zeros(sound, dtype=model.dtype), "labels": tokens}
    classifies = "ForSequenceClassification" in type(model).__name__
    return {"input_ids": tokens, "labels": classes if classifies else tokens}


def run(model: torch.nn.Module, options: argparse.Namespace) -> Peak:
    """Two steps; the peaks are those of the second, when the optimizer states exist."""
    trained = [p for p in model.parameters() if p.requires_grad]
    fused = options.optimizer == "adamw_fused"
    optimizer = torch.optim.AdamW(trained, lr=1e-4, fused=fused, foreach=not fused)
    inputs = batch(model, options)
    live, peak = LiveBytes(), Peak()
    for tensor in (*model.parameters(), *model.buffers(), *inputs.values()):
        live.add(tensor)
    with live:
        for _ in range(STEPS):
            live.restart()
            with torch.autocast("cpu", dtype=torch.bfloat16, enabled=options.weights == "fp32-amp"):
                loss = model(**inputs).loss
            peak.forward = live.restart()
            loss.backward()
            del loss
            peak.backward = live.restart()
            optimizer.step()
            peak.step = live.restart()
            optimizer.zero_grad()
            peak.resting = live.now
    return peak


if __name__ == "__main__":
    main()
