"""What each field of a run means and why its default is what it is, as sentences beside the field."""

from __future__ import annotations

from collections.abc import Mapping

from app.domain.sentence import N_

HELP: Mapping[str, str] = {
    "config": N_("The file beside the weights on Hugging Face, instead of a name; it stays in the address."),
    "parameters": N_("When nothing else is known: 7B, 1.3e9. The shape is then a typical one of that size."),
    "layers": N_("Layers and hidden size are enough; what is left empty is taken as in models of that size."),
    "hidden_size": N_("Width of the stream between layers."),
    "attention_heads": N_("Empty: hidden size over 128."),
    "kv_heads": N_("Fewer than attention heads with grouped queries. Empty: as many."),
    "head_dim": N_("Empty: hidden size over heads."),
    "ffn_hidden_size": N_("Inner width of the feed-forward part. Empty: as usual for the hidden size."),
    "vocab_size": N_("Sets the size of the logits, often the largest single piece of memory."),
    "tied_embeddings": N_("Input and output share one table: one vocabulary less to keep."),
    "gated_mlp": N_("Three matrices instead of two (SwiGLU)."),
    "experts": N_("0 or empty: a dense model."),
    "experts_per_token": N_("Only these are computed for a token; all are kept in memory."),
    "method": N_("A full fine-tune keeps gradients and optimizer states of every weight; adapters of few."),
    "sequence_length": N_(
        "Activations grow with it. Take the longest that your data has, not the model's limit. Empty: 4096, or what the model takes if that is less."
    ),
    "global_batch_size": N_(
        "Sequences between two updates, over all accelerators; it changes memory little."
    ),
    "precision": N_("bf16-mixed keeps a 32-bit copy of trained weights: the habit of nearly every recipe."),
    "optimizer": N_("AdamW keeps two numbers a trained weight; 8-bit variants keep a quarter of that."),
    "framework": N_("Decides which copies, buffers and loss kernels there are; FSDP2 is plain PyTorch."),
    "micro_batch_size": N_("Sequences at once on one accelerator. Empty: the fastest that fits is searched."),
    "activation_checkpointing": N_(
        "Recomputing saves memory and costs time; the search takes as little as will do."
    ),
    "attention": N_("Flash attention never stores the square of the sequence; eager does."),
    "loss": N_("Whether the logits are stored whole, in chunks or never. Empty: as the framework does it."),
    "lora_rank": N_("Width of the adapters; 8 to 64 is usual, and memory hardly notices."),
    "lora_targets": N_("attention, mlp, all-linear, or names with commas: which matrices get adapters."),
    "sharding": N_(
        "What is split over accelerators instead of copied; the search takes the fastest that fits."
    ),
    "tensor_parallel": N_("Splits each matrix; wants NVLink. Empty: searched."),
    "pipeline_parallel": N_("Splits the layers into stages; leaves a bubble. Empty: searched."),
    "context_parallel": N_("Splits long sequences. Empty: searched."),
    "expert_parallel": N_("Spreads experts over accelerators. Empty: searched."),
    "cpu_offload": N_("Keeps optimizer states in host memory: much less on the card, and slow over PCIe."),
    "tokens": N_("50M, 2e9 or 1.5 billion. Count all passes over the data."),
    "max_nodes": N_("1 asks for a single machine; more lets the search join nodes by their network."),
    "deadline_hours": N_("24, 2 days. What takes longer is ruled out."),
    "budget_usd": N_("For the whole run, storage and egress included. What costs more is ruled out."),
    "samples": N_("Sequences in the data set; times epochs and sequence length they make the tokens."),
    "epochs": N_("Passes over the samples."),
    "max_accelerators": N_("Instances with more in one node are left out."),
    "checkpoint_minutes": N_("Empty: the interval that loses least to writing and to interruptions."),
    "interruptions_per_hour": N_(
        "Of one spot node. Empty: the range that is published or assumed, low to high."
    ),
    "dataset_gb": N_("Kept on the provider's storage during the run, and paid for."),
    "egress_gb": N_("Empty: the final weights are carried out once."),
    "idle_hours": N_("Hours that are paid but do not train: set-up, waiting, forgetting to stop."),
    "spread_commitment": N_("Without it the whole term of a reservation counts: it is owed, used or not."),
    "link_share_limit": N_("0.5: a layout that waits for its links longer than half of a step is refused."),
    "prove_fabric": N_("Of most providers the network between nodes is not published."),
    "measured_tokens_per_s": N_("Of all accelerators together; it corrects every other estimate."),
    "measured_peak_gib": N_("What nvidia-smi showed at most on one accelerator."),
    "measured_on": N_("For example h100-sxm5-80gb x8."),
}
