"""Framework profiles: what each framework keeps in which format, and how it computes. Data, with sources."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from app.domain.run import Framework

Norm = Literal["eager", "fused"]
Loss = Literal[
    "full", "half", "returned", "compiled", "loss-compiled", "chunked", "chunked-128", "fused", "in-place",
    "loss-parallel", "vocab-parallel", "vocab-fused", "classifier",
]  # fmt: skip
States = Literal["fp32-master", "fp32-weights", "autocast", "pure"]
SoftwareClass = Literal["megatron", "fsdp", "eager"]
Wrap = Literal["tensors", "units", "whole"]
Selective = Literal["products", "attention"]


@dataclass(frozen=True, slots=True)
class Profile:
    """Habits of one framework.

    - `mixed`: what "mixed precision" means there. `fp32-master` = 16-bit weights with an fp32 copy in the optimizer;
      `fp32-weights` = fp32 shards gathered in 16 bit; `autocast` = fp32 weights cast at each use; `pure` = all 16-bit.
    - `gradient_bytes` of the mixed mode; `partition_bytes` of an fp32 gradient shard beside them (DeepSpeed);
      `adapter_bytes` per adapter weight.
    - `norm`, and `loss` by habit; `full_loss` and `chunked_loss`: what asking for a full or chunked one means.
    - `keeps_gradients`: gradient buffers stay allocated between steps. `gathers_whole`: full sharding keeps the
      gathered model through the step (one coarse FSDP1 unit). `accumulates`: its recipes accumulate gradients.
    - `adapter_dropout` by habit (Megatron Bridge and PEFT's own default: none; TRL, axolotl, litgpt: 0.05). `inner_copies`: further tensors of hidden size that one layer keeps.
      `bucket_copies`: DDP reduces in a copy of the gradients. `quantised_copies`: bytes per input element that a
      quantised linear keeps once more. `fused_adapters`: adapter kernels keep one input and recompute the rest.
    - `bucket_elements`: communication buffers, in elements. `extra_gib`: measured and unexplained.
    - `quantises_head`, `upcasts_unquantised` (to fp32, k-bit preparation), `unties_embeddings`.
    - `wraps`: what of a fully sharded model lies unsharded on an accelerator while it is loaded: one tensor (filled
      from a meta device), one unit, or the `whole` model. `quantises_on_device`: a linear's 16-bit copy is on the
      accelerator when it is quantised. `load_source` says where both are from.
    - `selective` checkpointing keeps every second of the matrix `products`, or recomputes the core `attention` only.
    - `transformers`: models are those of Transformers, with the habits of its code (a tanh-GELU written out, fused
      projections kept whole).
    - `first_fsdp`: full sharding is by FSDP1, whose memory is freed through other streams (record_stream).
    - `splits_outer`: embedding and head are sharded as units of their own, not in the root unit with what is left.
    - `offloads`: what CPU offload moves. `repeats_keys`: keys are copied for every query head (`sdpa`: where
      PyTorch picks the kernel).
    """

    software_class: SoftwareClass
    mixed: States
    gradient_bytes: float
    partition_bytes: float
    adapter_bytes: float
    norm: Norm
    loss: Loss
    full_loss: Loss
    chunked_loss: Loss
    source: str
    keeps_gradients: bool = False
    gathers_whole: bool = False
    accumulates: bool = False
    adapter_dropout: float = 0.05
    inner_copies: float = 0.0
    bucket_copies: bool = False
    quantised_copies: float = 0.0
    fused_adapters: bool = False
    compiles: bool = False
    extra_gib: float = 0.0
    bucket_elements: float = 0.0
    quantises_head: bool = False
    upcasts_unquantised: bool = False
    unties_embeddings: bool = False
    repeats_keys: Literal["never", "sdpa", "always"] = "sdpa"
    offloads: Literal["all", "optimizer"] = "all"
    selective: Selective = "products"
    transformers: bool = False
    first_fsdp: bool = False
    splits_outer: bool = False
    wraps: Wrap = "tensors"
    quantises_on_device: bool = False
    load_source: str = ""


PROFILES: dict[Framework, Profile] = {
    "pytorch-fsdp2": Profile(
        "fsdp", "fp32-weights", 4, 0, 2, "fused", "full", "full", "chunked",
        "PyTorch fully_shard with MixedPrecisionPolicy(bf16, reduce fp32)",
        adapter_dropout=0.0,
        load_source="PyTorch set_model_state_dict(broadcast_from_rank0): each tensor whole, then its shard",
    ),
    "torchtitan": Profile(
        "fsdp", "fp32-weights", 4, 0, 2, "fused", "full", "full", "chunked",
        "torchtitan: MixedPrecisionPolicy, nn.RMSNorm, plain or compiled cross entropy",
        repeats_keys="always",
        adapter_dropout=0.0,
        splits_outer=True,
        load_source="torchtitan: meta device, to_empty and init_weights on the shards",
    ),
    "torchtune": Profile(
        "fsdp", "pure", 2, 0, 2, "eager", "chunked", "full", "chunked",
        "torchtune recipes: dtype bf16 for weights and states, CEWithChunkedOutputLoss",
        adapter_dropout=0.0,
        repeats_keys="always",
        quantises_on_device=True,
        splits_outer=True,
        load_source="torchtune load_from_full_model_state_dict: each tensor on the device, then sharded or to_nf4",
    ),
    "hf-trainer": Profile(
        "eager", "autocast", 4, 0, 4, "eager", "full", "full", "chunked",
        "Transformers Trainer: autocast over fp32 weights; PEFT autocast_adapter_dtype",
        bucket_copies=True,
        upcasts_unquantised=True,
        first_fsdp=True, wraps="units", quantises_on_device=True,
        transformers=True,
        load_source="accelerate FSDP sync_module_states: one wrapped unit; bitsandbytes quantises as weights arrive",
    ),
    "unsloth": Profile(
        "eager", "pure", 2, 0, 4, "fused", "fused", "full", "chunked",
        "Unsloth: Triton RMSNorm, chunked fused cross entropy, offloaded checkpoints",
        adapter_dropout=0.0,
        fused_adapters=True,
        load_source="Unsloth loads checkpoints that are quantised already",
    ),
    "axolotl": Profile(
        "eager", "pure", 2, 0, 4, "eager", "fused", "full", "chunked",
        "axolotl: bf16 auto, cut cross entropy, embeddings_skip_upcast",
        bucket_copies=True,
        first_fsdp=True, wraps="units", quantises_on_device=True,
        transformers=True,
        load_source="as Transformers and accelerate, which it drives",
    ),
    "litgpt": Profile(
        "eager", "pure", 2, 0, 2, "eager", "chunked-128", "full", "chunked-128",
        "litgpt: bf16-true, chunked_cross_entropy(128), untied embeddings, Fabric FSDP",
        repeats_keys="always",
        gathers_whole=True,
        accumulates=True,
        inner_copies=4.0, quantised_copies=2.0, quantises_head=True, unties_embeddings=True,
        first_fsdp=True, wraps="whole", quantises_on_device=True,
        load_source="litgpt issue 220: the model is built on every device before FSDP shards it",
    ),
    "deepspeed": Profile(
        "eager", "fp32-master", 2, 4, 4, "eager", "full", "full", "chunked",
        "DeepSpeed bf16 or fp16 optimizer: fp32 master and gradient partition, buckets of 5e8 elements",
        keeps_gradients=True, bucket_elements=5e8, offloads="optimizer",
        quantises_on_device=True,
        transformers=True,
        load_source="DeepSpeed zero.Init partitions every parameter as it is made",
    ),
    "megatron": Profile(
        "megatron", "fp32-master", 4, 0, 2, "fused", "vocab-parallel", "vocab-parallel", "vocab-parallel",
        "Megatron-LM theoretical_memory_usage: bf16 weights, fp32 main gradients, distributed optimizer",
        repeats_keys="never",
        keeps_gradients=True, offloads="optimizer",
        adapter_dropout=0.0,
        selective="attention",
        load_source="Megatron-Core initialises each partition on its own device",
    ),
}  # fmt: skip
