"""Typed reading of a Hugging Face config.json: every complaint names the config's own field."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from app.domain.errors import BadInput
from app.domain.sentence import N_, Sentence

MOST = 100_000_000

SYNONYMS: Mapping[str, tuple[str, ...]] = {
    "layers": ("num_hidden_layers", "n_layer", "n_layers", "num_layers"),
    "hidden_size": ("hidden_size", "n_embd", "d_model", "dim"),
    "attention_heads": ("num_attention_heads", "n_head", "n_heads", "num_heads", "encoder_attention_heads"),
    "kv_heads": ("num_key_value_heads", "num_kv_heads", "multi_query_group_num", "n_head_kv"),
    "head_dim": ("head_dim", "kv_channels", "d_kv", "attention_head_dim"),
    "ffn_hidden_size": (
        "intermediate_size",
        "n_inner",
        "ffn_dim",
        "d_ff",
        "ffn_hidden_size",
        "hidden_dim",
        "encoder_ffn_dim",
    ),
    "vocab_size": ("padded_vocab_size", "vocab_size"),
    "max_context": (
        "max_position_embeddings",
        "n_positions",
        "max_seq_len",
        "seq_length",
        "n_ctx",
        "max_target_positions",
    ),
    "experts": ("num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts"),
    "experts_per_token": ("num_experts_per_tok", "moe_top_k", "moe_topk", "num_experts_per_token"),
    "shared_experts": ("n_shared_experts", "num_shared_experts"),
    "dense_layers": ("first_k_dense_replace",),
}


class ConfigFields:
    """The fields of one config, by our word or by theirs. Every reader raises BadInput("config", …)."""

    def __init__(self, fields: Mapping[str, Any], where: str = "") -> None:
        self._fields = fields
        self._where = where

    def __contains__(self, name: str) -> bool:
        return self._fields.get(name) is not None

    def nested(self, *names: str) -> ConfigFields | None:
        """The first of the named inner configs that is there."""
        for name in names:
            inner = self._fields.get(name)
            if isinstance(inner, Mapping) and inner:
                return ConfigFields(inner, f"{self._where}{name}.")
        return None

    def spelling(self, word: str) -> str | None:
        """The name under which the config gives our `word`, if it does."""
        return next((name for name in SYNONYMS.get(word, (word,)) if name in self), None)

    def whole(self, word: str, least: int = 1, most: int = MOST) -> int | None:
        """A whole number of our `word`, written as a text perhaps; None where the config does not give it."""
        name = self.spelling(word)
        if name is None:
            return None
        value = self._fields[name]
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, str) and re.fullmatch(r"\s*\d{1,12}\s*", value, re.ASCII):
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            text = N_("{field} must be a whole number from {least} to {most} (given: {value})")
            raise bad(text, least=least, most=f"{most:,}", **self._said(name, value))
        return value

    def needed(self, word: str, most: int = MOST) -> int:
        """A whole number that must be there; one that is not is called as the config calls it, else by its usual name."""
        value = self.whole(word, most=most)
        if value is None:
            names = SYNONYMS.get(word, (word,))
            usual = word if word in names else names[0]
            written = next((name for name in names if name in self._fields), usual)
            raise bad("{field} is missing", field=self._where + written)
        return value

    def flag(self, name: str) -> bool | None:
        """A true or false of theirs, None where it is not given."""
        value = self._fields.get(name)
        if value is not None and not isinstance(value, bool):
            raise bad("{field} must be true or false (given: {value})", **self._said(name, value))
        return value

    def text(self, name: str) -> str | None:
        """A text of theirs, None where it is not given."""
        value = self._fields.get(name)
        if value is not None and not isinstance(value, str):
            raise bad("{field} must be a text (given: {value})", **self._said(name, value))
        return value

    def items(self, name: str) -> int | None:
        """How many items a list or an object of theirs has, None where it is not given."""
        value = self._fields.get(name)
        if value is not None and not isinstance(value, list | Mapping):
            raise bad("{field} must be a list (given: {value})", **self._said(name, value))
        return None if value is None else len(value)

    def _said(self, name: str, value: object) -> dict[str, object]:
        return {"field": self._where + name, "value": repr(str(value)[:40])}


def bad(template: str, **values: object) -> BadInput:
    """The error for a config that cannot be used: a sentence's template and what fills it."""
    return BadInput("config", Sentence(template, values))
