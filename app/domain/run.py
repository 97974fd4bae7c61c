"""The training run: one contract for form, URL, API body and command line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from app.domain.errors import BadInput, UnknownParameter
from app.domain.figures import HOURS, SIZES, dollars, not_a_number, other_currency, plain, written_out
from app.domain.sentence import N_, Sentence

Method = Literal["pretrain", "full", "lora", "qlora"]
Precision = Literal["bf16-mixed", "bf16", "fp16-mixed", "fp32", "fp8-mixed"]
Optimizer = Literal["adamw", "adamw-8bit", "paged-adamw-8bit", "adafactor", "sgd", "lion", "muon"]
Framework = Literal[
    "pytorch-fsdp2",
    "torchtune",
    "torchtitan",
    "hf-trainer",
    "unsloth",
    "axolotl",
    "litgpt",
    "deepspeed",
    "megatron",
]
Checkpointing = Literal["auto", "none", "selective", "full"]
Attention = Literal["flash", "sdpa", "eager"]
LossKind = Literal["full", "chunked", "fused"]
Sharding = Literal["auto", "none", "optimizer", "gradients", "full", "hybrid"]

SHAPE_FIELDS = (
    "layers",
    "hidden_size",
    "attention_heads",
    "kv_heads",
    "head_dim",
    "ffn_hidden_size",
    "vocab_size",
    "tied_embeddings",
    "gated_mlp",
    "experts",
    "experts_per_token",
)

YES_OR_NO = frozenset(("tied_embeddings", "gated_mlp", "cpu_offload", "prove_fabric", "spread_commitment"))
TEXTS = frozenset(
    (
        "model",
        "config",
        "method",
        "lora_targets",
        "precision",
        "optimizer",
        "framework",
        "activation_checkpointing",
        "attention",
        "loss",
        "sharding",
        "measured_on",
    )
)
"""Fields that are no figures."""

_SIZE: dict[str, Any] = {"ge": 1, "le": 10_000_000}
_DEGREE: dict[str, Any] = {"ge": 1, "le": 65_536}


class TrainingRun(BaseModel):
    """What the person chose. `None` means: decide for me (search, or the framework's habit).

    The model is exactly one of: `model` (a catalog key), `config` (a Hugging Face config.json object),
    explicit shape fields (at least `layers` and `hidden_size`), or just `parameters`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    model: str | None = Field(None, max_length=200, description="Catalog key of the model")
    config: dict[str, Any] | None = Field(None, description="A Hugging Face config.json object")
    parameters: float | None = Field(
        None, ge=1e6, le=1e14, description="Parameter count when nothing else is known"
    )
    layers: int | None = Field(None, **_SIZE, description="Transformer layers")
    hidden_size: int | None = Field(None, **_SIZE, description="Hidden size")
    attention_heads: int | None = Field(None, **_SIZE, description="Attention heads")
    kv_heads: int | None = Field(None, **_SIZE, description="Key/value heads")
    head_dim: int | None = Field(None, **_SIZE, description="Dimension of one head")
    ffn_hidden_size: int | None = Field(None, **_SIZE, description="Feed-forward width")
    vocab_size: int | None = Field(None, **_SIZE, description="Vocabulary size")
    tied_embeddings: bool | None = Field(None, description="Input and output embeddings share weights")
    gated_mlp: bool | None = Field(None, description="Gated feed-forward (SwiGLU and the like)")
    experts: int | None = Field(None, ge=0, le=100_000, description="Routed experts per layer")
    experts_per_token: int | None = Field(None, ge=0, le=100_000, description="Experts each token visits")

    method: Method = Field("full", description="What is trained")
    lora_rank: int = Field(16, ge=1, le=8192, description="LoRA rank")
    lora_targets: str = Field(
        "all-linear", max_length=200, description="attention, mlp, all-linear, or names with commas"
    )
    precision: Precision = Field("bf16-mixed", description="Number formats of weights and compute")
    optimizer: Optimizer = Field("adamw", description="Optimizer")
    framework: Framework = Field("pytorch-fsdp2", description="Training framework")
    sequence_length: int = Field(
        4096,
        ge=1,
        le=16_777_216,
        description="Tokens per sequence; not given: at most the model's context",
    )
    micro_batch_size: int | None = Field(
        None, ge=1, le=65_536, description="Sequences per accelerator and pass; empty = search"
    )
    global_batch_size: int = Field(64, ge=1, le=10_000_000, description="Sequences per optimizer step")
    activation_checkpointing: Checkpointing = Field(
        "auto", description="Recompute activations to save memory"
    )
    attention: Attention = Field("flash", description="Attention implementation")
    loss: LossKind | None = Field(None, description="Cross-entropy implementation; empty = the framework's")
    sharding: Sharding = Field("auto", description="What is split over data-parallel ranks")
    tensor_parallel: int | None = Field(None, **_DEGREE, description="Tensor-parallel degree; empty = search")
    pipeline_parallel: int | None = Field(None, **_DEGREE, description="Pipeline stages; empty = search")
    context_parallel: int | None = Field(
        None, **_DEGREE, description="Context-parallel degree; empty = search"
    )
    expert_parallel: int | None = Field(None, **_DEGREE, description="Expert-parallel degree; empty = search")
    cpu_offload: bool = Field(False, description="Keep states in host memory")

    tokens: float | None = Field(None, gt=0, le=1e16, description="Tokens to train on; default 1e9")
    samples: float | None = Field(
        None, gt=0, le=1e13, description="Sequences in the data set, instead of tokens"
    )
    epochs: float = Field(1.0, gt=0, le=10_000, description="Passes over the samples")

    max_accelerators: int = Field(8, ge=1, le=100_000, description="Most accelerators per node to consider")
    max_nodes: int = Field(1, ge=1, le=4096, description="Most nodes to consider")
    deadline_hours: float | None = Field(None, gt=0, le=1e6, description="Must finish within this many hours")
    budget_usd: float | None = Field(None, gt=0, le=1e12, description="Must cost at most this")
    checkpoint_minutes: float | None = Field(
        None, gt=0, le=100_000, description="Minutes between checkpoints; empty = optimum"
    )
    interruptions_per_hour: float | None = Field(
        None, ge=0, le=1000, description="Interruptions of one spot node per hour; empty = the assumed range"
    )
    dataset_gb: float = Field(0.0, ge=0, le=1e9, description="Data set kept on the provider's storage")
    egress_gb: float | None = Field(
        None, ge=0, le=1e9, description="Data carried out; empty = the final weights"
    )
    idle_hours: float = Field(
        0.0, ge=0, le=100_000, description="Hours the instance is kept but does not train"
    )
    spread_commitment: bool = Field(
        False, description="Count only the part of a reservation that the run uses; empty = all that is owed"
    )
    link_share_limit: float = Field(
        0.5, gt=0, le=1, description="Most of a step that exposed communication may take"
    )
    prove_fabric: bool = Field(False, description="Treat an unknown node network as unfit")

    measured_tokens_per_s: float | None = Field(
        None, gt=0, le=1e10, description="Tokens/s of your own trial, all accelerators together"
    )
    measured_peak_gib: float | None = Field(
        None, gt=0, le=100_000, description="Peak GiB per accelerator of your own trial"
    )
    measured_on: str | None = Field(
        None, max_length=200, description="What the trial ran on: accelerator key, ×count"
    )

    @field_validator("lora_targets", mode="before")
    @classmethod
    def _list_is_names_with_commas(cls, given: Any) -> Any:
        return ",".join(map(str, given)) if isinstance(given, list) else given

    @field_validator("*", mode="before")
    @classmethod
    def _figure_as_people_write_it(cls, given: Any, info: ValidationInfo) -> Any:
        """50M, 1.5 billion, 2 days; true and false are no figures."""
        name = str(info.field_name)
        if name in TEXTS or name in YES_OR_NO:
            return given
        if isinstance(given, bool):
            raise ValueError(f"{name}: " + N_("must be a number, not true or false"))
        if not isinstance(given, str):
            return given
        if name == "budget_usd":
            given = _in_dollars(given)
        return written_out(given, HOURS if name in ("deadline_hours", "idle_hours") else SIZES)

    @model_validator(mode="after")
    def _amount_is_given_once(self) -> Self:
        if self.tokens is not None and self.samples is not None:
            raise ValueError("samples: " + N_("give tokens or samples, not both"))
        if self.measured_on is None and (self.measured_tokens_per_s or self.measured_peak_gib):
            raise ValueError("measured_on: " + N_("say what the trial ran on, for example h100-sxm5-80gb x8"))
        return self

    @property
    def total_tokens(self) -> float:
        """Tokens of the whole run."""
        if self.samples is not None:
            return self.samples * self.epochs * self.sequence_length
        return self.tokens if self.tokens is not None else 1e9

    @property
    def names_a_model(self) -> bool:
        """Something says which model is trained."""
        return self.config is not None or bool(
            self.model or self.parameters or self.layers or self.hidden_size
        )

    @classmethod
    def from_fields(cls, fields: Mapping[str, Any]) -> Self:
        """A run from loose fields (strings are converted; empty strings mean "not given").

        Raises:
            UnknownParameter: a field that the contract does not have.
            BadInput: a value out of its range or type; names the field.
        """
        given = {name: value for name, value in fields.items() if value not in ("", None)}
        for name in given:
            if name not in cls.model_fields:
                raise UnknownParameter(str(name), "there is no such field of a training run")
        try:
            return cls.model_validate(given)
        except ValidationError as error:
            raise bad_input(error) from None

    def to_fields(self) -> dict[str, Any]:
        """The fields that differ from their defaults, in the order of the contract; a length that was given is kept,
        for what it defaults to depends on the model."""
        stated = self.model_fields_set & {"sequence_length"}
        differ = self.model_dump(exclude_defaults=True)
        return {name: value for name, value in self.model_dump().items() if name in differ or name in stated}


def _in_dollars(given: str) -> str:
    if (currency := other_currency(given)) is not None:
        text = N_("must be in US dollars, not in {currency} (given: {value})")
        said = {"currency": currency, "value": repr(given[:60])}
        raise BadInput("budget_usd", Sentence(text, said))
    return dollars(given)


_WRONG: Mapping[str, str] = {
    "greater_than_equal": N_("must be at least {ge} (given: {value})"),
    "greater_than": N_("must be above {gt} (given: {value})"),
    "less_than_equal": N_("must be at most {le} (given: {value})"),
    "int_parsing": N_("must be a whole number (given: {value})"),
    "int_parsing_size": N_("must be a whole number (given: {value})"),
    "int_from_float": N_("must be a whole number (given: {value})"),
    "int_type": N_("must be a whole number (given: {value})"),
    "float_parsing": N_("must be a number (given: {value})"),
    "float_type": N_("must be a number (given: {value})"),
    "finite_number": N_("must be a finite number (given: {value})"),
    "bool_parsing": N_("must be true or false (given: {value})"),
    "bool_type": N_("must be true or false (given: {value})"),
    "literal_error": N_("must be one of {expected} (given: {value})"),
    "string_type": N_("must be a text (given: {value})"),
    "string_too_long": N_("must have at most {max_length} characters (given: {value})"),
    "dict_type": N_("must be a JSON object (given: {value})"),
}
"""What Pydantic calls a trouble → what a person is told; the figures are those of its context."""


def bad_input(error: ValidationError) -> BadInput:
    """The first trouble of a validation as a refusal that names the field."""
    first = error.errors(include_url=False)[0]
    if first["type"] == "value_error":
        field, _, message = str(first["msg"]).removeprefix("Value error, ").partition(": ")
        return BadInput(field, message)
    field = str(first["loc"][0]) if first["loc"] else "run"
    refused = not_a_number(str(first.get("input")))
    if "meant" in refused.values and first["type"] in ("int_parsing", "float_parsing"):
        return BadInput(field, refused)
    said = {**first.get("ctx", {}), "value": repr(str(first.get("input"))[:60])}
    for name in ("ge", "gt", "le"):
        said |= {name: plain(said[name])} if name in said else {}
    if "expected" in said:
        said["expected"] = said["expected"].replace("'", "").replace(" or ", ", ")
    template = _WRONG.get(first["type"])
    return BadInput(field, first["msg"] if template is None else Sentence(template, said))
