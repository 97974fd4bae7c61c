"""Which linears carry an adapter, and how many parameters that adds."""

from __future__ import annotations

from app.domain.errors import BadInput
from app.domain.model import ModelShape
from app.domain.sentence import N_, Sentence
from app.training.parameters import expert_layers, expert_width, mlp_linears, projections, shared_width

_GROUPS: dict[str, tuple[str, ...]] = {
    "attention": ("q", "k", "v", "o"),
    "mlp": ("gate", "up", "down"),
    "all-linear": ("q", "k", "v", "o", "gate", "up", "down"),
}
_SPELLINGS: dict[str, tuple[str, ...]] = {
    "all linear": _GROUPS["all-linear"],
    "all": _GROUPS["all-linear"],
    "feed-forward": _GROUPS["mlp"],
    "ffn": _GROUPS["mlp"],
    "ff": _GROUPS["mlp"],
    "attn": _GROUPS["attention"],
    "qkv": ("qkv",),
    "query_key_value": ("qkv",),
    "wqkv": ("qkv",),
    "c_attn": ("qkv",),
    "linear_qkv": ("qkv",),
    "attn.c_proj": ("o",),
    "c_proj": ("o", "down"),
    "c_fc": ("up",),
    "linear_proj": ("o",),
    "linear_fc1": ("gate", "up"),
    "linear_fc2": ("down",),
    "gate_up": ("gate", "up"),
    "dense_h_to_4h": ("up",),
    "dense_4h_to_h": ("down",),
    "dense": ("o",),
    "out": ("o",),
    "wq": ("q",),
    "wk": ("k",),
    "wv": ("v",),
    "wo": ("o",),
    "to_q": ("q",),
    "to_k": ("k",),
    "to_v": ("v",),
    "to_out.0": ("o",),
    "to_out": ("o",),
    "w1": ("gate",),
    "w2": ("up",),
    "wi": ("up",),
    "wi_0": ("gate",),
    "wi_1": ("up",),
    "fc1": ("up",),
    "fc2": ("down",),
    "fc_in": ("up",),
    "fc_out": ("down",),
    "query": ("q",),
    "key": ("k",),
    "value": ("v",),
    "q_a": ("q",),
    "q_b": ("q",),
    "kv_a_proj_with_mqa": ("k",),
    "kv_b": ("v",),
    "head": ("head",),
    "lm_head": ("head",),
    "experts": ("experts",),
    "shared expert": ("gate", "up", "down"),
}
_LLAMA: dict[str, tuple[str, ...]] = {"w1": ("gate",), "w2": ("down",), "w3": ("up",)}
"""Where a third one is named, the first two mean what they do in Llama's own code (in Qwen's there are two)."""
KNOWN = ("q", "k", "v", "o", "gate", "up", "down", "qkv", "head", "experts")


def parse_targets(text: str, shape: ModelShape) -> tuple[str, ...]:
    """The canonical names of adapter targets in `text`, in a fixed order.

    Raises:
        BadInput: a name that no linear has.
    """
    found: set[str] = set()
    words = [word.strip() for word in text.lower().replace("+", ",").replace(" and ", ",").split(",")]
    spellings = _SPELLINGS | _LLAMA if "w3" in words else _SPELLINGS
    for word in filter(None, words):
        name = word.removesuffix("_proj")
        found.update(_GROUPS.get(name) or spellings.get(word) or spellings.get(name) or (name,))
    unknown = sorted(found - set(KNOWN))
    if unknown or not found:
        none = N_("names no linear layer; use attention, mlp, all-linear, or names such as q_proj, v_proj")
        wrong = N_(
            "{name} is not a linear layer; use attention, mlp, all-linear, or names such as q_proj, v_proj"
        )
        sentence = Sentence(wrong, {"name": repr(unknown[0])}) if unknown else Sentence(none)
        raise BadInput("lora_targets", sentence)
    if not shape.gated_mlp and found & {"up", "down"}:
        found.discard("gate")
    return tuple(name for name in KNOWN if name in found)


def target_linears(
    shape: ModelShape, targets: tuple[str, ...], expert_layer: bool
) -> dict[str, tuple[int, int]]:
    """(in, out) of the targeted linears of one layer; a fused query-key-value counts as one linear. In an
    expert layer "gate", "up", "down" mean the shared expert, "experts" the routed ones (not listed here)."""
    linears = dict(projections(shape))
    if "qkv" in targets:
        linears["qkv"] = (shape.hidden_size, sum(linears.pop(n)[1] for n in ("q", "k", "v") if n in linears))
    width = shared_width(shape) if expert_layer else shape.ffn_hidden_size
    if width:
        linears |= mlp_linears(shape, width)
    wanted = set(targets) | ({"q_a", "q_b"} if "q" in targets else set())
    wanted |= {"kv_a", "kv_b"} if {"k", "v"} & set(targets) else set()
    return {name: size for name, size in linears.items() if name in wanted}


def adapter_parameters(shape: ModelShape, rank: int, targets: tuple[str, ...]) -> float:
    """Parameters of rank-`rank` adapters: r·(in + out) over the targeted linears of all layers."""
    if not shape.layers or not shape.hidden_size:
        return 2e-3 * (shape.stated_parameters or 0) * rank / 16
    sparse = expert_layers(shape)
    dense = _size(target_linears(shape, targets, False)) * (shape.layers - sparse)
    shared = _size(target_linears(shape, targets, True)) * sparse
    head = shape.hidden_size + shape.vocab_size if "head" in targets else 0
    return float(rank * (dense + shared + head)) + expert_adapter_parameters(shape, rank, targets)


def expert_adapter_parameters(shape: ModelShape, rank: int, targets: tuple[str, ...]) -> float:
    """Those of them on routed experts, which expert parallelism divides."""
    if "experts" not in targets or not shape.experts:
        return 0.0
    one = _size(mlp_linears(shape, expert_width(shape)))
    return float(rank * shape.experts * one * expert_layers(shape))


def _size(linears: dict[str, tuple[int, int]]) -> int:
    return sum(wide + out for wide, out in linears.values())
