"""A config.json whose weights are stored quantised, and what an estimate makes of that."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.domain.run import Method
from app.domain.sentence import N_, Sentence


def assumed_of(config: Mapping[str, Any], method: Method) -> Sentence | None:
    """What stands in for the quantised weights of a config, None where it has none: QLoRA keeps a 4-bit base of its own
    format, whatever else trains or reads the weights takes them dequantised."""
    given = config.get("quantization_config")
    if not isinstance(given, Mapping) or not given:
        return None
    said = {"format": _format(given)}
    if method == "qlora":
        text = N_("quantised weights in the config ({format}): taken as the 4-bit base (NF4) of QLoRA")
        return Sentence(text, said)
    text = N_("quantised weights in the config ({format}): taken dequantised, in the precision of this run")
    return Sentence(text, said)


def _format(given: Mapping[str, Any]) -> str:
    """The method and the width in bits, as far as they are given: "gptq, 4 bit"."""
    bits = given.get("bits")
    if bits is None:
        bits = next((n for n in (4, 8) if given.get(f"load_in_{n}bit") is True), None)
    width = f"{bits} bit" if isinstance(bits, int) and not isinstance(bits, bool) else ""
    kind = given.get("quant_method")
    return ", ".join(part for part in (kind[:40] if isinstance(kind, str) else "", width) if part) or "?"
