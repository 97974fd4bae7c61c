"""Measure a training step on a real accelerator and print a row in the columns of `cases/memory_measured.csv`.

    python -m venv measure && measure/bin/pip install torch transformers peft
    measure/bin/python tools/measure_gpu.py --config config.json --model qwen3-4b --seq-len 2048 --micro-batch 2

Random weights and tokens: memory does not depend on their values. Prints one row with the reserved peak; the allocated
peak and what the driver reports stand in the notes. Steps until the peak stands still (at least 10: optimizer states
appear at the end of the first). These packages are no part of the product.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from pathlib import Path

import torch
import transformers

COLUMNS = [
    "id",
    "kind",
    "quality",
    "group",
    "model_key",
    "model",
    "params_b",
    "layers",
    "hidden",
    "heads",
    "kv_heads",
    "head_dim",
    "ffn",
    "vocab",
    "tied",
    "gated",
    "experts",
    "method",
    "lora_r",
    "lora_targets",
    "trainable_params",
    "base_quant",
    "weight_dtype",
    "master_weights",
    "optimizer",
    "optim_bytes_per_param",
    "optimizer_in_backward",
    "grad_dtype",
    "seq_len",
    "micro_batch",
    "grad_accum",
    "act_ckpt",
    "act_offload",
    "attention",
    "ce_impl",
    "packing",
    "compile",
    "precision_extra",
    "gpus",
    "sharding",
    "dp",
    "tp",
    "pp",
    "cp",
    "ep",
    "cpu_offload",
    "gpu_type",
    "gpu_mem_gib",
    "measured_peak_gib",
    "measured_metric",
    "framework",
    "framework_version",
    "source",
    "notes",
]
GIB = 2**30


def main() -> None:
    """Command line: one measured row as CSV on standard output."""
    options = parse()
    if not torch.cuda.is_available():
        sys.exit("no accelerator that PyTorch can use; tools/measure_fake.py needs none")
    config = transformers.AutoConfig.for_model(**json.loads(options.config.read_text(encoding="utf-8")))
    config.use_cache = False
    model = build(config, options)
    steps(model, config, options)
    writer = csv.DictWriter(sys.stdout, COLUMNS, restval="")
    if options.print_header:
        writer.writeheader()
    writer.writerow(row(model, config, options))


def parse() -> argparse.Namespace:
    """The options, in the words of the columns."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--config", type=Path, required=True)
    parser.add_argument("--model", required=True, help="the catalog key that the row names")
    parser.add_argument("--id", default="G001")
    parser.add_argument("--method", choices=("full", "lora"), default="full")
    parser.add_argument("--weights", choices=("bf16", "fp32", "fp32-amp"), default="bf16")
    parser.add_argument("--micro-batch", type=int, default=1)
    parser.add_argument("--seq-len", type=int, default=1024)
    parser.add_argument("--checkpointing", choices=("none", "full"), default="none")
    parser.add_argument("--attention", choices=("sdpa", "eager", "flash_attention_2"), default="sdpa")
    parser.add_argument("--lora-rank", type=int, default=16)
    parser.add_argument("--adapters", choices=("bf16", "fp32"), default="fp32")
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--print-header", action="store_true")
    return parser.parse_args()


def build(config: transformers.PretrainedConfig, options: argparse.Namespace) -> torch.nn.Module:
    """The model on the accelerator."""
    dtype = torch.bfloat16 if options.weights == "bf16" else torch.float32
    with torch.device("cuda"):
        model = transformers.AutoModelForCausalLM.from_config(
            config, dtype=dtype, attn_implementation=options.attention
        )
    model.train()
    if options.method == "lora":
        from peft import LoraConfig, get_peft_model

        wanted = LoraConfig(r=options.lora_rank, target_modules="all-linear", lora_dropout=0.0)
        model = get_peft_model(model, wanted, autocast_adapter_dtype=options.adapters == "fp32")
    if options.checkpointing == "full":
        model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
        if options.method == "lora":
            model.enable_input_require_grads()
    return model


def steps(model: torch.nn.Module, config: transformers.PretrainedConfig, options: argparse.Namespace) -> None:
    """Enough steps for the peak to stand still."""
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-5, fused=True)
    shape = (options.micro_batch, options.seq_len)
    for _ in range(options.steps):
        tokens = torch.randint(0, config.vocab_size, shape, device="cuda")
        with torch.autocast("cuda", dtype=torch.bfloat16, enabled=options.weights == "fp32-amp"):
            loss = model(input_ids=tokens, labels=tokens).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    torch.cuda.synchronize()


def row(
    model: torch.nn.Module, config: transformers.PretrainedConfig, options: argparse.Namespace
) -> dict[str, object]:
    """The row: settings as the columns spell them, reserved peak, and the other two peaks as a note."""
    free, total = torch.cuda.mem_get_info()
    heads = config.num_attention_heads
    frozen = options.method == "lora"
    wide = options.adapters == "fp32" if frozen else options.weights != "bf16"
    notes = (
        f"allocated {torch.cuda.max_memory_allocated() / GIB:.3f} GiB; "
        f"driver reports {(total - free) / GIB:.3f} GiB in use after the last step"
    )
    return {
        "id": options.id,
        "kind": "measured",
        "quality": "A",
        "group": "own",
        "model_key": options.model,
        "model": options.model,
        "params_b": sum(p.numel() for p in model.parameters()) / 1e9,
        "layers": config.num_hidden_layers,
        "hidden": config.hidden_size,
        "heads": heads,
        "kv_heads": getattr(config, "num_key_value_heads", heads),
        "head_dim": getattr(config, "head_dim", None) or config.hidden_size // heads,
        "ffn": getattr(config, "intermediate_size", None) or 4 * config.hidden_size,
        "vocab": config.vocab_size,
        "tied": int(bool(config.tie_word_embeddings)),
        "gated": int(hasattr(config, "intermediate_size")),
        "method": options.method,
        "lora_r": options.lora_rank if frozen else "",
        "lora_targets": "all linear" if frozen else "",
        "weight_dtype": "bf16" if options.weights == "bf16" else "fp32",
        "master_weights": "no",
        "optimizer": "AdamW fused",
        "optim_bytes_per_param": 8 if wide else 4,
        "grad_dtype": "fp32" if wide else "bf16",
        "seq_len": options.seq_len,
        "micro_batch": options.micro_batch,
        "grad_accum": 1,
        "act_ckpt": options.checkpointing,
        "attention": options.attention,
        "ce_impl": "full fp32",
        "packing": "fixed length",
        "compile": "no",
        "precision_extra": "bf16 autocast" if options.weights == "fp32-amp" else "",
        "gpus": 1,
        "sharding": "none",
        **dict.fromkeys(("dp", "tp", "pp", "cp", "ep"), 1),
        "gpu_type": torch.cuda.get_device_name(),
        "gpu_mem_gib": round(total / GIB, 2),
        "measured_peak_gib": round(torch.cuda.max_memory_reserved() / GIB, 3),
        "measured_metric": "reserved (max_memory_reserved)",
        "framework": "transformers",
        "framework_version": f"transformers {transformers.__version__}, torch {torch.__version__}",
        "source": "tools/measure_gpu.py",
        "notes": notes,
    }


if __name__ == "__main__":
    main()
