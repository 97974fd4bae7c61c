"""Narrowing the cards of one family by what the words of a name say; pure functions."""

from __future__ import annotations

import re
from collections.abc import Sequence

from app.catalog.reading import Reading
from app.catalog.vocabulary import Family
from app.domain.accelerator import Accelerator
from app.domain.sentence import N_

_ARCHITECTURES = ("kepler", "maxwell", "pascal", "volta", "turing", "ampere", "ada", "hopper", "blackwell")
_MEMORY_TYPES = ("hbm2", "hbm2e", "hbm3", "hbm3e", "gddr6", "gddr6x", "gddr7")
_FORMS = (("sxm", r"sxm[2456]?|[hd]gx"), ("pcie", r"pcie?|pci e"), ("nvl", r"nvl"), ("oam", r"oam"))
_OTHER_CHIP = re.compile(r"(?:ti|super|d|g|m|s|t|x|xt|xtx|gre|max|ada|pro|\d{4})(?![a-z0-9])")
_OTHER_CARD = ("gtx", "sff", "sxm3", "fhhl", "dgxs", "ceo")


def names_another_chip(words: Sequence[str], after: str) -> bool:
    """The words around a family's name make it another product ("RTX 4090 Super", "GTX …", "… SFF")."""
    return _OTHER_CHIP.match(after) is not None or any(word in words for word in _OTHER_CARD)


def chips_of(text: str, family: Family) -> float | None:
    """Chips of a TPU slice name: `v4-8` counts 8 cores on 4 chips, `v5litepod-8` 8 chips."""
    if not family.devices:
        return None
    cores = re.search(r" (\d+)$", text)
    return int(cores.group(1)) / family.devices if cores else None


def form_of(text: str) -> str | None:
    """The form factor that the words name, if exactly one; an NVL card is a PCIe card too."""
    found = {form for form, pattern in _FORMS if re.search(rf"(?<![a-z0-9])(?:{pattern})(?![a-z0-9])", text)}
    if found == {"nvl", "pcie"}:
        return "nvl"
    return next(iter(found)) if len(found) == 1 else None


def by_words(cards: list[Accelerator], text: str) -> list[Accelerator]:
    """Narrow by architecture (a contradiction leaves nothing), form factor and memory type (left as they are
    where no card has them: sellers write "RTX 4090 PCIe" and "B200 NVL")."""
    words = text.split()
    for word in _ARCHITECTURES:
        if word in words:
            cards = [card for card in cards if card.architecture.startswith(word)]
    form = form_of(text)
    fitting = ("pcie", "nvl") if form == "pcie" else (form,)
    cards = [card for card in cards if card.form_factor in fitting] or cards
    kinds = [word for word in _MEMORY_TYPES if word in words]
    return [card for card in cards if (card.memory_type or "").lower() in kinds] or cards


def plainest(cards: list[Accelerator], text: str) -> list[Accelerator]:
    """ "PCIe" means the plain PCIe card where memory leaves one, and the NVL card where it does not."""
    if form_of(text) != "pcie":
        return cards
    return [card for card in cards if card.form_factor == "pcie"] or cards


def sized(cards: list[Accelerator], size: float, family: Family, count: int | None) -> list[Accelerator]:
    """The cards that a stated size may be the memory of; else those of which it is the sum over `count` cards."""
    fitting = [card for card in cards if family.holds(card, size)]
    return fitting or [card for card in cards if count and family.holds(card, size / count)]


def stated_sizes(reading: Reading, family: Family, cards: list[Accelerator], after: str) -> list[float]:
    """Sizes that the name states: with a unit, or as a bare last number that is a size of the family."""
    sizes = [size for size in reading.sizes_gb if size not in family.host_gb]
    if not sizes and len(cards) > 1:
        nominal = {f"{card.memory_nominal_gb:g}": card.memory_nominal_gb for card in cards}
        sizes = [nominal[word] for word in after.split() if word in nominal]
    return sizes


OPEN_QUESTIONS = (N_("form factor not stated"), N_("memory not stated"), N_("edition not stated"))


def open_question(candidates: Sequence[Accelerator]) -> str:
    """What a name leaves open between its candidates."""
    if len({one.form_factor for one in candidates}) > 1:
        return OPEN_QUESTIONS[0]
    if len({one.memory_nominal_gb for one in candidates}) > 1 or len(candidates) == 1:
        return OPEN_QUESTIONS[1]
    return OPEN_QUESTIONS[2]
